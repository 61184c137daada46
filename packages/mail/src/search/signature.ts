/**
 * The groups of three characters in a string, as a set of bits with false positives and no false negatives. A
 * search reads signatures, and then only the messages that may match.
 */
const maxBytes = 4096;
const smallestBytes = 64;

/** A signature is halved as long as no more than this share of its bits is set. */
const fullest = 0.4;

/** A signature with more than this share of its bits set matches nearly everything: reading the message is cheaper. */
const tooFull = 0.65;

/** Bytes between two checks of how full a signature is. */
const stride = 32 * 1024;

/** The input of a signature. */
export interface SignedTexts {
  /** Already case-folded. */
  readonly texts: readonly string[];
  /** Pure ASCII, not folded: these bytes are never converted to strings. @default none */
  readonly ascii?: Uint8Array;
}

/** Every signature is made here: several new arrays for each message would take longer than its groups. */
const scratch = new Uint8Array(maxBytes);
const scratchWords = new Int32Array(scratch.buffer);

/** Returns the signature of texts; undefined if they are too varied for a useful one. */
export function signatureOf({ texts, ascii }: SignedTexts): Uint8Array | undefined {
  scratch.fill(0);
  for (let from = 0; ascii !== undefined && from < ascii.length; from += stride) {
    if (from > 0 && isFuller(scratchWords, tooFull)) return undefined;
    // A group that spans two pieces belongs to the first.
    addAscii(scratch, ascii, from, Math.min(ascii.length, from + stride + 2));
  }
  for (const text of texts) addText(scratch, text);
  if (isFuller(scratchWords, tooFull)) return undefined;
  return scratch.slice(0, foldedLength());
}

/** Halves the signature in {@link scratch} as often as possible. Returns its length. */
function foldedLength(): number {
  let words = scratchWords;
  while (words.length * 4 > smallestBytes) {
    const half = words.length / 2;
    if (bitsOfFolded(words, half) > half * 32 * fullest) break;
    for (let at = 0; at < half; at++) words[at] = (words[at] as number) | (words[at + half] as number);
    words = words.subarray(0, half);
  }
  return words.length * 4;
}

/** Returns the hashes that a signature must have to match a folded query; none if the query is too short. */
export function queryHashes(query: string): Uint32Array {
  const hashes = new Uint32Array(Math.max(0, query.length - 2));
  let group = firstGroup(query);
  for (let at = 0; at < hashes.length; at++) {
    group = nextGroup(group, query.charCodeAt(at + 2));
    hashes[at] = hashOf(group);
  }
  return hashes;
}

/** Whether the string with the signature in bytes `from` to `to` may contain the query. */
export function mayContain(
  bytes: Uint8Array,
  hashes: Uint32Array,
  from = 0,
  to: number = bytes.length,
): boolean {
  const mask = (to - from) * 8 - 1;
  for (let at = 0; at < hashes.length; at++) {
    const bit = (hashes[at] as number) & mask;
    if (((bytes[from + (bit >> 3)] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Adds a string to a signature of the largest size. */
function addText(bits: Uint8Array, text: string): void {
  let group = firstGroup(text);
  for (let at = 2; at < text.length; at++) {
    group = nextGroup(group, text.charCodeAt(at));
    const bit = hashOf(group);
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
  }
}

/** Does the same as {@link addText} with the folded text of these bytes. */
function addAscii(bits: Uint8Array, ascii: Uint8Array, from: number, to: number): void {
  let group = ((ascii[from] as number) << 8) | (ascii[from + 1] as number);
  for (let at = from + 2; at < to; at++) {
    group = ((group & 0xffff) << 8) | (ascii[at] as number);
    const bit = hashOf(group);
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
  }
}

/** The group before the first: its last two characters are the text's first two. */
function firstGroup(text: string): number {
  return nextGroup(text.charCodeAt(0), text.charCodeAt(1));
}

/** The last three characters as one number. Of the first of them, the lower byte is enough. */
function nextGroup(group: number, char: number): number {
  return ((group & 0xffff) << 8) ^ char;
}

/** The bit of a group in the largest signature. Upper and lower case of ASCII letters have the same bit. */
function hashOf(group: number): number {
  return Math.imul(group | 0x202020, 0x85ebca6b) >>> 17;
}

function isFuller(words: Int32Array, part: number): boolean {
  let count = 0;
  for (let at = 0; at < words.length; at++) count += bitsIn(words[at] as number);
  return count > words.length * 32 * part;
}

/** Counts the bits that are set once the second half is merged into the first. */
function bitsOfFolded(words: Int32Array, half: number): number {
  let count = 0;
  for (let at = 0; at < half; at++) count += bitsIn((words[at] as number) | (words[at + half] as number));
  return count;
}

/** Counts set bits by adding neighbors: pairs of bits, then fours, then bytes. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

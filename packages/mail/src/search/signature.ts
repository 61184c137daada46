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

/** Returns the signature of texts; undefined if they are too varied for a useful one. */
export function signatureOf({ texts, ascii }: SignedTexts): Uint8Array | undefined {
  let bits: Uint8Array<ArrayBuffer> = new Uint8Array(maxBytes);
  for (let from = 0; ascii !== undefined && from < ascii.length; from += stride) {
    if (from > 0 && isFuller(bits, tooFull)) return undefined;
    // A group that spans two pieces belongs to the first.
    addAscii(bits, ascii, from, Math.min(ascii.length, from + stride + 2));
  }
  for (const text of texts) addText(bits, text);
  if (isFuller(bits, tooFull)) return undefined;
  while (bits.length > smallestBytes) {
    const half = folded(bits);
    if (isFuller(half, fullest)) break;
    bits = half;
  }
  return bits;
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

/** Merges the two halves, four bytes at a time. */
function folded(bits: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const half = bits.slice(0, bits.length / 2);
  const [words, upper] = [wordsOf(half), wordsOf(bits.subarray(half.length))];
  for (let at = 0; at < words.length; at++) words[at] = (words[at] as number) | (upper[at] as number);
  return half;
}

function isFuller(bits: Uint8Array<ArrayBuffer>, part: number): boolean {
  return bitsSet(bits) > bits.length * 8 * part;
}

/** Counts set bits by adding neighbors: pairs of bits, then fours, then bytes. */
function bitsSet(bits: Uint8Array<ArrayBuffer>): number {
  const words = wordsOf(bits);
  let count = 0;
  for (let at = 0; at < words.length; at++) {
    let word = words[at] as number;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

function wordsOf(bits: Uint8Array<ArrayBuffer>): Int32Array {
  return new Int32Array(bits.buffer, bits.byteOffset, bits.length / 4);
}

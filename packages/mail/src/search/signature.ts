/**
 * Which groups of three characters a text has, as a set of bits that may say yes too often and no only rightly. A
 * search reads these instead of the messages, and then only the messages that may match.
 */
const largestBytes = 4096;
const smallestBytes = 64;

/** A signature is made half as long as long as no more than this part of its bits is set. */
const fullest = 0.4;

/** The signature of texts that were folded before. */
export function signatureOf(texts: readonly string[]): Uint8Array {
  let bits = new Uint8Array(largestBytes);
  for (const text of texts) addText(bits, text);
  while (bits.length > smallestBytes) {
    const half = folded(bits);
    if (bitsSet(half) > half.length * 8 * fullest) break;
    bits = half;
  }
  return bits;
}

/** The numbers that a folded query asks a signature for; none if it is too short to tell. */
export function queryHashes(query: string): Uint32Array {
  const hashes = new Uint32Array(Math.max(0, query.length - 2));
  for (let at = 0; at < hashes.length; at++) hashes[at] = hashAt(query, at);
  return hashes;
}

/** Whether a text with this signature may hold the query. */
export function mayContain(signature: Uint8Array, hashes: Uint32Array): boolean {
  const mask = signature.length * 8 - 1;
  for (let at = 0; at < hashes.length; at++) {
    const bit = (hashes[at] as number) & mask;
    if (((signature[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function addText(bits: Uint8Array, text: string): void {
  const mask = bits.length * 8 - 1;
  for (let at = 0; at < text.length - 2; at++) {
    const bit = hashAt(text, at) & mask;
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
  }
}

function hashAt(text: string, at: number): number {
  const hash =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function folded(bits: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const half = new Uint8Array(bits.length / 2);
  const [words, from] = [wordsOf(half), wordsOf(bits)];
  for (let at = 0; at < words.length; at++) {
    words[at] = (from[at] as number) | (from[at + words.length] as number);
  }
  return half;
}

/** Counts by adding up neighbours: pairs of bits, then fours, then bytes. */
function bitsSet(bits: Uint8Array<ArrayBuffer>): number {
  let count = 0;
  for (let word of wordsOf(bits)) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

function wordsOf(bits: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(bits.buffer, bits.byteOffset, bits.length / 4);
}

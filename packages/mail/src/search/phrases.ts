import { pacer } from "../model/background-work.ts";

/**
 * Words, pairs of words and lines that many messages have in common, as strings of printable ASCII in lower case. If a message contains a phrase,
 * and the phrase contains a query, the message matches: that need not be found out by reading it.
 */

/** Characters of a phrase. */
const shortest = 3;
const longest = 200;

/** Finding and counting phrases takes longer than most other work on a byte. */
export const workPerByte = 16;

/** Messages of which the phrases are counted. */
const maxSamples = 32;

/** A phrase is common if at least this part of these messages contains it. */
const commonShare = 1 / 8;

/** Printable ASCII in lower case; 0 for all other bytes. */
const foldedBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte > 0x7e) return 0;
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
});

/** What a byte is: 2 for letters and digits, 1 for other printable ASCII, 0 for the rest. */
const byteKinds = foldedBytes.map((folded) => {
  if (folded === 0) return 0;
  return /[0-9a-z]/.test(String.fromCharCode(folded)) ? 2 : 1;
});

interface Visitor {
  /** Called with the bounds of a word of letters and digits. Returns whether it may be part of a common pair: most are not. */
  word(from: number, to: number): boolean;
  /** Called with the bounds of two such words, or shorter ones, and what is between them. */
  pair(from: number, to: number): void;
  /** Called with the bounds of everything between two bytes that are not printable ASCII. */
  line(from: number, to: number): void;
}

function visitPhrases(bytes: Uint8Array, visitor: Visitor): void {
  const end = bytes.length;
  let wordFrom = 0;
  let lineFrom = 0;
  /** Where the word before this one begins, if both may be a pair; otherwise -1. */
  let before = -1;
  for (let at = 0; at <= end; at++) {
    const kind = at === end ? 0 : (byteKinds[bytes[at] as number] as number);
    if (kind === 2) continue;
    if (at > wordFrom) {
      const length = at - wordFrom;
      const isPart = length < shortest || (length <= longest && visitor.word(wordFrom, at));
      if (isPart && before >= 0 && isPhraseLength(at - before)) visitor.pair(before, at);
      before = isPart ? wordFrom : -1;
    }
    if (kind === 0) {
      if (isPhraseLength(at - lineFrom)) visitor.line(lineFrom, at);
      lineFrom = at + 1;
      before = -1;
    }
    wordFrom = at + 1;
  }
}

function isPhraseLength(length: number): boolean {
  return length >= shortest && length <= longest;
}

/** Which of some things to examine: all, or as many as are needed, evenly spread. */
export function samplesOf<Each>(all: readonly Each[]): Each[] {
  const step = Math.max(1, all.length / maxSamples);
  const samples: Each[] = [];
  for (let at = 0; at < all.length; at += step) samples.push(all[Math.floor(at)] as Each);
  return samples;
}

/** A message, in pieces. */
export type Pieces = readonly Uint8Array[];

/** Returns the phrases that are common in some messages, the most frequent first. They are read in several turns of the event loop. */
export async function commonPhrases(messages: readonly Pieces[]): Promise<string[]> {
  const fewest = Math.max(2, Math.ceil(messages.length * commonShare));
  const common = async (visitorOf: VisitorOf) =>
    [...(await countPhrases(messages, visitorOf))].filter(([, count]) => count >= fewest);
  const single = await common((_, add) => ({
    word(from, to) {
      add(from, to);
      return false;
    },
    pair() {},
    line: add,
  }));
  const known = phraseTable(single.map(([phrase]) => phrase));
  const pairs = await common((bytes, add) => ({
    word: (from, to) => known(bytes, from, to) >= 0,
    pair: add,
    line() {},
  }));
  const all = new Map([...single, ...pairs]);
  // A word is before the pairs that it is part of, which are as frequent at most.
  return [...all].sort(([, one], [, other]) => other - one).map(([phrase]) => phrase);
}

/** A visitor of some bytes that adds phrases. */
type VisitorOf = (bytes: Uint8Array, add: (from: number, to: number) => void) => Visitor;

/** Counts in how many messages each phrase occurs that a visitor adds. */
async function countPhrases(messages: readonly Pieces[], visitorOf: VisitorOf): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const pace = pacer();
  for (const pieces of messages) {
    const found = new Set<string>();
    for (const piece of pieces) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      const add = (from: number, to: number) =>
        void found.add(bytes.toString("latin1", from, to).toLowerCase());
      visitPhrases(bytes, visitorOf(bytes, add));
    }
    for (const phrase of found) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
    const turn = pace(workPerByte * pieces.reduce((sum, { length }) => sum + length, 0));
    if (turn !== undefined) await turn;
  }
  return counts;
}

/** Finds which of some phrases are in a piece of a message, and calls `mark` with the number of each. */
export type PhraseFinder = (piece: Uint8Array, mark: (phrase: number) => void) => void;

/** `phrases` must have the words of each pair, as those of {@link commonPhrases} do. */
export function phraseFinder(phrases: readonly string[]): PhraseFinder {
  const find = phraseTable(phrases);
  return (piece, mark) => {
    const visit = (from: number, to: number) => {
      const number = find(piece, from, to);
      if (number >= 0) mark(number);
      return number >= 0;
    };
    visitPhrases(piece, { word: visit, pair: visit, line: visit });
  };
}

/** Returns a function that returns the number of the phrase at some bytes; -1 if there is none. */
function phraseTable(phrases: readonly string[]): (bytes: Uint8Array, from: number, to: number) => number {
  const wanted = phrases.map((phrase) => Buffer.from(phrase, "latin1"));
  const mask = 2 ** Math.ceil(Math.log2(phrases.length * 8 + 1)) - 1;
  /** The number of a phrase plus one, at its hash or behind it. */
  const slots = new Uint32Array(mask + 1);
  /** 1 if there is a phrase of this length. */
  const lengths = new Uint8Array(longest + 1);
  wanted.forEach((phrase, number) => {
    lengths[phrase.length] = 1;
    let slot = hashOf(phrase, 0, phrase.length) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number + 1;
  });
  return (bytes, from, to) => {
    if (lengths[to - from] === 0) return -1;
    for (let slot = hashOf(bytes, from, to) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = (slots[slot] as number) - 1;
      if (isAt(bytes, from, to, wanted[number] as Uint8Array)) return number;
    }
    return -1;
  };
}

/** A hash of the length and of four bytes, in lower case: most strings differ from all phrases in these. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  const byte = (at: number) => (bytes[at] as number) | 0x20;
  const some = byte(from) | (byte(from + 1) << 8) | (byte((from + to) >> 1) << 16) | (byte(to - 1) << 24);
  return Math.imul(some ^ (to - from), 0x9e3779b1) >>> 8;
}

function isAt(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from !== wanted.length) return false;
  for (let at = 0; at < wanted.length; at++)
    if (foldedBytes[bytes[from + at] as number] !== wanted[at]) return false;
  return true;
}

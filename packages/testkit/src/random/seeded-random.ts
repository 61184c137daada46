import type { Random } from "@tablekeep/core";

/**
 * Randomness that a seed repeats. It is itself a core `Random` (numbers in [0, 1)), with further functions for tests.
 * Not for secrets.
 */
export interface SeededRandom extends Random {
  /** The seed; print it when a test fails. */
  readonly seed: string;
  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns one element of a non-empty list. */
  pick<Element>(elements: readonly Element[]): Element;
  /** Returns true with this probability (0 to 1). */
  chance(probability: number): boolean;
  /** Returns a new list with the same elements in a random order. */
  shuffle<Element>(elements: readonly Element[]): Element[];
  /** Returns this many random bytes. */
  bytes(length: number): Uint8Array;
  /** Returns a version 4 UUID. */
  uuid(): string;
  /**
   * Returns a separate generator that depends only on this one's seed and `label`, not on how much either has been used,
   * so that one actor's draws do not change another's.
   */
  fork(label: string | number): SeededRandom;
}

/**
 * Creates a fast, well-mixed generator (sfc32); the same seed yields the same sequence on every machine.
 *
 * @example
 * const random = seededRandom("my seed");
 * random.int(1, 6); // the same on every machine
 * if (random.chance(0.1)) console.log(random.pick(["a", "b"]), random.shuffle([1, 2, 3]));
 * const key = [random.uuid(), random.bytes(16)];
 * const writer = random.fork("writer");
 */
export function seededRandom(seed: string | number): SeededRandom {
  const name = String(seed);
  const next32 = sfc32(seedWords(name));
  const next = () => ((next32() >>> 5) * 0x4000000 + (next32() >>> 6)) / 0x20000000000000;
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const bytes = (length: number) => Uint8Array.from({ length }, () => next32() & 0xff);
  return Object.assign(() => next(), {
    seed: name,
    int,
    bytes,
    pick<Element>(elements: readonly Element[]): Element {
      if (elements.length === 0) throw new RangeError("cannot pick from an empty list");
      return elements[int(0, elements.length - 1)] as Element;
    },
    chance: (probability: number) => next() < probability,
    shuffle<Element>(elements: readonly Element[]): Element[] {
      const shuffled = [...elements];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = int(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as Element, shuffled[last] as Element];
      }
      return shuffled;
    },
    uuid: () => uuidOf(bytes(16)),
    fork: (label: string | number) => seededRandom(`${name}/${label}`),
  });
}

/** Chris Doty-Humphrey's small fast counting generator: 128 bits of state, 32 bits a step. */
function sfc32([first, second, third, counter]: SeedWords): () => number {
  let [a, b, c, count] = [first, second, third, counter];
  const step = () => {
    const output = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + output) | 0;
    return output >>> 0;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) step();
  return step;
}

function uuidOf(bytes: Uint8Array): string {
  const [version, variant] = [6, 8];
  bytes[version] = ((bytes[version] ?? 0) & 0x0f) | 0x40;
  bytes[variant] = ((bytes[variant] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** 128 bits to start a generator from. */
type SeedWords = [number, number, number, number];

/** Four lanes over the string, each with its own constants, so that near seeds start far apart. */
function seedWords(text: string): SeedWords {
  const words: SeedWords = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    words[0] = Math.imul(words[0] ^ unit, 0x85ebca6b);
    words[1] = Math.imul(words[1] ^ unit, 0xc2b2ae35);
    words[2] = Math.imul(words[2] ^ unit, 0x27d4eb2f);
    words[3] = Math.imul(words[3] ^ unit, 0x165667b1);
    words.push(words.shift() as number);
  }
  return words.map(avalanche) as SeedWords;
}

/** Every bit of the word decides about half of the bits of the result. */
function avalanche(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/**
 * A number in [0, 1) for every whole number, decided by `key` alone: no order of asking changes it, and asking is cheap.
 */
export function keyedChance(key: string): (index: number) => number {
  const [first, second, third, fourth] = seedWords(key);
  return (index) => {
    const low = avalanche(first ^ Math.imul(index + 1, 0x9e3779b1));
    const mixed = avalanche((low + second) ^ third);
    return avalanche(mixed ^ fourth) / 0x100000000;
  };
}

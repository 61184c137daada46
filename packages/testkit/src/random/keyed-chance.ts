import { avalanche, seedWords } from "./seed-words.ts";

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

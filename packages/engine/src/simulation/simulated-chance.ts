import { createHash } from "node:crypto";
import type { ValueOrRange } from "./behavior-options.ts";

/** Repeatable random numbers: each depends only on the seed, its purpose and its position. */
export class SimulatedChance {
  readonly #seed: number;
  readonly #drawn = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Returns the next number in [0, 1) for this purpose. */
  next(purpose: string): number {
    const number = (this.#drawn.get(purpose) ?? 0) + 1;
    this.#drawn.set(purpose, number);
    const digest = createHash("sha256").update(`${this.#seed} ${purpose} ${number}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  }

  /** Returns the value, or one from its range. */
  pick(purpose: string, value: ValueOrRange): number {
    if (typeof value === "number") return value;
    const [least, most] = value;
    return least + Math.floor(this.next(purpose) * (most - least + 1));
  }
}

/** Chance and names of a walk, all determined by its seed. */
export class SeededChance {
  #state;
  #ids = 0;

  constructor(seed) {
    this.#state = (seed * 2654435761) >>> 0;
    for (let warmUp = 0; warmUp < 8; warmUp++) this.random();
  }

  /** Like `Math.random`, by the seed (mulberry32). */
  random() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability) {
    return this.random() < probability;
  }

  below(bound) {
    return Math.floor(this.random() * bound);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  newId(letter) {
    return `${letter}${++this.#ids}`;
  }

  /** The number of the last id. */
  get lastId() {
    return this.#ids;
  }
}

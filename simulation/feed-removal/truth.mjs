import { Violation } from "../feed/world.mjs";
import { keyOf, slices } from "./pages.mjs";

/** What has happened, whatever the clients believe. */
export class Truth {
  removed = 0;
  #world;
  /** How many pages were appended to each slice. */
  #appended = new Map();
  /** The number of the page that ends each slice: the first that was put. */
  #ends = new Map();

  constructor(world) {
    this.#world = world;
  }

  appended(generation, slice) {
    return this.#appended.get(`${generation}-${slice}`) ?? 0;
  }

  added({ generation, slice, number }, { followedBy }) {
    const name = `${generation}-${slice}`;
    const end = this.#ends.get(name);
    this.#world.say(followedBy === undefined ? "page" : "end", name, number);
    if (followedBy !== undefined) {
      // Another one that removes the generation may put a second one where pages are gone.
      if (end === undefined) this.#ends.set(name, number);
    } else if (end === undefined)
      this.#appended.set(name, Math.max(this.appended(generation, slice), number + 1));
    else if (number < end) this.#world.items.get(keyOf(generation, slice, number)).isAgain = true;
    else throw new Violation(`page ${number} was added to slice ${name} behind its end, ${end}`);
  }

  remove(key) {
    this.removed++;
    this.#world.say("remove", key);
    const { generation } = this.#world.items.get("record");
    if (key.startsWith(`page-${generation}-`))
      throw new Violation(`${key} of the current generation was removed`);
  }

  /** A reader has ended without an error. */
  hasRead(generation, read, there) {
    for (const [slice, count] of there.entries())
      if (read[slice] < count)
        throw new Violation(`a reader of ${generation} has ${read[slice]} of ${count} pages`);
  }

  /** What the record no longer lists is gone. What was put after the end of its slice was known is put by those who rested. */
  check() {
    const { generation: current, old } = this.#world.items.get("record");
    for (let generation = 1; generation < current; generation++) {
      if (old.includes(generation)) continue;
      for (let slice = 0; slice < slices; slice++) this.#checkGone(generation, slice);
    }
  }

  #checkGone(generation, slice) {
    const { items } = this.#world;
    const end = this.#ends.get(`${generation}-${slice}`);
    if (end !== undefined && items.get(keyOf(generation, slice, end)) === undefined)
      throw new Violation(`the end of slice ${slice} of ${generation} is gone`);
    for (let number = 0; number < this.appended(generation, slice); number++) {
      const page = items.get(keyOf(generation, slice, number));
      if (page !== undefined && page.followedBy === undefined && !page.isAgain)
        throw new Violation(`page ${number} of slice ${slice} of ${generation} is left`);
    }
  }
}

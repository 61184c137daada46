import type { UnreadableItem } from "@tablekeep/journal/changes";
import type { UnreadableItems } from "../store/feed-record.ts";

/** The maximum number of items that are named. */
const maxNamed = 10;

/** Counts items of a journal that cannot be read, and names the first of them. */
export class UnreadableCount {
  #count = 0;
  readonly #items: UnreadableItems["items"][number][] = [];

  add({ persistenceId, sequenceNr, error }: UnreadableItem): void {
    this.#count++;
    if (this.#items.length < maxNamed) this.#items.push({ persistenceId, sequenceNr, code: error.code });
  }

  /** Adds the count of another one. */
  addAll(other: UnreadableCount): void {
    this.#count += other.#count;
    this.#items.push(...other.#items.slice(0, maxNamed - this.#items.length));
  }

  /** The count; undefined if there are none. */
  get found(): UnreadableItems | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, items: this.#items };
  }
}

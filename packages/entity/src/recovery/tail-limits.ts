/** How many of the last loads count. */
const remembered = 16;
/** The limit before anything is known: the events that usually follow a snapshot, and a few more. */
const firstLimit = 16;
/** More items than this are read in further pages, as without a limit. */
const maxLimit = 200;

/**
 * How many items to read of an entity first, by definition: as many as the largest of its last loads needed. Fewer would take a
 * second request, and more would be charged without being used.
 */
export class TailLimits {
  /** A ring of the last loads' items, by the definition's type, and how many loads there were. */
  readonly #loads = new Map<string, { readonly items: number[]; count: number }>();

  /** Returns the limit for the next load of an entity of this type. */
  limitOf(type: string): number {
    const items = this.#loads.get(type)?.items;
    return items === undefined ? firstLimit : Math.min(maxLimit, Math.max(1, ...items));
  }

  /** Records how many items a load needed. */
  record(type: string, items: number): void {
    let loads = this.#loads.get(type);
    if (loads === undefined) {
      loads = { items: new Array<number>(remembered).fill(firstLimit), count: 0 };
      this.#loads.set(type, loads);
    }
    loads.items[loads.count++ % remembered] = items;
  }
}

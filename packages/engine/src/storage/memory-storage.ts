import { type KeyRange, lowerBound, type Storage, type StorageKey } from "./storage.ts";

/** A leaf splits in two above this many entries. Small enough that inserting by moving its tail stays cheap. */
const maxLeafEntries = 256;

/** A run of adjacent entries. A leaf that a checkpoint refers to is copied before it is changed. */
interface Leaf {
  keys: StorageKey[];
  values: string[];
  shared: boolean;
}

/** The state of a memory storage at one moment. */
interface MemoryCheckpoint {
  readonly leaves: readonly Leaf[];
}

/** A storage that lives as long as the process: sorted leaves, searched by bisection. */
export class MemoryStorage implements Storage {
  /** Never empty; only the first leaf may have no entries. */
  #leaves: Leaf[] = [emptyLeaf()];

  get(key: StorageKey): string | undefined {
    const leaf = this.#leaves[this.#leafIndex(key)] as Leaf;
    const at = lowerBound(leaf.keys, key);
    return leaf.keys[at] === key ? leaf.values[at] : undefined;
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    if (range.reverse) this.#scanBackward(range, visit);
    else this.#scanForward(range, visit);
  }

  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void {
    for (const [key, value] of writes) {
      if (value === undefined) this.#delete(key);
      else this.#put(key, value);
    }
  }

  async close(): Promise<void> {
    this.#leaves = [emptyLeaf()];
  }

  /** Remembers the current state, at the price of one pass over the leaves. */
  checkpoint(): MemoryCheckpoint {
    for (const leaf of this.#leaves) leaf.shared = true;
    return { leaves: [...this.#leaves] };
  }

  /** Returns to a remembered state, which can be restored again later. */
  restore(checkpoint: MemoryCheckpoint): void {
    this.#leaves = [...checkpoint.leaves];
  }

  #scanForward(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    let index = this.#leafIndex(range.start);
    let at = lowerBound((this.#leaves[index] as Leaf).keys, range.start);
    for (; index < this.#leaves.length; index++, at = 0) {
      const { keys, values } = this.#leaves[index] as Leaf;
      for (; at < keys.length; at++) {
        const key = keys[at] as StorageKey;
        if (key >= range.end || !visit(key, values[at] as string)) return;
      }
    }
  }

  #scanBackward(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    let index = this.#leafIndex(range.end);
    let at = lowerBound((this.#leaves[index] as Leaf).keys, range.end) - 1;
    for (;;) {
      const { keys, values } = this.#leaves[index] as Leaf;
      for (; at >= 0; at--) {
        const key = keys[at] as StorageKey;
        if (key < range.start || !visit(key, values[at] as string)) return;
      }
      if (index === 0) return;
      at = (this.#leaves[--index] as Leaf).keys.length - 1;
    }
  }

  #put(key: StorageKey, value: string): void {
    const index = this.#leafIndex(key);
    const leaf = this.#writable(index);
    const at = lowerBound(leaf.keys, key);
    if (leaf.keys[at] === key) {
      leaf.values[at] = value;
      return;
    }
    leaf.keys.splice(at, 0, key);
    leaf.values.splice(at, 0, value);
    if (leaf.keys.length > maxLeafEntries) this.#split(index, leaf);
  }

  #delete(key: StorageKey): void {
    const index = this.#leafIndex(key);
    const at = lowerBound((this.#leaves[index] as Leaf).keys, key);
    if ((this.#leaves[index] as Leaf).keys[at] !== key) return;
    const leaf = this.#writable(index);
    leaf.keys.splice(at, 1);
    leaf.values.splice(at, 1);
    if (leaf.keys.length === 0 && this.#leaves.length > 1) this.#leaves.splice(index, 1);
  }

  #split(index: number, leaf: Leaf): void {
    // Keys that only grow (events, mail) then leave full leaves behind instead of half-empty ones.
    const appending = index === this.#leaves.length - 1;
    const half = appending ? leaf.keys.length - 1 : leaf.keys.length >> 1;
    const right: Leaf = { keys: leaf.keys.splice(half), values: leaf.values.splice(half), shared: false };
    this.#leaves.splice(index + 1, 0, right);
  }

  #writable(index: number): Leaf {
    const leaf = this.#leaves[index] as Leaf;
    if (!leaf.shared) return leaf;
    const copy = { keys: [...leaf.keys], values: [...leaf.values], shared: false };
    this.#leaves[index] = copy;
    return copy;
  }

  /** Returns the last leaf whose first key is not above `key`, or the first leaf. */
  #leafIndex(key: StorageKey): number {
    let low = 0;
    let high = this.#leaves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = (this.#leaves[middle] as Leaf).keys[0];
      if (first !== undefined && first <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function emptyLeaf(): Leaf {
  return { keys: [], values: [], shared: false };
}

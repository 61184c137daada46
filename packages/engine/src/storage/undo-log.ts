import type { StorageKey } from "./storage.ts";

export type Changes = ReadonlyMap<StorageKey, string | undefined>;

/** A remembered state: what the keys that changed since then held, up to the next remembered state. */
export class UndoPoint {
  readonly before: Map<StorageKey, string | undefined> = new Map();
  next: UndoPoint | undefined;
}

/**
 * Remembers states of a storage by what was overwritten since. Going back is an ordinary commit, so that states can be
 * restored in any order. A state that nobody holds any more costs nothing.
 */
export class UndoLog {
  #latest: WeakRef<UndoPoint> | undefined;

  /** Remembers the present state. */
  mark(): UndoPoint {
    const point = new UndoPoint();
    const former = this.#latest?.deref();
    if (former !== undefined) former.next = point;
    this.#latest = new WeakRef(point);
    return point;
  }

  /** To be told of every commit before it is made. */
  record(changes: Changes, read: (key: StorageKey) => string | undefined): void {
    const point = this.#latest?.deref();
    if (point === undefined) {
      this.#latest = undefined;
      return;
    }
    for (const key of changes.keys()) {
      if (!point.before.has(key)) point.before.set(key, read(key));
    }
  }

  /** Whether commits have to be recorded. */
  get active(): boolean {
    return this.#latest !== undefined;
  }

  /** The commit that leads back to a remembered state. */
  changesBackTo(point: UndoPoint): Map<StorageKey, string | undefined> {
    const changes = new Map(point.before);
    for (let later = point.next; later !== undefined; later = later.next) {
      for (const [key, value] of later.before) if (!changes.has(key)) changes.set(key, value);
    }
    return changes;
  }

  /** To be told once that commit is made. */
  wentBackTo(point: UndoPoint): void {
    if (point.next === undefined) point.before.clear();
  }
}

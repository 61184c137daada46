import type { StorageKey } from "./storage.ts";

export type Changes = ReadonlyMap<StorageKey, string | undefined>;

/** A remembered state: the former values of the keys that changed until the next remembered state. */
export class UndoPoint {
  readonly before: Map<StorageKey, string | undefined> = new Map();
  next: UndoPoint | undefined;
}

/**
 * Remembers states of a storage by the values that were overwritten since. Restoring is an ordinary commit, so
 * states can be restored in any order. A state that is no longer referenced costs nothing.
 */
export class UndoLog {
  #latest: WeakRef<UndoPoint> | undefined;

  /** Remembers the current state. */
  mark(): UndoPoint {
    const point = new UndoPoint();
    const former = this.#latest?.deref();
    if (former !== undefined) former.next = point;
    this.#latest = new WeakRef(point);
    return point;
  }

  /** Records a commit. Call it before each one. */
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

  /** True if commits have to be recorded. */
  get active(): boolean {
    return this.#latest !== undefined;
  }

  /** Returns the commit that restores a remembered state. */
  changesBackTo(point: UndoPoint): Map<StorageKey, string | undefined> {
    const changes = new Map(point.before);
    for (let later = point.next; later !== undefined; later = later.next) {
      for (const [key, value] of later.before) if (!changes.has(key)) changes.set(key, value);
    }
    return changes;
  }

  /** Call it after that commit. */
  afterRestore(point: UndoPoint): void {
    if (point.next === undefined) point.before.clear();
  }
}

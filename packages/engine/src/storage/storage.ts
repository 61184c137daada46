/**
 * What the engine needs from a key-value store: ordered keys, point reads, range scans, and one atomic, durable
 * commit. Reads show committed data only and are synchronous: none stays open across an await.
 */
export interface Storage {
  /** The folder; undefined in memory. */
  readonly path?: string;
  /** Publishes, through the folder, where its engine can be reached. */
  announce?(endpoint: string | undefined, access?: FolderAccess, listeners?: readonly FolderListener[]): void;
  get(key: StorageKey): string | undefined;
  /** Visits entries in key order until `visit` returns false. `visit` must not write. */
  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void;
  /**
   * Applies all writes or none; `undefined` deletes. They are durable and visible when this returns. Throws {@link
   * StorageFault} otherwise.
   */
  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void;
  /**
   * Like {@link commit}, but without waiting on the event loop; returns false if this storage would rather commit at
   * once. Until `ended` is called, with the fault if it failed, reads show the former state, and nothing else may be
   * committed. The writes become visible right before that call. Throws like {@link commit} if it cannot start.
   */
  commitInBackground?(
    writes: ReadonlyMap<StorageKey, string | undefined>,
    ended: (fault?: unknown) => void,
  ): boolean;
  /** Remembers the current state, at a cost that does not depend on how much is stored. */
  checkpoint(): object;
  /**
   * Returns to a remembered state of this storage, in one commit. States can be restored repeatedly and in any order.
   */
  restore(checkpoint: object): void;
  /** Closes the store. Call it once. */
  close(): Promise<void>;
}

/** A key: a string whose characters are bytes (0 to 255), ordered by these bytes. */
export type StorageKey = string;

/** The keys `start <= key < end`, in order or in reverse. */
export interface KeyRange {
  readonly start: StorageKey;
  readonly end: StorageKey;
  readonly reverse?: boolean;
}

/** Returns the least key above `key`. */
export function keyAfter(key: StorageKey): StorageKey {
  return `${key}\0`;
}

/** Returns the least key above all keys that begin with `prefix`. */
export function prefixEnd(prefix: StorageKey): StorageKey {
  let last = prefix.length - 1;
  while (prefix.charCodeAt(last) === 255) last--;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

/** Returns the index of the first key that is not below `key`. */
export function lowerBound(keys: readonly StorageKey[], key: StorageKey): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as StorageKey) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A failed commit. */
export class StorageFault extends Error {
  /**
   * `full`: no space, nothing was applied. `failed`: the disk reported an error, and the commit may have been
   * applied.
   */
  readonly reason: "full" | "failed";

  constructor(reason: "full" | "failed", message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** An address at which the owner of a folder accepts connections. */
export interface FolderListener {
  /** Its protocol or purpose in one word: `http`, `smtp`. */
  readonly name: string;
  readonly url: string;
}

/** A private endpoint for other programs of the same user: only they can read its keys, which are in the folder. */
export interface FolderAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

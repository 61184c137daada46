/**
 * What the engine needs of a key-value store: ordered keys, point reads, range scans, and one atomic, durable commit.
 * Reads show committed data only, and are synchronous: none is ever held open across an await.
 */
export interface Storage {
  /** The folder that it lies in; undefined in memory. */
  readonly path?: string;
  /** Tells other processes, through the folder, where its engine can be reached. */
  announce?(endpoint: string | undefined, access?: FolderAccess): void;
  get(key: StorageKey): string | undefined;
  /** Visits entries in key order until `visit` returns false. `visit` must not write. */
  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void;
  /**
   * Applies all writes or none; `undefined` deletes. They are durable and visible once this returns.
   * Throws {@link StorageFault} if they are not applied.
   */
  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void;
  /** Remembers the present state, at a price that does not depend on how much is stored. */
  checkpoint(): object;
  /** Goes back to a state that this storage remembered, in one commit. States can be restored again and in any order. */
  restore(checkpoint: object): void;
  /** Ends the store. May be called once. */
  close(): Promise<void>;
}

/** A key: a text whose characters are bytes (0 to 255). Its order is that of the bytes. */
export type StorageKey = string;

/** The keys `start <= key < end`, in order or in reverse. */
export interface KeyRange {
  readonly start: StorageKey;
  readonly end: StorageKey;
  readonly reverse?: boolean;
}

/** The least key above `key`. */
export function keyAfter(key: StorageKey): StorageKey {
  return `${key}\0`;
}

/** The least key above all keys that begin with `prefix`. */
export function prefixEnd(prefix: StorageKey): StorageKey {
  let last = prefix.length - 1;
  while (prefix.charCodeAt(last) === 255) last--;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

/** A commit that did not go through. */
export class StorageFault extends Error {
  /** `full`: no room, surely not applied. `failed`: the disk reported an error, and the commit may have been applied. */
  readonly reason: "full" | "failed";

  constructor(reason: "full" | "failed", message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** A private endpoint for other programs of the same user: only they can read the keys, which are in the folder. */
export interface FolderAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

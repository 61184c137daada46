import { metaKey } from "../catalog/storage-keys.ts";

/** Work on many entries, done in small pieces. It is stored, and goes on after a restart. */
export type Job = DropJob | FillIndexJob | FillExpiryJob;

/** Entries that nobody can reach any more are removed. */
export interface DropJob {
  readonly kind: "drop";
  /** What their keys begin with. */
  readonly prefixes: readonly string[];
  /** Single records that go with the last of them. */
  readonly keys: readonly string[];
}

/** Items that were there before an index are entered into it. */
export interface FillIndexJob {
  readonly kind: "fill-index";
  readonly tableName: string;
  readonly indexId: string;
  /** The key of the last item that was looked at; empty at the beginning. */
  readonly cursor: string;
}

/** Items that were there before expiry was switched on get their entries. */
export interface FillExpiryJob {
  readonly kind: "fill-expiry";
  readonly tableName: string;
  readonly expiryId: string;
  readonly cursor: string;
}

export const jobPrefix: string = metaKey("job/");

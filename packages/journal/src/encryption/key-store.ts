import type { MaybePromise } from "../codecs/maybe-promise.ts";

/** The data key of a subject, 32 bytes; `"forgotten"` if it was destroyed. */
export type SubjectKey = Uint8Array | "forgotten";

/** Where the keys of subjects are stored. One key per subject, permanently: it is created once, and forgotten once. */
export interface KeyStore {
  /**
   * Returns the key of a subject; undefined if it never had one.
   *
   * @example
   * const isForgotten = (await keys.get("customer-17")) === "forgotten";
   */
  get(subject: string): MaybePromise<SubjectKey | undefined>;
  /**
   * Returns the key of a subject, and creates it if there is none. A forgotten subject never gets another.
   *
   * @example
   * const key = await keys.getOrCreate("customer-17");
   */
  getOrCreate(subject: string): MaybePromise<SubjectKey>;
  /**
   * Destroys the key of a subject permanently. Its events and snapshots can no longer be decrypted, in any copy of the journal.
   *
   * @example
   * await keys.forget("customer-17");
   */
  forget(subject: string): Promise<void>;
}

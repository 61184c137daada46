import type { ValueChange } from "../merge/value-change.ts";
import type { ShadowCallOptions } from "../model/call-options.ts";
import type { ShadowName, ShadowView } from "./shadow-view.ts";

/** A point in the history of a shadow: a version, or a time. */
export type HistoryPoint = number | Date;

/** The entries of a history to read. */
export interface HistoryRequest extends ShadowName {
  /** Only entries that changed the value at this JSON pointer, or below it, such as `/reported/firmware`. @default all */
  readonly path?: string;
  /** Maximum number of entries per page, at most 1,000. @default 100 */
  readonly limit?: number;
  /** The `token` of the previous page. @default the newest entries */
  readonly token?: string;
}

/** One entry of a history. */
export interface HistoryEntry {
  readonly kind: "updated" | "deleted";
  /** The version that was stored or deleted. */
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  /** The client token of the write; "" for none. */
  readonly clientToken: string;
  /** Whether the previous entry is missing, so that `changes` may be incomplete. */
  readonly gap: boolean;
  /** The differences from the previous entry; after a gap, from the last known state, or from an empty one. */
  readonly changes: readonly ValueChange[];
}

/** One page of a history, newest entry first. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** On the first page: whether the shadow has changed after the newest entry, by a writer without history. */
  readonly gap: boolean;
  /** Where the next page begins; undefined after the last. */
  readonly token?: string;
}

/** Reads the versions of shadows that a store with `history` has kept. */
export interface ShadowHistory {
  /**
   * Returns the shadow as it was at a version or a time; undefined if that version is not kept, or if there was no shadow at that
   * time. Throws `SHADOW_HISTORY_GAP` for a time between two versions that do not follow each other.
   *
   * @example
   * const lamp = await manager.at({ id: "lamp" }, new Date("2026-11-01T12:00:00Z"));
   */
  at(shadow: ShadowName, point: HistoryPoint, options?: ShadowCallOptions): Promise<ShadowView | undefined>;
  /**
   * Returns the values that differ between two points. Throws `SHADOW_HISTORY_GAP` if a version is not kept.
   *
   * @example
   * const changes = await manager.diff({ id: "lamp" }, 3, 7);
   */
  diff(
    shadow: ShadowName,
    from: HistoryPoint,
    to: HistoryPoint,
    options?: ShadowCallOptions,
  ): Promise<readonly ValueChange[]>;
  /**
   * Returns entries, newest first.
   *
   * @example
   * const { entries } = await manager.history({ id: "lamp", path: "/reported/firmware" });
   */
  history(request: HistoryRequest, options?: ShadowCallOptions): Promise<HistoryPage>;
}

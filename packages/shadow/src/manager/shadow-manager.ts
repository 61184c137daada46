import type { Outcome, TablekeepError } from "@tablekeep/core";
import type { Connectivity } from "../connectivity/connectivity.ts";
import type { DocumentObject } from "../document/document-value.ts";
import type { ShadowGroups } from "../groups/shadow-groups.ts";
import type { ValueChange } from "../merge/value-change.ts";
import type { ShadowCallOptions } from "../model/call-options.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { ExpectedVersion, ListOptions, ListPage, Shadows } from "../store/shadows.ts";
import type { ShadowLimits, ShadowPolicy } from "./manager-options.ts";
import type { SearchPage, SearchRequest } from "./search-shadows.ts";
import type { ShadowHistory } from "./shadow-history.ts";
import type { ShadowName, ShadowView } from "./shadow-view.ts";

/** A change to both halves, or one. */
export interface UpdateRequest extends ShadowName {
  /** Merged into the reported state; null values remove keys, null removes everything. @default no change */
  readonly reported?: DocumentObject | null;
  /** Merged into the desired state; null values remove keys, null removes everything. @default no change */
  readonly desired?: DocumentObject | null;
  /** Fail with a conflict unless this is the current version. @default any */
  readonly version?: ExpectedVersion;
  /** Stored beside the document. @default "" */
  readonly clientToken?: string;
  /** When the values were measured, in milliseconds since 1970; `acknowledge` only. @default now */
  readonly timestamp?: number;
}

/** A change to one half. */
export interface HalfRequest extends Omit<UpdateRequest, "reported" | "desired"> {
  /** Merged into the half; null values remove keys, null removes everything. */
  readonly state: DocumentObject | null;
}

/** A delete. */
export interface DeleteRequest extends ShadowName {
  /** Delete only this version. @default any */
  readonly version?: ExpectedVersion;
}

/** A stored update. */
export interface ShadowUpdate {
  /** Undefined for a shadow that was created. */
  readonly previous?: ShadowView;
  readonly current: ShadowView;
  /** The change to each value in the request. */
  readonly changes: readonly ValueChange[];
  /** False if `acknowledge` found nothing to change, and wrote nothing. */
  readonly written: boolean;
}

/** A deleted shadow. */
export interface ShadowDeletion {
  /** The version of the document that was deleted. */
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
}

/** A change to a shadow. */
export type ShadowChange =
  | (ShadowId & { readonly kind: "updated"; readonly version: number; readonly update: ShadowUpdate })
  | (ShadowId & { readonly kind: "deleted"; readonly version: number; readonly deletion: ShadowDeletion });

/** The changes to report. */
export interface ChangeFilter {
  /** Only the changes of this thing. @default all things */
  readonly id?: string;
  /** Only the changes of shadows with this name. @default all names */
  readonly name?: string;
}

/** Options of a watch. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /** The maximum number of changes that wait for the consumer; one more ends the watch with an error. @default 1,000 */
  readonly maxWaiting?: number;
}

/** Merges requests into shadows. */
export interface ShadowManager extends ShadowHistory {
  readonly policy: ShadowPolicy;
  readonly limits: ShadowLimits;
  /** The underlying store. */
  readonly shadows: Shadows;
  /**
   * Returns the shadow; undefined if it does not exist.
   *
   * @example
   * const { delta } = (await manager.get({ id: "lamp" })) ?? {};
   */
  get(shadow: ShadowName, options?: ShadowCallOptions): Promise<ShadowView | undefined>;
  /**
   * Merges into the reported state.
   *
   * @example
   * await manager.report({ id: "lamp", state: { on: true } });
   */
  report(request: HalfRequest, options?: ShadowCallOptions): Promise<Outcome<ShadowUpdate>>;
  /**
   * Merges into the desired state.
   *
   * @example
   * await manager.desire({ id: "lamp", state: { on: true, level: null } });
   */
  desire(request: HalfRequest, options?: ShadowCallOptions): Promise<Outcome<ShadowUpdate>>;
  /**
   * Merges into both states in one write.
   *
   * @example
   * await manager.update({ id: "lamp", desired: null, reported: { on: true }, version: 7 });
   */
  update(request: UpdateRequest, options?: ShadowCallOptions): Promise<Outcome<ShadowUpdate>>;
  /**
   * Returns why an update of the current shadow would be rejected, for example by its schema or a limit; undefined if it would be accepted. Writes nothing.
   *
   * @example
   * const problem = await manager.check({ id: "lamp", desired: { on: true } });
   */
  check(request: UpdateRequest, options?: ShadowCallOptions): Promise<TablekeepError | undefined>;
  /**
   * Deletes a shadow. Its version is remembered for a while.
   *
   * @example
   * await manager.delete({ id: "lamp" });
   */
  delete(request: DeleteRequest, options?: ShadowCallOptions): Promise<Outcome<ShadowDeletion>>;
  /**
   * Lists stored items.
   *
   * @example
   * const { rows, token } = await manager.list({ id: "lamp" });
   */
  list(options?: ListOptions): Promise<ListPage>;
  /**
   * Returns the shadows that a query matches, page by page. Throws `SHADOW_QUERY_INVALID` with the place of the mistake.
   *
   * @example
   * const { shadows, token } = await manager.search({ query: 'reported.firmware < "2.1" and desired.on = true' });
   */
  search(request: SearchRequest, options?: ShadowCallOptions): Promise<SearchPage>;
  /**
   * Returns whether things are connected, by their names. Things that never connected to a server of this table are missing.
   *
   * @example
   * const lamp = (await manager.connectivity(["lamp"])).get("lamp");
   */
  connectivity(
    things: readonly string[],
    options?: ShadowCallOptions,
  ): Promise<ReadonlyMap<string, Connectivity>>;
  /** Groups of things, for queries such as `group = "kitchen"`. */
  readonly groups: ShadowGroups;
  /**
   * Calls `listener` for every change that this manager makes from now on. Returns a function that stops it.
   *
   * @example
   * const stop = manager.onChange((change) => console.log(change.version), { id: "lamp" });
   */
  onChange(listener: (change: ShadowChange) => void, filter?: ChangeFilter): () => void;
  /**
   * Returns the changes that this manager makes from now on, until the consumer or `signal` stops it.
   *
   * @example
   * for await (const change of manager.watch({ id: "lamp" })) console.log(change.version);
   */
  watch(filter?: ChangeFilter, options?: WatchOptions): AsyncIterableIterator<ShadowChange>;
}

import type { ShadowCallOptions } from "../model/call-options.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { SyncDirection } from "./plan-sync.ts";
import type { ConflictRule, MergeSide, StatePatch } from "./three-way-merge.ts";

/** A shadow in the cloud. */
export interface CloudShadow extends MergeSide {
  readonly version: number;
}

/**
 * The shadows of the cloud. Calls throw `SHADOW_CLOUD_REJECTED` if a retry cannot succeed, and `SHADOW_CLOUD_UNAVAILABLE` if it may; after
 * the latter a write may have been applied.
 */
export interface CloudShadows {
  /** The name of the cloud in stored items. The sync with each cloud is stored separately. */
  readonly name: string;
  /** Returns a shadow; undefined if there is none. */
  get(shadow: ShadowId, options: ShadowCallOptions): Promise<CloudShadow | undefined>;
  /** Merges a patch into a shadow of this version, or of any version if none is given. Returns the new version; undefined if the shadow has another one. */
  update(
    shadow: ShadowId,
    patch: StatePatch,
    version: number | undefined,
    options: ShadowCallOptions,
  ): Promise<number | undefined>;
  /** Deletes a shadow, if there is one: AWS IoT cannot delete a version. */
  delete(shadow: ShadowId, options: ShadowCallOptions): Promise<void>;
  /** Returns the names of a thing's named shadows. */
  names(thing: string, options: ShadowCallOptions): Promise<readonly string[]>;
}

/** How to sync a shadow. */
export interface SyncRequest extends ShadowId {
  /** @default "both" */
  readonly direction?: SyncDirection;
  /** Which value wins if both sides have changed it. @default "cloud" */
  readonly conflicts?: ConflictRule;
  /** Whether to return without a request to the cloud if nothing has changed here since the last sync. @default false */
  readonly onlyIfChangedHere?: boolean;
  /** Whether to retry a rejected shadow although neither side has changed. @default false */
  readonly retry?: boolean;
}

/** The result of a sync. */
export interface SyncResult {
  /**
   * `same`: there was nothing to do. `synced`: both sides were made the same. `rejected`: one side does not accept the state of the other, see
   * `problem`. `busy`: others write faster than this; try again.
   */
  readonly kind: "same" | "synced" | "rejected" | "busy";
  /** Values that both sides had changed. */
  readonly conflicts: number;
  readonly problem?: string;
}

/** The state of a synced shadow. */
export interface SyncStatus extends ShadowId {
  /** The versions at the last sync; 0 for none. */
  readonly localVersion: number;
  readonly cloudVersion: number;
  /** In milliseconds since 1970; undefined if it was never synced. */
  readonly syncedAt?: number;
  readonly problem?: string;
}

/** Keeps the shadows of a manager and of a cloud in sync. */
export interface ShadowSync {
  /**
   * Syncs one shadow. Safe after a crash between any two of its requests, and while others write to either side: every write is conditional on the
   * version that was read, except creations and deletions in the cloud.
   *
   * @example
   * const { kind, problem } = await sync.sync({ id: "lamp", name: "" });
   */
  sync(request: SyncRequest, options?: ShadowCallOptions): Promise<SyncResult>;
}

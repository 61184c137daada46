import type { CallOptions } from "@tablekeep/core";
import type { RewindTarget } from "./control/feed-cursors.ts";
import type { ParkedEvent } from "./control/parked-events.ts";
import type { ProjectionStatus } from "./control/projection-status.ts";
import type { ProjectionVerification } from "./control/verify-projection.ts";
import type { FailedEvent, ProjectionRecord } from "./store/projection-items.ts";

/** Selects a version. */
export interface VersionOptions extends CallOptions {
  /** @default the current one */
  readonly version?: number;
}

/** Options of reading parked events. */
export interface ParkedOptions extends VersionOptions {
  readonly persistenceId?: string;
  /** Maximum number of events. @default all */
  readonly limit?: number;
}

/** Selects parked events. */
export interface ParkedSelection extends VersionOptions {
  /** Only events of this id. @default all */
  readonly persistenceId?: string;
}

/** Selects parked events to remove: exactly one of the three. */
export interface DropSelection extends VersionOptions {
  /** All events of an id. */
  readonly persistenceId?: string;
  /** One event: later ones of its id are then applied. */
  readonly event?: { readonly slice: number; readonly offset: number };
  readonly all?: boolean;
}

/** Options of changes that are otherwise rejected while something depends on the version. */
export interface ForceOptions extends CallOptions {
  /** @default false */
  readonly force?: boolean;
}

/** Controls projections, also those of other processes. Every change is stored, and fences what earlier claims have in flight. */
export interface Projections {
  /**
   * Returns all projections, with their versions.
   *
   * @example
   * for (const { name, current } of await projections.list()) console.log(name, current);
   */
  list(options?: CallOptions): Promise<ProjectionRecord[]>;
  /**
   * Returns how far a version is, slice by slice.
   *
   * @example
   * const { lagEvents, state } = await projections.status("balances");
   */
  status(name: string, options?: VersionOptions): Promise<ProjectionStatus>;
  /**
   * Compares the positions and parked events of a version, or of all, with the feed. Does not read what the projection has written.
   *
   * @example
   * const { findings } = await projections.verify("balances");
   */
  verify(name: string, options?: VersionOptions): Promise<ProjectionVerification>;
  /**
   * Returns the version that readers use.
   *
   * @example
   * const table = `balances-${await projections.currentVersion("balances")}`;
   */
  currentVersion(name: string, options?: CallOptions): Promise<number>;
  /**
   * Returns the parked events, by slice and offset.
   *
   * @example
   * for (const { persistenceId, error } of await projections.parked("balances")) console.log(persistenceId, error);
   */
  parked(name: string, options?: ParkedOptions): Promise<ParkedEvent[]>;
  /**
   * Requests that parked events are applied again, those of an id in order. Returns the number of ids.
   *
   * @example
   * await projections.retryParked("balances");
   */
  retryParked(name: string, options?: ParkedSelection): Promise<number>;
  /**
   * Removes parked events without applying them. Returns how many.
   *
   * @example
   * await projections.dropParked("balances", { event: { slice: 3, offset: 17 } });
   */
  dropParked(name: string, options: DropSelection): Promise<number>;
  /**
   * Skips the event that stopped a slice, without applying it. Returns that event.
   *
   * @example
   * await projections.skip("balances", 3);
   */
  skip(name: string, slice: number, options?: VersionOptions): Promise<FailedEvent>;
  /**
   * Stops a version. Once it returns, nothing is applied until `resume`.
   *
   * @example
   * await projections.pause("balances");
   */
  pause(name: string, options?: VersionOptions): Promise<void>;
  /**
   * Continues a version that was paused or stopped: the event that stopped a slice is tried again.
   *
   * @example
   * await projections.resume("balances");
   */
  resume(name: string, options?: VersionOptions): Promise<void>;
  /**
   * Moves a version to another position. Events that it passes a second time are applied a second time.
   *
   * @example
   * await projections.rewind("balances", new Date("2026-01-01"));
   */
  rewind(name: string, to: RewindTarget, options?: VersionOptions): Promise<void>;
  /**
   * Makes a version the current one. Throws `PROJECTION_BEHIND` if it has not caught up.
   *
   * @example
   * await projections.switchTo("balances", 2);
   */
  switchTo(name: string, version: number, options?: ForceOptions): Promise<void>;
  /**
   * Removes a version, or all of a projection: its positions and parked events, not what it wrote. Throws `PROJECTION_IN_USE` while a
   * process runs it, and for the current version if there are others.
   *
   * @example
   * await projections.remove("balances", { version: 1 });
   */
  remove(name: string, options?: ForceOptions & { readonly version?: number }): Promise<void>;
}

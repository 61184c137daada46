import type { CallOptions } from "@tablekeep/core";
import { isFeedError } from "../../feed-error.ts";
import type { OpenFeed } from "../../open-feed.ts";
import { requestSignal } from "../../signals.ts";
import { feedChanged, type ProjectionError, positionAhead } from "../projection-error.ts";
import {
  type FailedEvent,
  type ProjectionMode,
  type ProjectionRecord,
  partitionOf,
  type SlicePosition,
  type VersionRecord,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";

/** The progress of a projection in one slice of the feed. */
export interface ProjectionSliceStatus {
  readonly slice: number;
  /** Number of events of the slice that the projection has passed. */
  readonly offset: number;
  /** Number of events that the slice has. */
  readonly events: number;
  readonly lagEvents: number;
  /** How long the next event has been in the feed, in milliseconds; 0 if there is none. */
  readonly lagMs: number;
  /** The process that applies its events; undefined if none does. */
  readonly owner?: string;
  readonly epoch: number;
  /** When its position was last moved, in milliseconds; 0 if it never was. */
  readonly movedAt: number;
  /** Why the last attempt failed, or why a page of the feed cannot be read; undefined if nothing is wrong. */
  readonly error?: string;
  /** The event that stopped the slice. */
  readonly failed?: FailedEvent;
}

/** The state of one version of a projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** The version that readers use, and all that there are. */
  readonly current: number;
  readonly versions: readonly number[];
  readonly mode: ProjectionMode;
  /**
   * `running`: events are applied when a process runs the projection. `stopped`: an event has stopped a slice, and the others continue; or the
   * feed was rebuilt, and nothing is applied; or the feed does not have the position of a slice, because its table was restored.
   */
  readonly state: "running" | "paused" | "stopped";
  /** Whether the feed was rebuilt: positions are those of the old feed, and nothing is applied until a higher version runs. */
  readonly outdated: boolean;
  readonly feed: { readonly name: string; readonly type?: string; readonly tag?: string };
  readonly createdAt: number;
  readonly slices: readonly ProjectionSliceStatus[];
  /** The sum over all slices. */
  readonly lagEvents: number;
  /** The longest of all slices. */
  readonly lagMs: number;
  /** Number of events that processes applied per second, as they reported last. */
  readonly eventsPerSecond: number;
  /** Number of parked events. */
  readonly parked: number;
  readonly lastError?: string;
  /** The processes that run it. */
  readonly runners: readonly string[];
}

/** Reads the progress of a version. */
export async function projectionStatus(
  store: ProjectionStore,
  feed: OpenFeed,
  registry: ProjectionRecord,
  { record, slices }: { readonly record: VersionRecord; readonly slices: readonly SlicePosition[] },
  options: CallOptions,
): Promise<ProjectionStatus> {
  const { deadlineMs } = options;
  const call = { deadlineMs, signal: options.signal && requestSignal(options.signal) };
  const { name, version, mode, type, tag, paused, createdAt } = record;
  const runners = await store.runners(call);
  const alive = new Set(runners.map(({ runner }) => runner));
  const { slices: ends, generation } = await feed.status(call);
  const context = { store, feed, record, alive, call };
  const each = await Promise.all(
    slices.map((position) => sliceStatus(context, position, ends[position.slice])),
  );
  let parked = 0;
  for await (const _row of store.parked(record, undefined, call)) parked++;
  const own = runners.filter(({ runs }) => runs.has(partitionOf(record)));
  const outdated = generation === record.generation ? undefined : feedChanged(record.generation, generation);
  const isKnown = ({ slice }: ProjectionSliceStatus) => ends[slice]?.error === undefined;
  const cannotContinue = outdated ?? aheadOf(record, each.filter(isKnown));
  const isStopped = cannotContinue !== undefined || each.some(({ failed }) => failed !== undefined);
  const lastError =
    (cannotContinue && `${cannotContinue.code}: ${cannotContinue.message}`) ??
    each.find(({ failed }) => failed !== undefined)?.failed?.error ??
    each.find(({ error }) => error !== undefined)?.error;
  return {
    name,
    version,
    current: registry.current,
    versions: registry.versions,
    mode,
    state: paused ? "paused" : isStopped ? "stopped" : "running",
    outdated: outdated !== undefined,
    feed: { name: record.feed, ...(type !== undefined && { type }), ...(tag !== undefined && { tag }) },
    createdAt,
    slices: each,
    lagEvents: each.reduce((sum, { lagEvents }) => sum + lagEvents, 0),
    lagMs: Math.max(0, ...each.map(({ lagMs }) => lagMs)),
    eventsPerSecond: own.reduce((sum, { runs }) => sum + (runs.get(partitionOf(record)) ?? 0), 0),
    parked,
    ...(lastError !== undefined && { lastError }),
    runners: own.map(({ runner }) => runner),
  };
}

/**
 * Returns the error of the first slice whose position the feed does not have. The positions were read before the ends of the feed, so none is
 * beyond them by chance. Once the feed has as many events again, the finding of the last process counts.
 */
function aheadOf(
  record: VersionRecord,
  slices: readonly ProjectionSliceStatus[],
): ProjectionError<"PROJECTION_POSITION_AHEAD"> | undefined {
  const code = "PROJECTION_POSITION_AHEAD";
  const ahead = slices.find(({ offset, events, error }) => offset > events || error?.startsWith(code));
  return ahead && positionAhead(record, ahead.slice, ahead.offset);
}

interface StatusContext {
  readonly store: ProjectionStore;
  readonly feed: OpenFeed;
  readonly record: VersionRecord;
  /** The runners that count as alive. */
  readonly alive: ReadonlySet<string>;
  readonly call: CallOptions;
}

/** Reads the progress of a version in one slice with this number of events. A corrupt page is reported and not thrown: other slices do not depend on it. */
async function sliceStatus(
  { store, feed, record, alive, call }: StatusContext,
  { slice, offset, page: number, owner, epoch, movedAt, error, failed }: SlicePosition,
  { events = 0, error: corruptEnd }: { readonly events?: number; readonly error?: string } = {},
): Promise<ProjectionSliceStatus> {
  const { generation } = record;
  const lagEvents = Math.max(0, events - offset);
  let corruptPage: string | undefined;
  const readPage = () =>
    feed.store.pages.read({ generation, slice, number }, call).catch((corrupt: unknown) => {
      if (!isFeedError(corrupt, "FEED_PAGE_CORRUPT")) throw corrupt;
      corruptPage = `${corrupt.code}: ${corrupt.message}`;
      return undefined;
    });
  const page = lagEvents === 0 ? undefined : await readPage();
  const shownError = error ?? corruptPage ?? corruptEnd;
  return {
    slice,
    offset,
    events,
    lagEvents,
    lagMs: page === undefined ? 0 : Math.max(0, store.context.clock.now() - page.at),
    ...(owner !== undefined && alive.has(owner) && { owner }),
    epoch,
    movedAt,
    ...(shownError !== undefined && { error: shownError }),
    ...(failed !== undefined && { failed }),
  };
}

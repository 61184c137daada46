import { backoffMs, newWriteId } from "@tablekeep/client";
import {
  checkPort,
  type DynamoPort,
  optionCheck,
  silentLogger,
  sleep,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { isFeedError } from "../feed-error.ts";
import { type OpenFeed, openFeedParts } from "../open-feed.ts";
import { requestSignal } from "../signals.ts";
import type { FeedRecord } from "../store/feed-record.ts";
import { ItemKeys } from "./apply/item-keys.ts";
import type { Projection } from "./projection.ts";
import { optionInvalid, ProjectionError } from "./projection-error.ts";
import { checkRunOptions, defaultTable, type RunProjectionsOptions } from "./projection-options.ts";
import { PageWaiter } from "./run/page-waiter.ts";
import { Runner } from "./run/runner.ts";
import type { RunningProjections } from "./running-projections.ts";
import { ProjectionStore } from "./store/projection-store.ts";

/**
 * Runs projections until it is stopped. Any number of processes may run the same ones: they share the slices of the feed. Creates what
 * is stored about a projection, and needs the table of `projectionTableSpec`.
 *
 * @example
 * await using running = await runProjections(port, [balances], { feed: { journal: { table: "events" } } });
 * await running.reached(balances, { persistenceId: "account|1", sequenceNr: 7 });
 */
export async function runProjections(
  port: DynamoPort,
  projections: readonly Projection[],
  options: RunProjectionsOptions = {},
): Promise<RunningProjections> {
  checkPort(port, optionInvalid);
  checkRunOptions(options);
  checkNames(projections);
  const { clock = systemClock, random = systemRandom, logger = silentLogger, deadlineMs = 10_000 } = options;
  const { table = defaultTable, leaseMs = 15_000, pollMs = 1000 } = options;
  const feed = await openFeedParts(port, { clock, random, logger, deadlineMs, ...options.feed });
  const store = new ProjectionStore({ port, table, clock, random, deadlineMs });
  const stop = new AbortController();
  // Removed when the projections stop: the caller's signal may outlive them.
  options.signal?.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
  if (options.signal?.aborted === true) stop.abort();
  const sequencing = options.sequencer === false ? undefined : runSequencer(feed, options, stop.signal);
  try {
    const record = await feedRecord(feed, options, sequencing, stop.signal);
    for (const projection of projections) await register(store, feed, record, projection);
    const pages = new PageWaiter(feed, record.generation, { clock, logger, pollMs });
    const itemKeys = new ItemKeys(port);
    const shared = { port, store, feed, record, pages, itemKeys, clock, random, logger };
    const runner = new Runner(
      { ...shared, runner: newWriteId(), leaseMs },
      projections,
      stop,
      sequencing?.done,
    );
    await runner.begin();
    return runner;
  } catch (error) {
    stop.abort();
    await sequencing?.done;
    throw error;
  }
}

function checkNames(projections: readonly Projection[]): void {
  const isProjection = optionCheck.objectWith("handle");
  const reason = optionCheck.arrayOf((each) =>
    isProjection((each as Partial<Projection> | null)?.definition),
  )(projections);
  if (reason !== undefined)
    throw optionInvalid("projections", "must be an array of projections from defineProjection");
  const names = projections.map(({ name, version }) => `${name} (version ${version})`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw optionInvalid("projections", `must not contain ${twice} twice`);
}

interface Sequencing {
  readonly done: Promise<void>;
  /** Rejects with the first failure. */
  readonly failed: Promise<never>;
}

/** Adds events to the feed. A failure is logged and retried: projections continue with what is in the feed. */
function runSequencer(feed: OpenFeed, options: RunProjectionsOptions, signal: AbortSignal): Sequencing {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  const run = async () => {
    for (let failures = 0; !signal.aborted; failures++) {
      await feed.run({ signal }).catch((error: unknown) => {
        logger.error("the sequencer of a feed failed; restarting", { error });
        fail(error);
      });
      if (!signal.aborted)
        await sleep(clock, backoffMs(Math.min(failures, 9), random), signal).catch(() => {});
    }
  };
  return { done: run(), failed };
}

/** Returns the feed's record. If this process runs the sequencer, that creates it. */
async function feedRecord(
  feed: OpenFeed,
  { clock = systemClock }: RunProjectionsOptions,
  sequencing: Sequencing | undefined,
  signal: AbortSignal,
): Promise<FeedRecord> {
  const call = { signal: requestSignal(signal) };
  for (let waitMs = 10; ; waitMs = Math.min(1000, waitMs * 2)) {
    try {
      return await feed.record(call);
    } catch (error) {
      if (sequencing === undefined || !isFeedError(error, "FEED_UNKNOWN")) throw error;
      if (signal.aborted) throw new ProjectionError("PROJECTION_ABORTED", "the signal aborted the start", {});
      await Promise.race([sleep(clock, waitMs, signal).catch(() => {}), sequencing.failed]);
    }
  }
}

/** Stores a version, or checks that the stored one is the same. */
async function register(
  store: ProjectionStore,
  feed: OpenFeed,
  { generation, slices }: FeedRecord,
  { name, version, mode, definition }: Projection,
): Promise<void> {
  const { type, tag } = definition.feed ?? {};
  const stored = await store.version({ name, version });
  if (stored === "removing") {
    const message = `version ${version} of projection ${name} is being removed (try again later; if its removal was interrupted, remove it again)`;
    throw new ProjectionError("PROJECTION_CHANGE_CONTENDED", message, { name, version });
  }
  if (stored === undefined) {
    const createdAt = Math.floor(store.context.clock.now());
    const record = {
      name,
      version,
      mode,
      feed: feed.name,
      generation,
      slices,
      paused: false,
      revision: 0,
      createdAt,
    };
    await store.createVersion({
      ...record,
      ...(type !== undefined && { type }),
      ...(tag !== undefined && { tag }),
    });
    return;
  }
  if (stored.generation !== generation || stored.slices !== slices || stored.feed !== feed.name) {
    const message = `version ${version} of projection ${name} follows generation ${stored.generation} of feed ${stored.feed}, not generation ${generation} of feed ${feed.name} (raise the version of the projection)`;
    const details = { name, version, generation: stored.generation, current: generation };
    throw new ProjectionError("PROJECTION_FEED_CHANGED", message, details);
  }
  if (stored.mode !== mode || stored.type !== type || stored.tag !== tag)
    throw optionInvalid(
      "version",
      `must be raised: version ${version} of ${name} is stored with another mode, type or tag`,
    );
}

import { type Clock, type DynamoPort, type Logger, type Random, silentLogger } from "@tablekeep/core";
import type { OpenFeed } from "../../open-feed.ts";
import { requestSignal } from "../../signals.ts";
import type { FeedRecord } from "../../store/feed-record.ts";
import { storeError } from "../apply/apply-group.ts";
import type { ItemKeys } from "../apply/item-keys.ts";
import { SliceHold } from "../apply/slice-hold.ts";
import { cursorOfOffset } from "../control/feed-cursors.ts";
import type { Projection } from "../projection.ts";
import type { RunningStatus } from "../running-projections.ts";
import {
  type ProjectionVersion,
  partitionOf,
  type RunnerRecord,
  type SlicePosition,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";
import { errorText, messageOf } from "./error-text.ts";
import { externalOffset } from "./external-position.ts";
import type { PageWaiter } from "./page-waiter.ts";
import { SliceReader } from "./slice-reader.ts";
import { SliceWorker } from "./slice-worker.ts";

/** Shared by all projections of a process. */
export interface RunnerContext {
  readonly port: DynamoPort;
  readonly store: ProjectionStore;
  readonly feed: OpenFeed;
  readonly record: FeedRecord;
  readonly pages: PageWaiter;
  readonly itemKeys: ItemKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly runner: string;
  /** Called when a slice was lost or has moved. */
  readonly onLost: () => void;
  readonly onMoved: () => void;
}

/** The number of slices that are claimed concurrently. */
const claimsAtOnce = 8;

interface Working {
  readonly epoch: number;
  readonly ending: AbortController;
  readonly done: Promise<void>;
  readonly hold: SliceHold;
}

/** One projection in this process, with its slices here. */
export class RunningProjection {
  readonly projection: Projection;
  readonly #context: RunnerContext;
  readonly #working = new Map<number, Working>();
  readonly #starting = new Set<number>();
  #events = 0;
  #counted = { events: 0, at: 0 };
  #lastError: string | undefined;
  #hasStopped = false;

  constructor(projection: Projection, context: RunnerContext) {
    this.projection = projection;
    this.#context = context;
    this.#counted.at = context.clock.monotonic();
  }

  get name(): string {
    return partitionOf(this.projection);
  }

  /** Events per second since the last call. */
  takeRate(): number {
    const now = this.#context.clock.monotonic();
    const { events, at } = this.#counted;
    this.#counted = { events: this.#events, at: now };
    return now > at ? ((this.#events - events) * 1000) / (now - at) : 0;
  }

  /**
   * Compares the stored state with what runs here: gives up slices, and claims others. Does not wait for a claimed slice to begin, and a slice
   * that cannot be claimed delays no other: the lease of the process is renewed between two calls.
   */
  async sync(runners: readonly RunnerRecord[]): Promise<void> {
    const { store, runner } = this.#context;
    const found = await store.positions(this.projection, undefined, false);
    if (found === undefined || found.record.paused) return this.#endAll();
    const share = fairShare(this.projection, found.record.slices, runners, runner);
    const alive = new Set(runners.map((each) => each.runner));
    const free: SlicePosition[] = [];
    for (const position of found.slices) {
      const working = this.#working.get(position.slice);
      if (working !== undefined) {
        if (position.epoch > working.epoch || !share.has(position.slice)) working.ending.abort();
        continue;
      }
      const isFree = position.owner === undefined || position.owner === runner || !alive.has(position.owner);
      if (isFree && share.has(position.slice) && position.failed === undefined) free.push(position);
    }
    await this.#claimAll(free);
  }

  /** Claims slices, a few at once. Throws the first failure after all were tried. */
  async #claimAll(free: readonly SlicePosition[]): Promise<void> {
    const left = free.values();
    const failures: unknown[] = [];
    const worker = async () => {
      for (const seen of left) await this.#claim(seen).catch((error: unknown) => failures.push(error));
    };
    await Promise.all(Array.from({ length: claimsAtOnce }, worker));
    if (failures.length > 0) throw failures[0];
  }

  async #claim(seen: SlicePosition): Promise<void> {
    const { slice } = seen;
    if (this.#hasStopped || this.#starting.has(slice)) return;
    this.#starting.add(slice);
    try {
      const { store, runner } = this.#context;
      const hold = await SliceHold.claim(store, this.projection, runner, seen);
      if (hold === undefined) return;
      const ending = new AbortController();
      hold.ending = requestSignal(ending.signal);
      const done = this.#work(hold).then((hasBegun) => {
        this.#working.delete(slice);
        if (hasBegun && !ending.signal.aborted) this.#context.onLost();
      });
      this.#working.set(slice, { epoch: hold.epoch, ending, done, hold });
      if (this.#hasStopped) ending.abort();
    } finally {
      this.#starting.delete(slice);
    }
  }

  /** Works on a slice until it is given up, and frees it. Returns whether it could begin. Never rejects. */
  async #work(hold: SliceHold): Promise<boolean> {
    const reader = this.#reader(hold.slice);
    let previous: number | undefined;
    try {
      previous = await this.#loadPosition(hold);
      await reader.checkCursor(hold.cursor);
    } catch (error) {
      await this.#giveUp(hold, error);
      return false;
    }
    await this.#worker(hold, reader, previous)
      .run()
      .catch((error: unknown) => this.#failed(error))
      .then(() => hold.release())
      .catch((error: unknown) => this.#failed(error));
    return true;
  }

  /** An external position is read from the other database. */
  async #loadPosition(hold: SliceHold): Promise<number | undefined> {
    if (this.projection.mode !== "external") return undefined;
    const { feed, clock } = this.#context;
    const stored = await externalOffset(this.projection, hold.slice, clock, hold.ending);
    const next = stored === undefined ? 0 : stored + 1;
    if (next !== hold.cursor.offset) await hold.moveTo(await cursorOfOffset(feed, hold.slice, next, {}));
    return stored;
  }

  /** Frees a slice that cannot be worked on now. The other slices go on, and the next sync tries it again. */
  async #giveUp(hold: SliceHold, error: unknown): Promise<void> {
    if (!hold.ending.aborted) {
      this.#failed(error);
      const { logger = silentLogger } = this.#context;
      const { slice } = hold;
      logger.warn("a slice of a projection cannot continue", { projection: this.name, slice, error });
      await storeError(hold, errorText(error)).catch(() => {});
    }
    await hold.release().catch((failure: unknown) => this.#failed(failure));
  }

  #reader(slice: number): SliceReader {
    const { feed, record } = this.#context;
    const { type, tag } = this.projection.definition.feed ?? {};
    return new SliceReader(feed, record, slice, { type, tag }, this.projection);
  }

  #worker(hold: SliceHold, reader: SliceReader, previous: number | undefined): SliceWorker {
    const { record, pages, clock, random, port, itemKeys, onMoved, store, feed } = this.#context;
    const { logger = silentLogger } = this.#context;
    return new SliceWorker(
      hold,
      {
        projection: this.projection,
        port,
        itemKeys,
        reserved: new Map([
          [feed.changes.table, "the journal's table, whose changes are in the stream that the feed reads"],
          [store.context.table, "the table of the positions of projections"],
        ]),
        clock,
        random,
        logger,
        reader,
        pages,
        generation: record.generation,
        deadlineMs: store.context.deadlineMs,
        signal: hold.ending,
        onMoved: (handled) => {
          this.#events += handled;
          onMoved();
        },
        onError: (error) => this.#failed(error),
      },
      previous,
    );
  }

  #failed(error: unknown): void {
    this.#lastError = messageOf(error);
  }

  #endAll(): void {
    for (const { ending } of this.#working.values()) ending.abort();
  }

  /** The cursor of a slice that this process has claimed; undefined if another may have it. */
  cursorOf(
    slice: number,
  ): { readonly offset: number; readonly page: number; readonly skip: number } | undefined {
    return this.#working.get(slice)?.hold.cursor;
  }

  status(): RunningStatus {
    const { name, version } = this.projection;
    return {
      name,
      version,
      slices: [...this.#working.keys()].toSorted((one, other) => one - other),
      events: this.#events,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  /** Ends after the groups in flight. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#endAll();
    await Promise.all([...this.#working.values()].map(({ done }) => done));
  }
}

/**
 * Returns the slices that a runner should have: all runners that are alive compute the same, without a coordinator. Projections begin with
 * different runners, so that those with few slices are not all in one process.
 */
function fairShare(
  version: ProjectionVersion,
  slices: number,
  runners: readonly RunnerRecord[],
  me: string,
): Set<number> {
  const name = partitionOf(version);
  const sharing = runners.filter(({ runs }) => runs.has(name)).map(({ runner }) => runner);
  const all = [...new Set([...sharing, me])].toSorted();
  let shift = 7;
  for (let at = 0; at < name.length; at++) shift = (shift * 31 + name.charCodeAt(at)) % 65_521;
  const own = all.indexOf(me);
  const share = new Set<number>();
  for (let slice = 0; slice < slices; slice++) if ((slice + shift) % all.length === own) share.add(slice);
  return share;
}

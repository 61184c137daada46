import { setMaxListeners } from "node:events";
import { type Clock, type DynamoPort, type Logger, sleep } from "@tablekeep/core";
import {
  type ChangeFeed,
  type CloudShadows,
  isShadowError,
  readSyncStatuses,
  type ShadowId,
  type ShadowManager,
  type ShadowSync,
} from "@tablekeep/shadow";
import type { ShadowSyncConfig } from "../../setting-files/shadow-sync-file.ts";
import { StatusReporter } from "../service-status.ts";
import { whileTableLeased } from "../table-lease.ts";
import { type ChosenShadows, chooseShadows } from "./choose-shadows.ts";
import { type SyncMark, SyncMarks } from "./sync-marks.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

/** Dependencies of the sync. */
export interface RunSyncOptions {
  readonly config: ShadowSyncConfig;
  readonly sync: ShadowSync;
  readonly cloud: CloudShadows;
  readonly manager: Pick<ShadowManager, "list">;
  /** The changes made here. Changes that it misses are found when all shadows are read. */
  readonly feed: Pick<ChangeFeed, "listen">;
  readonly metrics: SyncMetrics;
  readonly port: DynamoPort;
  readonly table: string;
  /** Whether other servers may use the same table. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time until another server takes over from a killed one, in milliseconds. @default 15,000 */
  readonly leaseMs?: number;
}

/** The prefix of the name under which the status of the sync with a cloud is stored; the host follows. */
export const syncService = "shadow sync with ";
const errorLine = "last error: ";
/** Milliseconds between two reads of the whole table, which find shadows that no change has announced. */
const fullMs = 600_000;
/** Shadows that are synced at a time. */
const inFlight = 8;
const maxShadows = 100_000;
/** The wait after the first failure in milliseconds; it doubles up to the longest. */
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;

/**
 * Keeps shadows of a store and of a cloud the same. A change here marks its shadow, and every few seconds all shadows are marked; marked shadows are
 * synced. The marks are in memory only: the versions in the table and in the cloud show what has to be copied, so losing the marks loses
 * nothing. Of several servers on one table, one at a time does this.
 */
export class RunningSync {
  readonly #options: RunSyncOptions;
  readonly #chosen: ChosenShadows;
  readonly #status: StatusReporter;
  readonly #marks = new SyncMarks(maxShadows);
  readonly #known = new Map<string, ShadowId>();
  /** Things that may have more shadows in the cloud, and those whose shadows have not been listed yet. */
  readonly #things = new Set<string>();
  readonly #unlisted = new Set<string>();
  readonly #problems = new Map<string, string>();
  readonly #end = new AbortController();
  #stopListening: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #isLeading = false;
  #failures = 0;
  #pausedUntil = 0;
  #lastError = "";

  constructor(options: RunSyncOptions) {
    this.#options = options;
    this.#chosen = chooseShadows(options.config.shadows);
    const { port, table, cloud, metrics, clock, logger } = options;
    this.#status = new StatusReporter({ port, table, service: syncService + cloud.name, clock, logger });
    metrics.waiting = () => this.#marks.size;
    // Every request to the cloud adds a listener.
    setMaxListeners(0, this.#end.signal);
  }

  start(): void {
    const { port, table, isShared, leaseMs = 15_000, clock, logger, config, feed } = this.#options;
    const { signal } = this.#end;
    this.#stopListening = feed.listen(({ id, name }) => {
      if (!this.#isLeading) return;
      if (config.realtime !== false) this.#mark({ id, name }, "changed");
      // A shadow that is new here is synced when all are marked.
      else this.#notice({ id, name });
    });
    const key = { PK: { S: "SYNC#lease" }, SK: { S: "lease" } };
    const lead = (leading: AbortSignal) => this.#lead(leading);
    this.#running = isShared
      ? whileTableLeased({ port, table, key, leaseMs, clock, logger }, signal, lead)
      : lead(signal);
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#end.abort(new Error("the server is stopping"));
    await this.#running;
    await this.#status.close();
  }

  /** Never rejects. */
  async #lead(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    this.#isLeading = true;
    try {
      const workers = Array.from({ length: inFlight }, () => this.#work(signal));
      await Promise.all([this.#passes(signal), ...workers]);
    } finally {
      this.#isLeading = false;
      this.#marks.clear();
    }
  }

  /** Marks all shadows periodically. Never rejects. */
  async #passes(signal: AbortSignal): Promise<void> {
    const { clock, logger, config } = this.#options;
    let fullAt = Number.NEGATIVE_INFINITY;
    let why: SyncMark["why"] = "start";
    while (!signal.aborted) {
      try {
        if (clock.monotonic() - fullAt >= fullMs) {
          await this.#findShadows(signal);
          fullAt = clock.monotonic();
        }
        await this.#findNamed(signal);
        for (const shadow of this.#known.values()) this.#mark(shadow, why);
        why = "poll";
      } catch (error) {
        if (signal.aborted) return;
        logger.warn("could not list the shadows to sync; trying again", { reason: messageOf(error) });
        this.#lastError = messageOf(error);
      }
      this.#report();
      await sleep(clock, (config.everySeconds ?? 10) * 1000, signal, { background: true }).catch(
        () => undefined,
      );
    }
  }

  /** Finds the shadows to sync: those that the file names, that were synced before, and that exist here. */
  async #findShadows(signal: AbortSignal): Promise<void> {
    const { port, table, manager, cloud } = this.#options;
    this.#known.clear();
    this.#things.clear();
    for (const shadow of this.#chosen.named) this.#know(shadow);
    for await (const { id, name, problem } of readSyncStatuses(port, cloud.name, { table }, { signal })) {
      this.#know({ id, name });
      if (problem !== undefined) this.#problems.set(keyOf({ id, name }), problem);
    }
    let token: string | undefined;
    do {
      const page = await manager.list({ token, signal });
      for (const { id, name } of page.rows) this.#know({ id, name });
      token = page.token;
    } while (token !== undefined);
  }

  /** Lists the named shadows of things in the cloud: of each as soon as it is known, and of all after every read of the table. */
  async #findNamed(signal: AbortSignal): Promise<void> {
    const { cloud, logger } = this.#options;
    for (const thing of this.#unlisted) {
      try {
        for (const name of await cloud.names(thing, { signal })) this.#know({ id: thing, name });
        this.#unlisted.delete(thing);
      } catch (error) {
        signal.throwIfAborted();
        logger.warn("could not list the named shadows in the cloud; trying again", {
          thing,
          reason: messageOf(error),
        });
        // A shadow without permission does not delay the others; an unavailable cloud delays all.
        if (!isShadowError(error, "SHADOW_CLOUD_REJECTED")) return;
        this.#unlisted.delete(thing);
      }
    }
  }

  #know(shadow: ShadowId): void {
    if (this.#chosen.entryOf(shadow) === undefined) return;
    if (this.#known.size >= maxShadows && !this.#known.has(keyOf(shadow)))
      throw new Error(`more than ${maxShadows} shadows are to be synced: name fewer in the file`);
    this.#add(shadow);
  }

  #add(shadow: ShadowId): void {
    const isNew = !this.#known.has(keyOf(shadow));
    this.#known.set(keyOf(shadow), shadow);
    if (isNew && !this.#things.has(shadow.id) && this.#chosen.mayHaveMore(shadow.id)) {
      this.#things.add(shadow.id);
      this.#unlisted.add(shadow.id);
    }
  }

  #mark({ id, name }: ShadowId, why: SyncMark["why"]): void {
    if (this.#notice({ id, name })) this.#marks.add({ id, name, why });
  }

  /** Adds a shadow to the known ones, if there is space. Returns whether it is to be synced. */
  #notice(shadow: ShadowId): boolean {
    if (this.#chosen.entryOf(shadow) === undefined) return false;
    if (this.#known.size < maxShadows) this.#add(shadow);
    return true;
  }

  /** Syncs marked shadows until the signal aborts. Never rejects. */
  async #work(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    while (!signal.aborted) {
      const pauseMs = this.#pausedUntil - clock.monotonic();
      if (pauseMs > 0) {
        await sleep(clock, pauseMs, signal, { background: true }).catch(() => undefined);
        continue;
      }
      const { changed } = this.#marks;
      const mark = this.#marks.take();
      if (mark === undefined) await Promise.race([changed, aborted]);
      else await this.#sync(mark, signal);
    }
  }

  async #sync(mark: SyncMark, signal: AbortSignal): Promise<void> {
    const { sync, config, metrics } = this.#options;
    const { id, name, why } = mark;
    const direction = this.#chosen.entryOf(mark)?.direction ?? "both";
    const onlyIfChangedHere = why === "changed" || (why === "poll" && direction === "toCloud");
    try {
      const request = {
        id,
        name,
        direction,
        conflicts: config.conflicts,
        onlyIfChangedHere,
        retry: why === "start",
      };
      const { kind, conflicts, problem } = await sync.sync(request, { signal });
      metrics.outcomes.count(kind);
      for (let n = 0; n < conflicts; n++) metrics.conflicts.count();
      if (kind === "busy") this.#marks.add(mark);
      this.#logProblem(mark, problem);
      if (!onlyIfChangedHere || kind === "synced") this.#failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      metrics.outcomes.count("failed");
      this.#marks.add(mark);
      this.#failed(error);
    } finally {
      this.#marks.done(mark);
      if (!signal.aborted) this.#report();
    }
  }

  /** Logs a problem of a shadow once. */
  #logProblem(shadow: ShadowId, problem: string | undefined): void {
    const key = keyOf(shadow);
    if (problem !== undefined && this.#problems.get(key) !== problem)
      this.#options.logger.error("a shadow cannot be synced", {
        thing: shadow.id,
        name: shadow.name,
        problem,
      });
    if (problem === undefined) this.#problems.delete(key);
    else this.#problems.set(key, problem);
  }

  /** After a failure everything waits. The first of several is logged. */
  #failed(error: unknown): void {
    const { clock, logger } = this.#options;
    const now = clock.monotonic();
    this.#lastError = messageOf(error);
    // Requests that were in flight together fail together, and count as one failure.
    if (now < this.#pausedUntil) return;
    if (this.#failures === 0)
      logger.warn("could not sync shadows; trying again", { reason: messageOf(error) });
    this.#pausedUntil = now + Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(this.#failures, 10));
    this.#failures++;
  }

  #report(): void {
    this.#status.report(() => this.#lines());
  }

  #lines(): readonly string[] {
    const { size } = this.#known;
    const counts = `${size} ${size === 1 ? "shadow" : "shadows"}, ${this.#marks.size} waiting, ${this.#problems.size} rejected`;
    const error = this.#failures > 0 ? [errorLine + this.#lastError] : [];
    return [counts, ...error];
  }
}

/** The error in the status of a sync; undefined if its last attempt succeeded. */
export function syncErrorOf(lines: readonly string[]): string | undefined {
  return lines.find((line) => line.startsWith(errorLine))?.slice(errorLine.length);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}

function keyOf({ id, name }: ShadowId): string {
  return `${id}#${name}`;
}

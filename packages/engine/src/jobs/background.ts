import { sleep } from "@tablekeep/core";
import type { Database } from "../database/database.ts";
import { type BackgroundJobs, type Job, jobPrefix } from "../database/job.ts";
import { prefixEnd } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { runJob } from "./run-job.ts";
import { sweepExpired } from "./sweep-expired.ts";
import { trimStreams } from "./trim-streams.ts";
import { nextBackgroundTurn } from "./work-budget.ts";

/** How often to look for expired items and old change records. */
export const sweepEveryMs = 10_000;
/** How long failed work waits before the next attempt, for example on a full disk. */
const retryAfterMs = 5_000;

/**
 * The engine's background work: it fills new indexes and deletes unreachable entries, expired items and old change
 * records. It works in small steps between calls, never keeps the process alive and never throws. Work that is
 * interrupted by a fault or by the end of the process continues later.
 */
export class Background implements BackgroundJobs {
  readonly #databaseOf: () => Database;
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  /** A function, because the database contains this object. */
  constructor(databaseOf: () => Database) {
    this.#databaseOf = databaseOf;
  }

  get #database(): Database {
    return this.#databaseOf();
  }

  /** Continues what an earlier process left unfinished. */
  start(): void {
    this.wake();
    this.scheduleSweep();
  }

  /** Stores a job; it starts once that is durable. */
  add(transaction: WriteTransaction, job: Job): void {
    const id = this.#database.catalog.newId(transaction);
    transaction.put(jobPrefix + Buffer.from(id, "latin1").toString("hex"), JSON.stringify(job));
    transaction.onCommitted(() => this.wake());
  }

  /** Schedules the next sweep if there is anything to sweep. Call it whenever that may have changed. */
  scheduleSweep(): void {
    const { catalog, streams, clock } = this.#database;
    if (this.#stop.signal.aborted || this.#cancelTimer !== undefined || this.#sweeping !== undefined) return;
    if (streams.size === 0 && !catalog.all().some(({ record }) => record.timeToLive !== undefined)) return;
    const sweep = () => {
      this.#cancelTimer = undefined;
      this.#sweeping = this.#sweep();
    };
    this.#cancelTimer = clock.after(sweepEveryMs, sweep, { background: true });
  }

  /**
   * Starts to work if there is a job. Reads nothing and never throws: it runs after commits, and a disk may fail
   * then.
   */
  wake(): void {
    if (this.#stop.signal.aborted || this.#working !== undefined) return;
    this.#working = this.#work();
  }

  /** Resolves once no job is left or running. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Ends all work after the step in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer?.();
    await this.#working;
    await this.#sweeping;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (let mayHaveMore = true; mayHaveMore && !signal.aborted; ) {
      await nextBackgroundTurn(signal);
      if (signal.aborted) break;
      try {
        const key = this.#next();
        mayHaveMore = key !== undefined;
        if (key !== undefined) await this.#runStep(key);
      } catch {
        // The job is stored: a full or failing disk only delays it.
        const { clock } = this.#database;
        await sleep(clock, retryAfterMs, signal, { background: true }).catch(() => undefined);
      }
    }
    this.#working = undefined;
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#stop;
    try {
      await sweepExpired(this.#database, signal);
      await trimStreams(this.#database, signal);
    } catch {
      // The next sweep finds again what could not be removed now.
    }
    this.#sweeping = undefined;
    this.scheduleSweep();
  }

  /** Does one step of a job and stores its progress, in one transaction. */
  async #runStep(key: string): Promise<void> {
    // Earlier writes did not see the job: a scan sees all of them only once they are committed.
    await this.#database.writes.ready();
    await this.#database.writes.submit(() => undefined);
    await this.#database.writes.submit((transaction) => {
      const text = transaction.get(key);
      const rest =
        text === undefined ? undefined : runJob(this.#database, transaction, JSON.parse(text) as Job);
      if (rest === undefined) transaction.delete(key);
      else transaction.put(key, JSON.stringify(rest));
    });
  }

  /** Returns the key of the oldest job. */
  #next(): string | undefined {
    let first: string | undefined;
    this.#database.bareStorage.scan({ start: jobPrefix, end: prefixEnd(jobPrefix) }, (key) => {
      first = key;
      return false;
    });
    return first;
  }
}

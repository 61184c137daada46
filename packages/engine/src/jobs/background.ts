import { sleep } from "@tablekeep/core";
import type { Database } from "../database/database.ts";
import { type BackgroundJobs, type Job, jobPrefix } from "../database/job.ts";
import { prefixEnd } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { runJob } from "./run-job.ts";
import { sweepExpired } from "./sweep-expired.ts";
import { trimStreams } from "./trim-streams.ts";
import { nextTurn } from "./work-budget.ts";

/** How often expired items and old change records are looked for. */
export const sweepEveryMs = 10_000;
/** How long work that failed, as on a full disk, waits before it is tried again. */
const retryAfterMs = 5_000;

/**
 * What the engine does while nobody asks: it fills new indexes, removes what is dead, deletes expired items and old
 * change records. All of it in small pieces between the calls of others; it never keeps the process alive and never
 * throws. What a fault or the end of the process interrupts goes on later.
 */
export class Background implements BackgroundJobs {
  readonly #databaseOf: () => Database;
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  /** The database is asked for when it is needed first: it has this as one of its parts. */
  constructor(databaseOf: () => Database) {
    this.#databaseOf = databaseOf;
  }

  get #database(): Database {
    return this.#databaseOf();
  }

  /** Goes on with what an earlier process left. */
  start(): void {
    this.wake();
    this.armSweep();
  }

  /** Stores a job; it begins once that is durable. */
  add(transaction: WriteTransaction, job: Job): void {
    const id = this.#database.catalog.newId(transaction);
    transaction.put(jobPrefix + Buffer.from(id, "latin1").toString("hex"), JSON.stringify(job));
    transaction.onCommitted(() => this.wake());
  }

  /** Sees to it that sweeps take place if there is anything to sweep. To be called when that begins. */
  armSweep(): void {
    const { catalog, streams, clock } = this.#database;
    if (this.#stop.signal.aborted || this.#cancelTimer !== undefined || this.#sweeping !== undefined) return;
    if (streams.size === 0 && !catalog.all().some(({ record }) => record.timeToLive !== undefined)) return;
    const sweep = () => {
      this.#cancelTimer = undefined;
      this.#sweeping = this.#sweep();
    };
    this.#cancelTimer = clock.after(sweepEveryMs, sweep, { background: true });
  }

  /** Begins to work if there is work. Reads nothing and never throws: it runs after commits, and a disk may fail then. */
  wake(): void {
    if (this.#stop.signal.aborted || this.#working !== undefined) return;
    this.#working = this.#work();
  }

  /** Resolves once no job is left or under way. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Ends all work after the piece that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer?.();
    await this.#working;
    await this.#sweeping;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (let isLeft = true; isLeft && !signal.aborted; ) {
      await nextTurn(signal);
      if (signal.aborted) break;
      try {
        const key = this.#next();
        isLeft = key !== undefined;
        if (key !== undefined) await this.#doSome(key);
      } catch {
        // The job is stored: a disk that is full or fails only puts it off.
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
      // What could not be removed now is found again by the next sweep.
    }
    this.#sweeping = undefined;
    this.armSweep();
  }

  /** Does a piece of a job and stores how far it is, in one transaction. */
  async #doSome(key: string): Promise<void> {
    // Writes from before the job knew nothing of it: only once they are committed does a scan see all of them.
    await this.#database.writes.submit(() => undefined);
    await this.#database.writes.submit((transaction) => {
      const text = transaction.get(key);
      const rest =
        text === undefined ? undefined : runJob(this.#database, transaction, JSON.parse(text) as Job);
      if (rest === undefined) transaction.delete(key);
      else transaction.put(key, JSON.stringify(rest));
    });
  }

  /** The key of the oldest job. */
  #next(): string | undefined {
    let first: string | undefined;
    this.#database.bareStorage.scan({ start: jobPrefix, end: prefixEnd(jobPrefix) }, (key) => {
      first = key;
      return false;
    });
    return first;
  }
}

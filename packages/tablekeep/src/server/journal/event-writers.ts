import type { Outcome } from "@tablekeep/core";
import type { AtomicWrite, Journal, JournalWriter, WrittenRange } from "@tablekeep/journal";
import { HttpRefusal } from "../http/http-refusal.ts";

/** What to append. */
export interface AppendRequest {
  readonly persistenceId: string;
  readonly writes: readonly AtomicWrite[];
  /** The number that must be the highest before. @default whatever it is */
  readonly expected?: number | undefined;
  readonly signal: AbortSignal;
}

/** How many ids keep their writer: one that is kept saves the two requests of a recovery. */
const keptWriters = 1000;

/** How often an append without an expectation gives way to another process before it gives up. */
const attempts = 5;

/** The writers of a journal, for callers that keep none: appends of one id wait for each other. */
export class EventWriters {
  readonly #journal: Journal;
  readonly #writers = new Map<string, JournalWriter>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Appends after all that was asked for this id before. */
  append(request: AppendRequest): Promise<readonly Outcome<WrittenRange>[]> {
    const { persistenceId } = request;
    const before = this.#queues.get(persistenceId) ?? Promise.resolve();
    const turn = before.then(
      () => this.#append(request),
      () => this.#append(request),
    );
    this.#queues.set(persistenceId, turn);
    const leave = () => {
      if (this.#queues.get(persistenceId) === turn) this.#queues.delete(persistenceId);
    };
    turn.then(leave, leave);
    return turn;
  }

  async #append(request: AppendRequest): Promise<readonly Outcome<WrittenRange>[]> {
    const { persistenceId, writes, expected, signal } = request;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const kept = this.#writers.get(persistenceId);
      const writer = kept ?? (await this.#journal.recover(persistenceId, { signal }));
      this.#keep(writer);
      if (expected !== undefined && writer.highestSequenceNr !== expected) {
        // A kept writer may not know of another process yet.
        this.#writers.delete(persistenceId);
        if (kept !== undefined) continue;
        throw new HttpRefusal(409, `the highest number is ${writer.highestSequenceNr}, not ${expected}`);
      }
      const outcomes = await writer.append(writes, { signal });
      const ended = outcomes.some(({ kind }) => kind === "conflict" || kind === "unknown");
      if (ended) this.#writers.delete(persistenceId);
      const gaveWay = outcomes[0]?.kind === "conflict" && expected === undefined;
      if (!gaveWay || attempt === attempts) return outcomes;
    }
  }

  #keep(writer: JournalWriter): void {
    this.#writers.delete(writer.persistenceId);
    this.#writers.set(writer.persistenceId, writer);
    const [oldest] = this.#writers.keys();
    if (this.#writers.size > keptWriters && oldest !== undefined) this.#writers.delete(oldest);
  }
}

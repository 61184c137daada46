import type { Outcome } from "@tablekeep/core";
import type { AtomicWrite, Journal, JournalWriter, NewEvent, WrittenRange } from "@tablekeep/journal";
import { HttpError } from "../http/http-route.ts";

/** The body of an append request. */
export interface AppendBody {
  readonly writes: readonly AtomicWrite[];
  readonly expected?: number;
}

const eventFields = new Set(["payload", "manifest", "tags", "metadata", "timestamp"]);

/** Parses `{ "events": [{ "payload": … }], "expected": 7, "atomic": true }`. */
export function parseAppend(body: unknown): AppendBody {
  const { events, expected, atomic = true, ...rest } = objectOf(body, "the body");
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(`there is no field ${JSON.stringify(unknown)}`);
  if (!Array.isArray(events) || events.length === 0)
    throw wrong("events must be a list of one or more events");
  if (expected !== undefined && (!Number.isSafeInteger(expected) || (expected as number) < 0))
    throw wrong("expected must be a whole number");
  if (typeof atomic !== "boolean") throw wrong("atomic must be true or false");
  const writes = events.map(parseEvent);
  return {
    writes: atomic && writes.length > 1 ? [writes] : writes,
    expected: expected as number | undefined,
  };
}

function parseEvent(given: unknown): NewEvent {
  const event = objectOf(given, "an event");
  const unknown = Object.keys(event).find((field) => !eventFields.has(field));
  if (unknown !== undefined) throw wrong(`an event has no field ${JSON.stringify(unknown)}`);
  const { payload, manifest, tags, metadata, timestamp } = event;
  if (payload === undefined) throw wrong("an event needs a payload");
  if (manifest !== undefined && typeof manifest !== "string") throw wrong("manifest must be text");
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === "string")))
    throw wrong("tags must be a list of texts");
  if (timestamp !== undefined && !Number.isSafeInteger(timestamp))
    throw wrong("timestamp must be milliseconds since 1970");
  return { payload, manifest, tags: tags as string[] | undefined, metadata, timestamp: timestamp as number };
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw wrong(`${what} must be an object`);
}

function wrong(message: string): HttpError {
  return new HttpError(400, message);
}

/** What to append. */
export interface AppendRequest {
  readonly persistenceId: string;
  readonly writes: readonly AtomicWrite[];
  /** The highest sequence number that must exist before the append. @default any */
  readonly expected?: number;
  readonly signal: AbortSignal;
}

/** The number of cached writers: each saves the two requests of a recovery. */
const keptWriters = 1000;

/** How often an append without an expected number is retried after a conflict with another process. */
const attempts = 5;

/** The writers of a journal, for callers that have none: appends to one id wait for each other. */
export class EventWriters {
  readonly #journal: Journal;
  readonly #writers = new Map<string, JournalWriter>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Appends after all earlier appends to this id. */
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
        // A cached writer may be superseded without having noticed.
        this.#writers.delete(persistenceId);
        if (kept !== undefined) continue;
        throw new HttpError(
          409,
          `the highest sequence number is ${writer.highestSequenceNr}, not ${expected}`,
        );
      }
      const outcomes = await writer.appendEach(writes, { signal });
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

import type { Outcome } from "@tablekeep/core";
import {
  type Journal,
  JournalError,
  type JournalWriter,
  type NewEvent,
  type WrittenRange,
} from "@tablekeep/journal";
import { HttpError } from "../http/http-route.ts";

/** The body of an append request. */
export interface AppendBody {
  readonly events: readonly NewEvent[];
  /** Whether all events are stored or none. */
  readonly atomic: boolean;
  readonly expected: number | "none" | "any";
}

/** The fields of an event that are strings. */
const textFields = ["id", "correlationId", "causationId", "manifest"] as const;

/** Those that are times in milliseconds since 1970. */
const timeFields = ["timestamp", "expiresAt"] as const;

const eventFields = new Set<string>(["payload", "tags", "metadata", ...timeFields, ...textFields]);

/** Parses `{ "events": [{ "payload": … }], "expected": 7, "atomic": true }`. */
export function parseAppend(body: unknown): AppendBody {
  const { events, expected = "any", atomic = true, ...rest } = objectOf(body, "the body");
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(`unknown field ${JSON.stringify(unknown)}`);
  if (!Array.isArray(events) || events.length === 0) throw wrong("events must be a non-empty array");
  if (!isExpected(expected)) throw wrong('expected must be an integer of at least 0, "none" or "any"');
  if (typeof atomic !== "boolean") throw wrong("atomic must be true or false");
  if (!atomic && expected !== "any")
    throw wrong("expected requires atomic: independent events have no common state");
  return { events: events.map(parseEvent), atomic, expected };
}

function isExpected(value: unknown): value is AppendBody["expected"] {
  return value === "none" || value === "any" || (Number.isSafeInteger(value) && (value as number) >= 0);
}

function parseEvent(given: unknown): NewEvent {
  const event = objectOf(given, "an event");
  const unknown = Object.keys(event).find((field) => !eventFields.has(field));
  if (unknown !== undefined) throw wrong(`an event has no field ${JSON.stringify(unknown)}`);
  const { payload, tags } = event;
  if (payload === undefined) throw wrong("an event needs a payload");
  const notText = textFields.find((field) => event[field] !== undefined && typeof event[field] !== "string");
  if (notText !== undefined) throw wrong(`${notText} must be a string`);
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === "string")))
    throw wrong("tags must be an array of strings");
  const notTime = timeFields.find(
    (field) => event[field] !== undefined && !Number.isSafeInteger(event[field]),
  );
  if (notTime !== undefined) throw wrong(`${notTime} must be milliseconds since 1970`);
  // All fields were checked above; the journal checks what the strings contain.
  return event as unknown as NewEvent;
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw wrong(`${what} must be an object`);
}

function wrong(message: string): HttpError {
  return new HttpError(400, message);
}

/** What to append. */
export interface AppendRequest extends AppendBody {
  readonly persistenceId: string;
  readonly signal: AbortSignal;
}

/** Attempts of an append without an expected sequence number, after conflicts with other processes. */
const attempts = 5;

/** The maximum number of running and waiting appends to one id: a quarter of the connections, so that one id does not use all of them. Further ones are rejected. */
const maxWaiting = 250;

/** The running and waiting appends of one id, the end of the last one, and the writer that they share. */
interface Turns {
  count: number;
  last: Promise<unknown>;
  writer?: JournalWriter;
}

/**
 * The writers of a journal, for callers that have none: appends to one id wait for each other, and share a writer. It is discarded after the last of
 * them, because it would not notice that the id was purged, and would continue with the old sequence numbers.
 */
export class EventWriters {
  readonly #journal: Journal;
  readonly #turns = new Map<string, Turns>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Appends after all earlier appends to this id. Rejects the events with `JOURNAL_WRITER_BUSY` if too many wait. */
  async append(request: AppendRequest): Promise<readonly Outcome<WrittenRange>[]> {
    const { persistenceId, events, atomic } = request;
    const turns = this.#turns.get(persistenceId) ?? { count: 0, last: Promise.resolve() };
    if (turns.count >= maxWaiting) {
      const rejected = { kind: "rejected", error: tooManyWait(persistenceId, turns.count) } as const;
      return atomic ? [rejected] : events.map(() => rejected);
    }
    this.#turns.set(persistenceId, turns);
    turns.count++;
    const turn = turns.last.then(() => this.#append(request, turns));
    const leave = () => {
      if (--turns.count === 0) this.#turns.delete(persistenceId);
    };
    turns.last = turn.then(leave, leave);
    return turn;
  }

  async #append(request: AppendRequest, turns: Turns): Promise<readonly Outcome<WrittenRange>[]> {
    const { persistenceId, events, expected, signal } = request;
    signal.throwIfAborted();
    if (expected !== "any") {
      delete turns.writer;
      return [await this.#journal.append(persistenceId, events, { expected, signal })];
    }
    for (let attempt = 1; ; attempt++) {
      turns.writer ??= await this.#journal.recover(persistenceId, { signal });
      const outcomes = await appendWith(turns.writer, request);
      const isEnded = outcomes.some(({ kind }) => kind === "conflict" || kind === "unknown");
      if (isEnded) delete turns.writer;
      if (outcomes[0]?.kind !== "conflict" || attempt === attempts) return outcomes;
    }
  }
}

function tooManyWait(persistenceId: string, waiting: number): JournalError<"JOURNAL_WRITER_BUSY"> {
  return new JournalError(
    "JOURNAL_WRITER_BUSY",
    `${persistenceId}: ${waiting} appends are waiting: append again later`,
    { persistenceId, waiting },
  );
}

async function appendWith(
  writer: JournalWriter,
  { events, atomic, signal }: AppendRequest,
): Promise<readonly Outcome<WrittenRange>[]> {
  return atomic ? [await writer.append(events, { signal })] : writer.appendEach(events, { signal });
}

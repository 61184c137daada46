import { waitWithin } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";
import { type EncodedPayload, forgottenPayload } from "../codecs/codec.ts";
import { serializerOf } from "../codecs/encrypted-envelope.ts";
import { attempt, continueWith, type MaybePromise, maxConcurrentPayloads } from "../codecs/maybe-promise.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { callAborted } from "../context/calls.ts";
import { derivedEventId, readMetadata } from "../context/event-metadata.ts";
import type { JournalEvent, ReplayOptions } from "../context/journal.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import { storedIds } from "../context/stored-ids.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { readInFull } from "../protocol/read-rows.ts";
import { type EventRow, isExpired } from "../rows/event-row.ts";
import { replayFiltered } from "./earlier-rows.ts";
import { readPayload } from "./read-payload.ts";
import { ReplayLimit, type ReplaySettings } from "./replay-limit.ts";
import { replayStart } from "./replay-start.ts";

/**
 * The events of pages of rows, one by one. What an async generator would do, at half of its price for an event: while a
 * page lasts there is nothing to wait for. Calls that overlap are answered in order, and a failure ends the stream. Where codecs
 * are asynchronous, some events of a page are decoded at once, and returned in order.
 */
export class EventStream implements AsyncIterableIterator<JournalEvent, void, undefined> {
  readonly #pages: AsyncGenerator<readonly EventRow[], void, undefined>;
  readonly #eventOf: (row: EventRow) => MaybePromise<JournalEvent>;
  #page: readonly EventRow[] = [];
  #at = 0;
  /** The events before `#at` that are being decoded and were not returned yet. */
  #ahead: MaybePromise<JournalEvent>[] = [];
  /** The last of the calls that wait for a page or for each other. */
  #waiting = 0;
  #lastEnd: Promise<unknown> = Promise.resolve();

  constructor(
    pages: AsyncGenerator<readonly EventRow[], void, undefined>,
    eventOf: (row: EventRow) => MaybePromise<JournalEvent>,
  ) {
    this.#pages = pages;
    this.#eventOf = eventOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<JournalEvent, void>> {
    const row = this.#page[this.#at];
    if (row === undefined || this.#waiting > 0 || this.#ahead.length > 0)
      return this.#inTurn(() => this.#advance());
    this.#at++;
    try {
      const event = this.#eventOf(row);
      if (event instanceof Promise) return this.#inTurn(() => this.#decoded(event));
      return Promise.resolve({ done: false, value: event });
    } catch (error) {
      return this.#inTurn(() => this.#fail(error));
    }
  }

  return(): Promise<IteratorResult<JournalEvent, void>> {
    return this.#inTurn(() => this.#end());
  }

  /** Runs after all earlier calls, and completes before its caller gets the result. */
  #inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const turn = this.#waiting === 0 ? call() : this.#lastEnd.then(call);
    this.#waiting++;
    const counted = turn.finally(() => {
      this.#waiting--;
    });
    this.#lastEnd = counted.catch(ignore);
    return counted;
  }

  async #advance(): Promise<IteratorResult<JournalEvent, void>> {
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) return this.#decoded(ahead);
    while (this.#at >= this.#page.length) {
      this.#page = [];
      this.#at = 0;
      const { done, value } = await this.#pages.next();
      if (done) return { done: true, value: undefined };
      this.#page = value;
    }
    const row = this.#page[this.#at++] as EventRow;
    try {
      const event = this.#eventOf(row);
      return event instanceof Promise ? this.#decoded(event) : { done: false, value: event };
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Waits for an event, while those that follow it are being decoded. */
  async #decoded(event: MaybePromise<JournalEvent>): Promise<IteratorResult<JournalEvent, void>> {
    try {
      while (this.#ahead.length < maxConcurrentPayloads - 1 && this.#at < this.#page.length) {
        const row = this.#page[this.#at++] as EventRow;
        this.#ahead.push(attempt(() => this.#eventOf(row)));
      }
      return { done: false, value: await event };
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<never> {
    await this.#end();
    throw error;
  }

  async #end(): Promise<IteratorResult<JournalEvent, void>> {
    this.#page = [];
    this.#at = 0;
    this.#ahead = [];
    await this.#pages.return(undefined);
    return { done: true, value: undefined };
  }
}

function ignore(): void {}

/** Returns the events of an id in order. The upper end is fixed before the first page is read. */
export function replay(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncIterableIterator<JournalEvent, void, undefined> {
  const pages = replayPages(context, settings, persistenceId, options);
  return new EventStream(pages, eventReader(context, options));
}

/** The rows of a replay, page by page. */
export async function* replayPages(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const call = requestOptions(context, options);
  for (;;) {
    const range = await replayStart(context, persistenceId, options, call);
    const known = options.max === undefined ? readInFull(range, range.early ?? []) : undefined;
    if (known !== undefined) {
      if (call.signal?.aborted) throw callAborted(call.signal.reason);
      yield known;
      return;
    }
    try {
      const limit = new ReplayLimit(context, settings, options.max);
      if (limit.reached) return;
      for await (const page of replayFiltered(context, persistenceId, range, limit, call)) {
        yield* limit.take(page);
        if (limit.reached) return;
      }
      return;
    } catch (error) {
      // Deleted before the first event was returned: start again where the journal begins now.
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED") || error.details.gaveEvents) throw error;
    }
  }
}

/** Returns what reads the events of rows. An event that must be waited for has as much time as a request. */
export function eventReader(
  context: JournalContext,
  options: Pick<CallOptions, "signal" | "deadlineMs">,
): (row: EventRow) => MaybePromise<JournalEvent> {
  const { clock } = context;
  return (row) => {
    const event = eventOf(context, row);
    if (!(event instanceof Promise)) return event;
    const { signal, deadlineMs = context.deadlineMs } = options;
    return waitWithin({ clock, signal, deadlineMs }, event);
  };
}

/** Returns a row as the caller sees it; a promise only if a codec returns one. */
function eventOf(context: JournalContext, row: EventRow): MaybePromise<JournalEvent> {
  if (row.expiresAt !== undefined) return expiringEvent(context, row);
  return eventWithPayload(context, row);
}

/** Returns an event with an expiry. Of one that has expired only the ids are decoded. */
function expiringEvent(context: JournalContext, row: EventRow): MaybePromise<JournalEvent> {
  const { expiresAt } = row;
  if (!isExpired(row, context.clock.now()))
    return continueWith(eventWithPayload(context, row), (event) => ({ ...event, expiresAt }));
  // The same whether its data was removed yet or not.
  const read = withPayload(row, { ...row.payload, serializerId: ownSerializers.expired }, undefined);
  const event: JournalEvent = { ...read, gone: "expired", expiresAt };
  if (row.metadata === undefined) return event;
  return continueWith(storedIds(context.codecs, row), (ids) => ({ ...event, ...ids }));
}

function eventWithPayload(context: JournalContext, row: EventRow): MaybePromise<JournalEvent> {
  const { codecs } = context;
  const { persistenceId, sequenceNr } = row;
  const encoded = codecs.unpack(row.payload);
  const payload = readPayload(context, row, encoded);
  if (row.metadata === undefined) {
    if (payload instanceof Promise)
      return payload.then((decoded: unknown) => withPayload(row, encoded, decoded));
    return withPayload(row, encoded, payload);
  }
  const { metadata: stored } = row;
  const decodeMetadata = () => codecs.decode(stored, { part: "metadata", persistenceId, sequenceNr });
  // If it throws while the payload is being decoded, the failure of the payload must be handled too.
  const metadata = payload instanceof Promise ? attempt(decodeMetadata) : decodeMetadata();
  if (payload instanceof Promise || metadata instanceof Promise)
    return Promise.all([payload, metadata]).then(([one, other]) => ({
      ...withPayload(row, encoded, one),
      ...readMetadata(other),
    }));
  return { ...withPayload(row, encoded, payload), ...readMetadata(metadata) };
}

function withPayload(row: EventRow, encoded: EncodedPayload, decoded: unknown): JournalEvent {
  const isForgotten = decoded === forgottenPayload;
  const event = {
    id: derivedEventId(row),
    persistenceId: row.persistenceId,
    sequenceNr: row.sequenceNr,
    payload: isForgotten ? undefined : decoded,
    serializerId: serializerOf(encoded, decoded),
    serializerManifest: encoded.manifest,
    manifest: row.manifest,
    writerUuid: row.writerUuid,
    timestamp: row.timestamp ?? 0,
    tags: row.tags,
  };
  return isForgotten ? { ...event, gone: "forgotten" } : event;
}

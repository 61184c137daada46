import { derivedEventId, readMetadata } from "../context/event-metadata.ts";
import type { JournalEvent, ReplayOptions } from "../context/journal.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";
import { readPayload } from "./read-payload.ts";
import { ReplayLimit, type ReplaySettings } from "./replay-limit.ts";
import { replayWrites } from "./replay-rows.ts";
import { replayStart } from "./replay-start.ts";

/**
 * The events of pages of rows, one by one. What an async generator would do, at half of its price for an event: while a
 * page lasts there is nothing to wait for. Calls that overlap are answered in order, and a failure ends the stream.
 */
export class EventStream implements AsyncIterableIterator<JournalEvent, void, undefined> {
  readonly #pages: AsyncGenerator<readonly EventRow[], void, undefined>;
  readonly #eventOf: (row: EventRow) => JournalEvent;
  #page: readonly EventRow[] = [];
  #at = 0;
  /** Calls that wait for a page or for others, and the end of the last of them. */
  #waiting = 0;
  #lastEnd: Promise<unknown> = Promise.resolve();

  constructor(
    pages: AsyncGenerator<readonly EventRow[], void, undefined>,
    eventOf: (row: EventRow) => JournalEvent,
  ) {
    this.#pages = pages;
    this.#eventOf = eventOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<JournalEvent, void>> {
    const row = this.#page[this.#at];
    if (row === undefined || this.#waiting > 0) return this.#inTurn(() => this.#advance());
    this.#at++;
    try {
      return Promise.resolve({ done: false, value: this.#eventOf(row) });
    } catch (error) {
      return this.#inTurn(() => this.#fail(error));
    }
  }

  return(): Promise<IteratorResult<JournalEvent, void>> {
    return this.#inTurn(() => this.#end());
  }

  /** Begins once all earlier calls have ended. It has ended before its caller gets the result. */
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
    while (this.#at >= this.#page.length) {
      this.#page = [];
      this.#at = 0;
      const { done, value } = await this.#pages.next();
      if (done) return { done: true, value: undefined };
      this.#page = value;
    }
    const row = this.#page[this.#at++] as EventRow;
    try {
      return { done: false, value: this.#eventOf(row) };
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
    await this.#pages.return(undefined);
    return { done: true, value: undefined };
  }
}

function ignore(): void {}

/** The events of an id, in order. Its upper end is fixed before the first page is read. */
export function replay(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncIterableIterator<JournalEvent, void, undefined> {
  const pages = replayPages(context, settings, persistenceId, options);
  return new EventStream(pages, (row) => eventOf(context, row));
}

async function* replayPages(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const call = requestOptions(context, options);
  for (;;) {
    const range = await replayStart(context, persistenceId, options, call);
    try {
      const limit = new ReplayLimit(context, settings, options.max);
      if (limit.reached) return;
      for await (const page of replayWrites(context, persistenceId, range, call)) {
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

/** A row as the caller sees it. */
export function eventOf(context: JournalContext, row: EventRow): JournalEvent {
  const { codecs } = context;
  const payload = codecs.unpack(row.payload);
  const event = {
    id: derivedEventId(row),
    persistenceId: row.persistenceId,
    sequenceNr: row.sequenceNr,
    payload: readPayload(context, row, payload),
    serializerId: payload.serializerId,
    serializerManifest: payload.manifest,
    manifest: row.manifest,
    writerUuid: row.writerUuid,
    timestamp: row.timestamp ?? 0,
    tags: row.tags,
  };
  return row.metadata === undefined ? event : { ...event, ...readMetadata(codecs.decode(row.metadata)) };
}

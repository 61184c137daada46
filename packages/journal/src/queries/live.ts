import { isClientError } from "@tablekeep/client";
import { isTablekeepError, sleep } from "@tablekeep/core";
import type {
  IdSource,
  JournalEvent,
  KnownId,
  PersistenceIdsOptions,
  ReplayOptions,
} from "../context/journal.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { replayFiltered } from "../replay/earlier-rows.ts";
import { EventStream, eventReader } from "../replay/replay.ts";
import { ReplayLimit, type ReplaySettings } from "../replay/replay-limit.ts";
import { replayStart } from "../replay/replay-start.ts";
import type { EventRow } from "../rows/event-row.ts";
import { currentPersistenceIds, sourceOfAll } from "./persistence-ids.ts";

/** How long a live query waits before it polls again: longer after each empty poll, short again after a result. */
const firstWaitMs = 100;
const maxWaitMs = 3_000;

/** The waits of one live query. Both return false as soon as the caller aborts: a live query ends without an error. */
class PollWaits {
  readonly #context: JournalContext;
  readonly #signal: AbortSignal | undefined;
  #waitMs = firstWaitMs;

  constructor(context: JournalContext, signal: AbortSignal | undefined) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Waits after a poll that found something, or nothing. */
  async wait(found: boolean): Promise<boolean> {
    this.#waitMs = found ? firstWaitMs : Math.min(this.#waitMs * 2, maxWaitMs);
    try {
      await sleep(this.#context.clock, this.#waitMs, this.#signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Waits after a failed poll, so that a live query survives an outage. Throws errors that waiting does not fix. */
  async waitAfter(error: unknown): Promise<boolean> {
    if (this.#signal?.aborted) return false;
    if (!maySucceedLater(error)) throw error;
    this.#context.logger.warn("a live query failed; polling again", { error });
    return this.wait(false);
  }
}

/** Whether another poll may succeed. For a single call its deadline is the end; for a query that continues it is not. */
function maySucceedLater(error: unknown): boolean {
  if (isClientError(error, "CLIENT_DEADLINE_EXCEEDED")) return true;
  if (isClientError(error, "CLIENT_BATCH_INCOMPLETE"))
    return error.cause === undefined || maySucceedLater(error.cause);
  return isTablekeepError(error) && error.retryable;
}

/**
 * The rows of a live query, page by page. Each poll replays the events since the last one; filter and limit are
 * those of the whole query.
 */
async function* livePages(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const { to = Number.MAX_SAFE_INTEGER, max, signal } = options;
  const call = requestOptions(context, options);
  const limit = new ReplayLimit(context, settings, max);
  const waits = new PollWaits(context, signal);
  let from = options.from ?? 1;
  while (from <= to && !limit.reached) {
    const before = from;
    try {
      const range = await replayStart(context, persistenceId, { from, to, max }, call);
      // A sequence number from now on, even if the option was -1.
      from = range.from;
      for await (const page of replayFiltered(context, persistenceId, range, limit, call)) {
        yield* limit.take(page);
        if (limit.reached) return;
        // Events that the filter discarded are not read again. Incomplete writes are: the next poll may find the rest.
        const last = page[page.length - 1]?.rows.at(-1);
        if (last !== undefined) from = last.sequenceNr + 1;
      }
      if (range.to >= to) return;
    } catch (error) {
      // Deleted while we were polling: continue where the journal begins now.
      if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) continue;
      if (!(await waits.waitAfter(error))) return;
      continue;
    }
    if (!(await waits.wait(from > before))) return;
  }
}

/** Returns the existing events of an id and new ones, until the signal aborts or `to` or `max` is reached. */
export async function* eventsById(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<JournalEvent, void, undefined> {
  const pages = livePages(context, settings, persistenceId, options);
  const events = new EventStream(pages, eventReader(context, options));
  try {
    for await (const event of events) {
      // The rest of a fetched page is not returned to a caller that has aborted.
      if (options.signal?.aborted) return;
      yield event;
    }
  } catch (error) {
    // It may have been waiting for a codec.
    if (!isClientError(error, "CLIENT_ABORTED") || !options.signal?.aborted) throw error;
  }
}

/**
 * Returns the existing ids and new ones, each once. Keeps all returned ids in memory. Without a source the rows of a table are read only
 * once, because every poll would read the whole table: ids that others add later are not returned.
 */
export async function* persistenceIds(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const seen = new Set<string>();
  const waits = new PollWaits(context, options.signal);
  const [first, polled] = liveSources(context, options);
  let source = first;
  for (;;) {
    const before = seen.size;
    try {
      for await (const known of currentPersistenceIds(context, { ...options, source })) {
        if (seen.has(known.persistenceId)) continue;
        if (options.signal?.aborted) return;
        seen.add(known.persistenceId);
        yield known;
      }
    } catch (error) {
      if (!(await waits.waitAfter(error))) return;
      continue;
    }
    source = polled;
    if (!(await waits.wait(seen.size > before))) return;
  }
}

/** Where a live query reads ids first, and at every later poll. A cursor belongs to its source. */
function liveSources(
  context: JournalContext,
  { source, after }: PersistenceIdsOptions,
): readonly [IdSource, IdSource] {
  const first = source ?? sourceOfAll(context);
  const canChange = source === undefined && after === undefined && context.layout.registryQuery !== undefined;
  return [first, canChange ? "registry" : first];
}

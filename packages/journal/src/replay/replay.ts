import type { JournalEvent, ReplayOptions } from "../journal.ts";
import type { JournalContext } from "../journal-context.ts";
import { requestOptions } from "../journal-context.ts";
import { isJournalError } from "../journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";
import { EventStream } from "./event-stream.ts";
import { ReplayLimit, type ReplaySettings } from "./replay-limit.ts";
import { replayWrites } from "./replay-rows.ts";
import { replayStart } from "./replay-start.ts";

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
      // Deleted under our hands before the first event: begin again where the journal begins now.
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED") || error.details.gaveEvents) throw error;
    }
  }
}

/** A row as the caller sees it. */
export function eventOf({ codecs }: JournalContext, row: EventRow): JournalEvent {
  const payload = codecs.unpack(row.payload);
  const event = {
    persistenceId: row.persistenceId,
    sequenceNr: row.sequenceNr,
    payload: codecs.decode(payload),
    serializerId: payload.serializerId,
    serializerManifest: payload.manifest,
    manifest: row.manifest,
    writerUuid: row.writerUuid,
    timestamp: row.timestamp ?? 0,
    tags: row.tags,
  };
  return row.metadata === undefined ? event : { ...event, metadata: codecs.decode(row.metadata) };
}

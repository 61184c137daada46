import type { JournalEvent, ReplayOptions } from "../journal.ts";
import type { JournalContext } from "../journal-context.ts";
import { requestOptions } from "../journal-context.ts";
import { isJournalError } from "../journal-error.ts";
import { oldWriter } from "../journal-refusals.ts";
import { settledPosition } from "../position/settled-position.ts";
import type { EventRow } from "../rows/event-row.ts";
import type { GivenRows } from "./reading.ts";
import { type ReplayFilterMode, replayFilter } from "./replay-filter.ts";
import { replayWrites } from "./replay-rows.ts";

export interface ReplaySettings {
  readonly replayFilter: ReplayFilterMode;
  /** Whether `max` counts events that are given, or all that are read, as the original does. */
  readonly countLimit: "after-filter" | "before-filter";
}

/** The events of an id, in order. Its upper end is fixed before the first page is read. */
export async function* replay(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<JournalEvent, void, undefined> {
  const call = requestOptions(context, options);
  for (;;) {
    const { highest, lowest, low } = await settledPosition(context, persistenceId, call);
    const from = Math.max(options.from === -1 ? highest : (options.from ?? 1), lowest);
    const to = Math.min(options.to ?? highest, highest);
    try {
      const pages = replayWrites(context, persistenceId, { from, to, low }, call);
      for await (const rows of limited(context, settings, pages, options.max)) {
        for (const row of rows) yield eventOf(context, row);
      }
      return;
    } catch (error) {
      // Deleted under our hands before the first event: begin again where the journal begins now.
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED") || error.details.gaveEvents) throw error;
    }
  }
}

/** Gives whole writes while they fit into `max`, and ends before one that does not. */
async function* limited(
  context: JournalContext,
  settings: ReplaySettings,
  pages: AsyncIterable<readonly GivenRows[]>,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  let left = max;
  const passes = replayFilter(settings.replayFilter, (row) => {
    if (settings.replayFilter === "fail") throw oldWriter(row);
    context.logger.warn("an event of an earlier writer follows a later one's", {
      persistenceId: row.persistenceId,
      sequenceNr: row.sequenceNr,
    });
  });
  // Softly deleted events, which the 0.x plugin has, are there and are not given.
  const isGiven = (row: EventRow) => row.deleted !== true && passes(row);
  if (left <= 0) return;
  for await (const page of pages) {
    for (const { rows, whole } of page) {
      const kept = rows.filter(isGiven);
      const counted = settings.countLimit === "after-filter" ? kept : rows;
      if (whole === undefined && counted.length >= left) {
        const last = counted[left - 1] as EventRow;
        yield kept.slice(0, kept.findLastIndex(({ sequenceNr }) => sequenceNr <= last.sequenceNr) + 1);
        return;
      }
      if (whole !== undefined && whole - (rows.length - counted.length) > left) return;
      left -= counted.length;
      yield kept;
      if (left <= 0) return;
    }
  }
}

/** A row as the caller sees it. */
export function eventOf({ codecs }: JournalContext, row: EventRow): JournalEvent {
  const payload = codecs.unpack(row.payload);
  return {
    persistenceId: row.persistenceId,
    sequenceNr: row.sequenceNr,
    payload: codecs.decode(payload),
    serializerId: payload.serializerId,
    serializerManifest: payload.manifest,
    manifest: row.manifest,
    writerUuid: row.writerUuid,
    timestamp: row.timestamp ?? 0,
    tags: row.tags,
    ...(row.metadata && { metadata: codecs.decode(row.metadata) }),
  };
}

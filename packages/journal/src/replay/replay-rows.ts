import type { CallOptions } from "@tablekeep/core";
import { pauseBeforeRetry } from "../append/pause-before-retry.ts";
import type { JournalContext } from "../journal-context.ts";
import { damaged, trimmed } from "../journal-refusals.ts";
import { readMarks } from "../position/read-marks.ts";
import type { EarlyRows } from "./early-rows.ts";
import { readRows } from "./read-rows.ts";
import { type Gap, type GivenPage, type GivenRows, Reading } from "./reading.ts";

/** The numbers of a replay. */
export interface ReplayRange {
  readonly from: number;
  /** Fixed before the first page is read, so that no write that commits meanwhile is met. */
  readonly to: number;
  /** The low mark; everything below it is deleted. */
  readonly low: number;
  /** Rows that were read to find the ends. */
  readonly early?: readonly EarlyRows[];
}

/**
 * How often a place is read again where something is missing. The items of a transaction do not all become visible at
 * once: with the waits in between it has several seconds.
 */
const maxRereads = 9;

/** The live events of a range, in order, page by page; each atomic write whole or not at all. */
export async function* replayWrites(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  options: CallOptions,
): AsyncGenerator<readonly GivenRows[], void, undefined> {
  const reading = new Reading(context, persistenceId, range, options);
  for (let rereads = 0, stuckAt = range.from; ; rereads++) {
    let page: GivenPage = { given: [] };
    const rest = { from: reading.resumeAt, to: range.to };
    // What was read early may be what something is missing in.
    const early = reading.restarted ? [] : range.early;
    for await (const rows of readRows(context, persistenceId, rest, options, early)) {
      page = await reading.takePage(rows);
      yield page.given;
      if (page.gap !== undefined || reading.ended) break;
    }
    if (page.gap === undefined && !reading.ended) {
      page = await reading.finish();
      yield page.given;
    }
    const { gap } = page;
    if (gap === undefined) return;
    if (reading.resumeAt > stuckAt) rereads = 0;
    stuckAt = reading.resumeAt;
    await checkDeleted(context, persistenceId, gap, reading.gaveEvents, options);
    if (rereads >= maxRereads) throw damaged(persistenceId, gap.sequenceNr, gap.found);
    await pauseBeforeRetry(context, rereads, options);
    reading.restart();
  }
}

/** A number without its event: if it was deleted since the replay began, that is no damage. */
async function checkDeleted(
  context: JournalContext,
  persistenceId: string,
  { sequenceNr }: Gap,
  gaveEvents: boolean,
  options: CallOptions,
): Promise<void> {
  const { low } = await readMarks(context, persistenceId, options);
  if (low > sequenceNr) throw trimmed(persistenceId, sequenceNr, low, gaveEvents);
}

import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../../journal-context.ts";
import { oldWriter } from "../../journal-refusals.ts";
import { type ReplayFilterMode, replayFilter } from "../../replay/replay-filter.ts";
import { type ReplayRange, replayWrites } from "../../replay/replay-rows.ts";
import type { EventRow } from "../../rows/event-row.ts";

/**
 * The events of an id as rows, each atomic write whole: what a replay gives, and softly deleted ones too. Events that
 * the replay filter drops are left out, and passed to `onDropped`.
 */
export async function* liveWrites(
  context: JournalContext,
  filter: ReplayFilterMode,
  persistenceId: string,
  range: ReplayRange,
  call: CallOptions,
  onDropped: (row: EventRow) => void = () => {},
): AsyncGenerator<readonly EventRow[], void, undefined> {
  if (range.from > range.to) return;
  const isKept = replayFilter(filter, (row) => {
    if (filter === "fail") throw oldWriter(row);
  });
  const passes = (row: EventRow) => {
    const kept = isKept(row);
    if (!kept) onDropped(row);
    return kept;
  };
  let rows: EventRow[] = [];
  let due = 0;
  for await (const page of replayWrites(context, persistenceId, range, call)) {
    for (const part of page) {
      if (part.whole === undefined) {
        for (const row of part.rows) if (passes(row)) yield [row];
        continue;
      }
      if (part.whole > 0) due = part.whole;
      rows.push(...part.rows);
      if (rows.length < due) continue;
      const kept = rows.filter(passes);
      rows = [];
      if (kept.length > 0) yield kept;
    }
  }
}

import { type Item, isTablekeepError } from "@tablekeep/core";
import { isJournalError } from "../../errors/journal-error.ts";
import { itemSpan } from "../../protocol/item-rows.ts";
import { liveness } from "../../protocol/liveness.ts";
import { type Marks, markCorrupt, readMarks } from "../../protocol/marks.ts";
import { readPosition } from "../../protocol/position.ts";
import { readItems } from "../../protocol/read-rows.ts";
import type { Tool } from "../open-tool.ts";
import type { ToolId } from "../tool-ids.ts";
import type { ProgressReport } from "../tool-options.ts";
import {
  checkCommits,
  checkHighMark,
  checkMarkPlaces,
  checkRegistry,
  checkUnreadMarks,
} from "./check-items.ts";
import { type Finding, finding, numbersText } from "./finding.ts";
import { RowWalk } from "./row-walk.ts";

/** Numbers that are read at once; also how far beyond the end rows are searched for that nothing refers to. */
const stretch = 1000;

/** Checks everything that belongs to one id. */
export async function* verifyId(
  tool: Tool,
  id: ToolId,
  { decode, report }: { readonly decode: boolean; readonly report: ProgressReport },
): AsyncGenerator<Finding, void, undefined> {
  const { context, call } = tool;
  const { persistenceId, seen } = id;
  let marks: Marks;
  try {
    marks = await readMarks(context, persistenceId, call);
  } catch (error) {
    // Nothing of this id can be read. The others can.
    if (!isJournalError(error, "JOURNAL_SEQUENCE_NR_UNSAFE")) throw error;
    yield finding("row-corrupt", persistenceId, `a mark of the id: ${error.message}`);
    return;
  }
  if (marks.damaged !== undefined)
    yield finding("row-corrupt", persistenceId, markCorrupt(persistenceId, marks.damaged).message);
  const walk = new RowWalk(tool, persistenceId, marks, {
    decode,
    isLive: liveness(context, persistenceId, call),
  });
  for await (const item of itemsOf(tool, persistenceId, marks, seen)) {
    const { first, last } = itemSpan(context, persistenceId, item);
    report.row(persistenceId, last - first + 1);
    yield* await walk.take(item);
  }
  yield* await walk.end();
  yield* await checkEnd(tool, persistenceId, walk);
  yield* checkStage(persistenceId, marks);
  yield* checkHighMark(context.layout, persistenceId, marks, walk.highest);
  yield* await checkMarkPlaces(tool, persistenceId);
  yield* checkUnreadMarks(id, marks, walk.highest);
  yield* checkCommits(tool, persistenceId);
  yield* await checkRegistry(tool, persistenceId, walk.highest > 0);
}

/** All items of an id at keys of events, in order, whatever they contain. */
async function* itemsOf(
  { context, call }: Tool,
  persistenceId: string,
  { high, low, writer }: Marks,
  seen: ToolId["seen"],
): AsyncGenerator<Item, void, undefined> {
  const { layout } = context;
  const staged = Math.max(writer.stage?.last ?? 0, writer.cleared?.last ?? 0);
  const knownEnd = Math.max(high, low, seen?.to ?? 0, staged);
  const first = Math.max(0, Math.min(seen?.from ?? 0, low, knownEnd));
  for (let from = first; from <= Number.MAX_SAFE_INTEGER; ) {
    const to = Math.max(layout.endOfSpan(from), Math.min(from + stretch - 1, Number.MAX_SAFE_INTEGER));
    let found = false;
    for await (const page of readItems(context, persistenceId, { from, to }, call)) {
      found ||= page.length > 0;
      yield* page;
    }
    if (!found && from > knownEnd) return;
    from = to + 1;
  }
}

/** Events above the highest sequence number that is found are never replayed, and their numbers may be assigned again. */
async function checkEnd(
  { context, call }: Tool,
  persistenceId: string,
  { lastEvent }: RowWalk,
): Promise<Finding[]> {
  let highest: number;
  try {
    ({ highest } = await readPosition(context, persistenceId, call));
  } catch (error) {
    // The row that shows the end is corrupt: it was reported.
    if (isTablekeepError(error) && error.kind === "corrupt") return [];
    throw error;
  }
  if (lastEvent <= highest) return [];
  const message = `events go up to ${lastEvent}, but no mark leads beyond ${highest}: replays end there`;
  const repair = { action: "raise-high-mark", to: lastEvent } as const;
  return [finding("events-beyond-end", persistenceId, message, { from: highest + 1, to: lastEvent, repair })];
}

function* checkStage(persistenceId: string, { writer: { stage } }: Marks): Generator<Finding> {
  if (stage === undefined) return;
  const { first, last } = stage;
  const message = `a batch of ${numbersText(first, last)} is staged, by a running writer or by one that died`;
  const repair = { action: "clear-stage" } as const;
  yield finding("stage-open", persistenceId, message, { from: first, to: last, repair });
}

import { scanItems } from "@tablekeep/client";
import { type DynamoPort, type Item, optionCheck } from "@tablekeep/core";
import type { JournalOptions } from "../../journal-options.ts";
import { checkOptions } from "../../options/check-options.ts";
import { readMarks } from "../../position/read-marks.ts";
import { readPosition } from "../../position/read-position.ts";
import { readItems } from "../../replay/read-rows.ts";
import { itemReader, type JournalItem } from "../journal-item.ts";
import { openToRead, type Tool } from "../open-tool.ts";
import { ProgressReport } from "../progress-report.ts";
import { type ToolOptions, toolOptionChecks } from "../tool-options.ts";
import { type JournalStats, StatsCount } from "./stats-count.ts";

export interface StatsOptions extends ToolOptions {
  /** One id only. @default the whole journal, by reading the whole table */
  readonly persistenceId?: string | undefined;
}

/** Counts what a journal holds: ids, events, bytes, formats, serializers, marks, and what deletions left. Only reads. */
export async function journalStats(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: StatsOptions = {},
): Promise<JournalStats> {
  checkOptions(options, { ...toolOptionChecks, persistenceId: optionCheck.id });
  const tool = await openToRead(port, journal, options);
  const report = new ProgressReport(options);
  const count = new StatsCount(tool.context.messageNames);
  const { persistenceId } = options;
  const items = persistenceId === undefined ? allItems(tool) : itemsOf(tool, persistenceId);
  for await (const { item, what } of items) {
    count.add(item, what);
    report.row("persistenceId" in what ? what.persistenceId : "");
  }
  return count.stats();
}

interface Found {
  readonly item: Item;
  readonly what: JournalItem;
}

async function* allItems({ context, settings, call }: Tool): AsyncGenerator<Found, void, undefined> {
  const { port, table, layout, clock, random } = context;
  const read = itemReader(layout, settings);
  const input = { TableName: table, ConsistentRead: true };
  for await (const item of scanItems(port, input, { ...call, clock, random })) {
    yield { item, what: read(item) };
  }
}

/** The rows of one id, and its marks by their number only. */
async function* itemsOf(
  { context, call }: Tool,
  persistenceId: string,
): AsyncGenerator<Found, void, undefined> {
  const { layout } = context;
  const { highMarks, lowMarks } = await readMarks(context, persistenceId, call);
  for (const _mark of highMarks) yield { item: {}, what: { kind: "high-mark", persistenceId } };
  for (const _mark of lowMarks) yield { item: {}, what: { kind: "low-mark", persistenceId } };
  const { highest } = await readPosition(context, persistenceId, call);
  for await (const page of readItems(context, persistenceId, { from: 0, to: highest }, call)) {
    for (const item of page) {
      const sequenceNr = layout.sequenceNrOf(persistenceId, item);
      yield { item, what: { kind: "event", persistenceId, sequenceNr } };
    }
  }
}

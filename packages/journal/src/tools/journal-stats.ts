import { itemSize, scanItems } from "@tablekeep/client";
import { type DynamoPort, type Item, isTablekeepError, optionCheck } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { JournalOptions } from "../context/journal-options.ts";
import { checkOptions } from "../errors/journal-error.ts";
import type { JournalItem } from "../layouts/layout.ts";
import { itemRows } from "../protocol/item-rows.ts";
import { readMarks } from "../protocol/marks.ts";
import { readPosition } from "../protocol/position.ts";
import { readItems } from "../protocol/read-rows.ts";
import type { EventRow } from "../rows/event-row.ts";
import { packedNames } from "../rows/packed-item.ts";
import type { RowFormat } from "../rows/row-format.ts";
import { openToRead, type Tool } from "./open-tool.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "./tool-options.ts";

/** How an event is stored: in an item of one of the originals' formats, or packed with others. */
export type StoredFormat = RowFormat | "packed";

/** The contents of a journal. Bytes are those that DynamoDB counts, without indexes. */
export interface JournalStats {
  readonly ids: number;
  /** Rows with an event, live or not. */
  readonly events: number;
  /** Of these, events that are marked as deleted. */
  readonly softlyDeleted: number;
  /** Of these, rows written ahead of a commit. */
  readonly staged: number;
  /** Rows that cannot be read; `verifyJournal` lists them. */
  readonly unreadable: number;
  readonly eventBytes: number;
  readonly largestEventBytes: number;
  readonly byFormat: Readonly<Record<StoredFormat, number>>;
  /** Events by the id of their serializer. */
  readonly bySerializer: Readonly<Record<string, number>>;
  /** Milliseconds; undefined if no event has a time. */
  readonly oldest?: number;
  readonly newest?: number;
  /** The id with the most events; undefined if there is none. */
  readonly longest?: { readonly persistenceId: string; readonly events: number };
  readonly tombstones: number;
  readonly highMarks: number;
  readonly lowMarks: number;
  /** Writer items; in the linear layout head items, which hold the low mark too. */
  readonly writerItems: number;
  readonly commitRecords: number;
  readonly registered: number;
  /** Snapshots, which only the packed layout stores beside the events. */
  readonly snapshots: number;
  /** Items of other journals, and of others altogether. */
  readonly otherItems: number;
}

const counters = {
  "high-mark": "highMarks",
  "low-mark": "lowMarks",
  writer: "writerItems",
  commit: "commitRecords",
  registry: "registered",
  snapshot: "snapshots",
  other: "otherItems",
} as const;

/** Adds items up. Remembers the ids. */
class StatsCount {
  readonly #context: JournalContext;
  readonly #eventsById = new Map<string, number>();
  readonly #bySerializer = new Map<number, number>();
  readonly #byFormat: Record<StoredFormat, number> = { event: 0, pay: 0, message: 0, packed: 0 };
  readonly #counts = {
    events: 0,
    softlyDeleted: 0,
    staged: 0,
    unreadable: 0,
    eventBytes: 0,
    largestEventBytes: 0,
    tombstones: 0,
    highMarks: 0,
    lowMarks: 0,
    writerItems: 0,
    commitRecords: 0,
    registered: 0,
    snapshots: 0,
    otherItems: 0,
  };
  #oldest = Number.POSITIVE_INFINITY;
  #newest = 0;

  constructor(context: JournalContext) {
    this.#context = context;
  }

  add(item: Item, what: JournalItem): void {
    if ("persistenceId" in what && !this.#eventsById.has(what.persistenceId))
      this.#eventsById.set(what.persistenceId, 0);
    if (what.kind === "event") this.#addRow(item, what);
    else if (what.kind !== "record") this.#counts[counters[what.kind]]++;
  }

  stats(): JournalStats {
    const longest = [...this.#eventsById].reduce((one, two) => (two[1] > one[1] ? two : one), [
      "",
      0,
    ] as const);
    const serializers = [...this.#bySerializer].toSorted(([one], [two]) => one - two);
    return {
      ids: this.#eventsById.size,
      ...this.#counts,
      eventBytes: Math.round(this.#counts.eventBytes),
      byFormat: this.#byFormat,
      bySerializer: Object.fromEntries(serializers),
      ...(this.#newest > 0 && { oldest: this.#oldest, newest: this.#newest }),
      ...(longest[1] > 0 && { longest: { persistenceId: longest[0], events: longest[1] } }),
    };
  }

  #addRow(item: Item, key: Extract<JournalItem, { kind: "event" }>): void {
    try {
      const rows = itemRows(this.#context, key.persistenceId, item);
      const bytes = itemSize(item) / Math.max(1, rows.length);
      for (const row of rows) {
        if (row.kind === "tombstone") this.#counts.tombstones++;
        else this.#addEvent(row, item, bytes);
      }
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      this.#counts.unreadable++;
    }
  }

  /** `bytes` is what it takes of its item. */
  #addEvent(row: EventRow, item: Item, bytes: number): void {
    const { serializerId } = row.payload;
    this.#counts.events++;
    this.#counts.eventBytes += bytes;
    this.#counts.largestEventBytes = Math.max(this.#counts.largestEventBytes, Math.ceil(bytes));
    if (row.deleted === true) this.#counts.softlyDeleted++;
    if (row.staged) this.#counts.staged++;
    this.#byFormat[formatOf(item)]++;
    this.#bySerializer.set(serializerId, (this.#bySerializer.get(serializerId) ?? 0) + 1);
    this.#eventsById.set(row.persistenceId, (this.#eventsById.get(row.persistenceId) ?? 0) + 1);
    if (row.timestamp === undefined) return;
    this.#oldest = Math.min(this.#oldest, row.timestamp);
    this.#newest = Math.max(this.#newest, row.timestamp);
  }
}

function formatOf(item: Item): StoredFormat {
  if (item[packedNames.bytes]?.B !== undefined) return "packed";
  if (item["event"]?.B !== undefined) return "event";
  return item["pay"]?.B !== undefined ? "pay" : "message";
}

export interface StatsOptions extends ToolOptions {
  /** One id only. @default the whole journal, by reading the whole table */
  readonly persistenceId?: string;
}

/**
 * Counts the contents of a journal: ids, events, bytes, formats, serializers, marks, and what deletions left. Only reads.
 *
 * @example
 * const { ids, events } = await journalStats(port, { table: "events" });
 */
export async function journalStats(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: StatsOptions = {},
): Promise<JournalStats> {
  checkOptions(options, { ...toolOptionChecks, persistenceId: optionCheck.id });
  const tool = await openToRead(port, journal, options);
  const report = new ProgressReport(options);
  const count = new StatsCount(tool.context);
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

async function* allItems({ context, call }: Tool): AsyncGenerator<Found, void, undefined> {
  const { port, table, layout, clock, random } = context;
  const input = { TableName: table, ConsistentRead: true };
  for await (const item of scanItems(port, input, { ...call, clock, random })) {
    yield { item, what: layout.describe(item) };
  }
}

/** The rows of one id, and its marks by their number only. */
async function* itemsOf(
  { context, call }: Tool,
  persistenceId: string,
): AsyncGenerator<Found, void, undefined> {
  const { layout } = context;
  const { highMarks, lowMarks } = await readMarks(context, persistenceId, call);
  for (const _mark of highMarks) yield { item: {}, what: { kind: "high-mark", persistenceId, shard: 0 } };
  for (const _mark of lowMarks) yield { item: {}, what: { kind: "low-mark", persistenceId, shard: 0 } };
  const { highest } = await readPosition(context, persistenceId, call);
  for await (const page of readItems(context, persistenceId, { from: 0, to: highest }, call)) {
    for (const item of page) {
      const sequenceNr = layout.sequenceNrOf(persistenceId, item);
      yield { item, what: { kind: "event", persistenceId, sequenceNr } };
    }
  }
}

import { scanItems } from "@tablekeep/client";
import type { IdSource } from "../context/journal.ts";
import { checkId } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import { numberOf } from "../layouts/layout.ts";
import type { Position } from "../protocol/position.ts";
import { currentPersistenceIds } from "../queries/persistence-ids.ts";
import type { Tool } from "./open-tool.ts";
import type { ProgressReport } from "./tool-options.ts";

/** Selects the ids that a tool processes. */
export interface IdChoice {
  /** One id only. @default all */
  readonly persistenceId?: string;
  /**
   * Where ids are read from. A scan reads the keys of the whole table, holds the ids in memory, and is the only source that
   * finds everything; the others are cheap. @default "scan"
   */
  readonly source?: IdSource;
}

/** An id, and what a scan has seen of it. */
export interface ToolId {
  readonly persistenceId: string;
  /** Undefined if unknown. */
  readonly seen?: SeenOfId;
}

/** What a scan has seen of an id. */
export interface SeenOfId {
  /** The lowest and the highest sequence number of a row. */
  readonly from: number;
  readonly to: number;
  /** The highest marks in shards that the journal does not read; 0 if there are none. */
  readonly unreadHigh: number;
  readonly unreadLow: number;
}

/** Yields the ids to process; a scan sorts them, so that a second run has the same order. */
export async function* toolIds(
  tool: Tool,
  { persistenceId, source = "scan" }: IdChoice,
  report: ProgressReport,
): AsyncGenerator<ToolId, void, undefined> {
  if (persistenceId !== undefined) {
    checkId(tool.context, persistenceId);
    yield { persistenceId };
  } else if (source === "scan") {
    const ids = await scannedIds(tool);
    report.ofIds = ids.length;
    yield* ids;
  } else {
    for await (const known of currentPersistenceIds(tool.context, { source, signal: tool.call.signal })) {
      yield { persistenceId: known.persistenceId };
    }
  }
}

const nothingSeen: SeenOfId = { from: Number.POSITIVE_INFINITY, to: 0, unreadHigh: 0, unreadLow: 0 };

/**
 * Throws `JOURNAL_SETTINGS_DIFFER` if marks of an id that the journal does not read say more than those that it does: an Akka plugin was
 * configured with more shards. Numbers that are in use would be free here.
 */
export function checkShards(
  { settings: { sequenceShards } }: Pick<Tool, "settings">,
  { persistenceId, seen }: ToolId,
  { highest, low }: Pick<Position, "highest" | "low">,
): void {
  if (seen === undefined || (seen.unreadHigh <= highest && seen.unreadLow <= Math.max(1, low))) return;
  throw new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `${persistenceId} has marks in shards from ${sequenceShards} on: open the journal with sequenceShards as in the configuration of the Akka plugin`,
    { setting: "sequenceShards", stored: `more than ${sequenceShards}`, given: String(sequenceShards) },
  );
}

/** Every id that any item of the journal mentions: events, marks, writer items, commit records, the registry. */
async function scannedIds({ context, call }: Tool): Promise<ToolId[]> {
  const { port, table, layout, clock, random } = context;
  const { high, low } = layout.markAttributes;
  const attributes = new Set([...layout.keyNames, "persistence_id", high, low]);
  const names = Object.fromEntries([...attributes].map((name, at) => [`#a${at}`, name]));
  const input = {
    TableName: table,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
    ConsistentRead: true,
  };
  const shards = layout.markKeys("").high.length;
  const seen = new Map<string, { -readonly [Name in keyof SeenOfId]: number }>();
  for await (const item of scanItems(port, input, { ...call, clock, random })) {
    const found = layout.describe(item);
    if (found.kind === "record" || found.kind === "other") continue;
    const place = seen.get(found.persistenceId) ?? { ...nothingSeen };
    if (found.kind === "event") {
      place.from = Math.min(place.from, found.sequenceNr);
      place.to = Math.max(place.to, found.sequenceNr);
    }
    if (found.kind === "high-mark" && found.shard >= shards)
      place.unreadHigh = Math.max(place.unreadHigh, numberOf(item, high) ?? 0);
    if (found.kind === "low-mark" && found.shard >= shards)
      place.unreadLow = Math.max(place.unreadLow, numberOf(item, low) ?? 0);
    seen.set(found.persistenceId, place);
  }
  const ids = [...seen].map(([persistenceId, place]) => ({ persistenceId, seen: place }));
  return ids.sort((one, two) => (one.persistenceId < two.persistenceId ? -1 : 1));
}

import { scanItems } from "@tablekeep/client";
import type { IdSource } from "../context/journal.ts";
import { checkId } from "../context/journal-context.ts";
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
  /** The lowest and the highest sequence number of a row; undefined if unknown. */
  readonly seen?: { readonly from: number; readonly to: number };
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

/** Every id that any item of the journal mentions: events, marks, writer items, commit records, the registry. */
async function scannedIds({ context, call }: Tool): Promise<ToolId[]> {
  const { port, table, layout, clock, random } = context;
  const names = Object.fromEntries(
    [...layout.keyNames, "persistence_id"].map((name, at) => [`#a${at}`, name]),
  );
  const input = {
    TableName: table,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
    ConsistentRead: true,
  };
  const seen = new Map<string, { from: number; to: number }>();
  for await (const item of scanItems(port, input, { ...call, clock, random })) {
    const found = layout.describe(item);
    if (found.kind === "record" || found.kind === "other") continue;
    const place = seen.get(found.persistenceId) ?? { from: Number.POSITIVE_INFINITY, to: 0 };
    if (found.kind === "event") {
      place.from = Math.min(place.from, found.sequenceNr);
      place.to = Math.max(place.to, found.sequenceNr);
    }
    seen.set(found.persistenceId, place);
  }
  const ids = [...seen].map(([persistenceId, place]) => ({ persistenceId, seen: place }));
  return ids.sort((one, two) => (one.persistenceId < two.persistenceId ? -1 : 1));
}

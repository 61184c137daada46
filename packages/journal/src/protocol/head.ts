import type { Item, Key } from "@tablekeep/core";
import { checkTime } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { PackedKeys } from "../layouts/layout.ts";
import { isMoved, lastToCount } from "../rows/event-row.ts";
import { itemSpan, lastRowOf } from "./item-rows.ts";
import { liveness } from "./liveness.ts";
import { type Marks, marksOf, readMarks } from "./marks.ts";

/** The marks of an id, and its last event if the same request returned it. */
export interface Head extends Marks {
  /** The last live sequence number, 0 if there is none; undefined if it has not been read. */
  readonly seen?: number;
}

/** What a corrupt item at the end of an id means: an error, or, where everything is to be removed, the end that it names. */
export type CorruptEnd = "throws" | "counts";

/** Reads the head of an id. In the packed layout it has all that a writer needs, in the others only the marks. */
export function readHead(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  corruptEnd: CorruptEnd = "throws",
): Promise<Head> {
  if (context.layout.packed === undefined) return readMarks(context, persistenceId, options);
  return readPackedHead(context, persistenceId, options, corruptEnd);
}

/** An id ends with its writer item, a snapshot and the newest events. More are read only if staged items come first. */
const endItems = 3;
const searchItems = 100;

/**
 * Reads backwards from the end to the first live item, nearly always with one request. A snapshot is not the end: the item before
 * it may have later events.
 */
async function readPackedHead(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  corruptEnd: CorruptEnd,
): Promise<Head> {
  const { port, table: TableName } = context;
  const { wholeQuery, roleOf } = context.layout.packed as PackedKeys;
  const input = { TableName, ...wholeQuery(persistenceId, 0), ConsistentRead: true, ScanIndexForward: false };
  const isLive = liveness(context, persistenceId, options);
  let writer: Item | undefined;
  let seen = 0;
  let ExclusiveStartKey: Key | undefined;
  for (let Limit = endItems; ; Limit = searchItems) {
    checkTime(options);
    const { Items = [], LastEvaluatedKey } = await port.query(
      { ...input, Limit, ExclusiveStartKey },
      options,
    );
    for (const item of Items) {
      const role = roleOf(item);
      if (role === "writer") writer = item;
      if (role !== "event") continue;
      if (corruptEnd === "counts" && isCorrupt(context, persistenceId, item))
        return { ...packedMarks(context, writer), seen: itemSpan(context, persistenceId, item).writeLast };
      const last = lastRowOf(context, persistenceId, item);
      if (last === undefined) continue;
      checkTime(options);
      if (!(await isLive(last))) continue;
      seen = Math.max(seen, lastToCount(last));
      if (!isMoved(last)) return { ...packedMarks(context, writer), seen };
    }
    if (LastEvaluatedKey === undefined) return { ...packedMarks(context, writer), seen };
    ExclusiveStartKey = LastEvaluatedKey;
  }
}

function isCorrupt(context: JournalContext, persistenceId: string, item: Item): boolean {
  try {
    lastRowOf(context, persistenceId, item);
    return false;
  } catch (error) {
    if (error instanceof JournalError) return true;
    throw error;
  }
}

/** Returns the marks of an id in the packed layout, all of which are in the writer item. */
export function packedMarks(context: JournalContext, writer: Item | undefined): Marks {
  return marksOf(context, [], [writer], writer);
}

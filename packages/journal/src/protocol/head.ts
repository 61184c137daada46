import type { Item, Key } from "@tablekeep/core";
import { checkTime } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import type { PackedKeys } from "../layouts/layout.ts";
import { isMoved, lastToCount } from "../rows/event-row.ts";
import { lastRowOf } from "./item-rows.ts";
import { liveness } from "./liveness.ts";
import { type Marks, marksOf, readMarks } from "./marks.ts";

/** What the small items of an id say, and where it ends if the same request showed it. */
export interface Head extends Marks {
  /** The last live number, 0 if there is none; undefined where it is still to be searched for. */
  readonly seen?: number;
}

/** Reads the head of an id: all that a writer begins with in the packed layout, only the marks in the others. */
export function readHead(context: JournalContext, persistenceId: string, options: Call): Promise<Head> {
  const { packed } = context.layout;
  if (packed === undefined) return readMarks(context, persistenceId, options);
  return readPackedHead(context, packed, persistenceId, options);
}

/** The writer item, the newest snapshot and the newest events: what an id ends with. More only where staged items are on top. */
const endItems = 3;
const searchItems = 100;

/**
 * One request, from the end down to the first item that counts. A snapshot says nothing: events that it covers, and later ones,
 * may be in the item below it.
 */
async function readPackedHead(
  context: JournalContext,
  { wholeQuery, roleOf }: PackedKeys,
  persistenceId: string,
  options: Call,
): Promise<Head> {
  const { port, table: TableName } = context;
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

/** The marks of an id in the packed layout: the writer item holds the only one. */
export function packedMarks(context: JournalContext, writer: Item | undefined): Marks {
  return marksOf(context, [], [writer], writer);
}

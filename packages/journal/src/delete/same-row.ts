import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { tombstoneNames } from "../rows/tombstone.ts";

/** A condition of a write. */
interface RowCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Item;
}

/**
 * The condition that a row is still the one that was read. Between the two an id may be purged and started again: a delete
 * must not take an event of its new life. Rows of ours are told by their write id, those of the original by their writer,
 * and where they have none by their payload.
 */
export function isStill({ messageNames }: JournalContext, item: Item): RowCondition | undefined {
  const isTombstone = item[tombstoneNames.mark]?.BOOL === true;
  const told = ["wid", "writer_uuid", "pay", messageNames.payload].find((name) => item[name] !== undefined);
  const value = told === undefined ? undefined : item[told];
  if (told === undefined || value === undefined) return undefined;
  const conditions = [`attribute_${isTombstone ? "" : "not_"}exists(#tomb)`, "#told = :told"];
  // A row of ours that came in place of one of the original has its writer too.
  if (told !== "wid") conditions.push("attribute_not_exists(wid)");
  return {
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: { "#tomb": tombstoneNames.mark, "#told": told },
    ExpressionAttributeValues: { ":told": value },
  };
}

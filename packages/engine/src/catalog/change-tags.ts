import type { Tag } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Database } from "../database.ts";
import { resourceNotFound, taggedTable } from "./tagged-table.ts";

/** Replaces the tags of the table that an ARN means. */
export function changeTags(
  database: Database,
  arn: string,
  change: (tags: readonly Tag[]) => Tag[],
): Promise<Answer> {
  const name = taggedTable(arn);
  return database.writes.submit((transaction) => {
    const record = database.catalog.latest(transaction, name);
    if (record === undefined) throw resourceNotFound(arn);
    database.catalog.put(transaction, { ...record, tags: change(record.tags) });
    return {};
  });
}

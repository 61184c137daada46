import type { Database } from "../database.ts";
import { invalid } from "../item/refuse.ts";
import type { Source } from "../read/key-range.ts";
import { sourceOf } from "../read/source.ts";
import type { SelectStatement } from "./statement.ts";

/** The table and the index that a SELECT names. DynamoDB has other words for what is wrong with them than in a query. */
export function selectSource(
  database: Database,
  { table: TableName, index: IndexName }: SelectStatement,
  ConsistentRead: boolean | undefined,
): Source {
  const { indexes } = database.catalog.get(TableName);
  const index = indexes.find(({ name }) => name === IndexName);
  if (IndexName !== undefined && index === undefined) {
    throw invalid("The table does not have the specified index");
  }
  if (index?.kind === "global" && ConsistentRead) {
    throw invalid("Strongly consistent read is not supported on Global Secondary Indexes");
  }
  return sourceOf(database, { TableName, IndexName, ConsistentRead });
}

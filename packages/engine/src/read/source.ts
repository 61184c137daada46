import type { IndexModel, TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import { invalid } from "../values/dynamo-errors.ts";

/** The source of a query or scan: a table, or one of its indexes. */
export interface Source {
  readonly table: TableModel;
  readonly index: IndexModel | undefined;
}

/** The parameters that name the source of a query or scan. */
interface SourceParameters {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
}

/** Returns the table and the index that are named. */
export function sourceOf(database: Database, parameters: SourceParameters): Source {
  const table = database.catalog.get(parameters.TableName ?? "");
  const { IndexName } = parameters;
  if (IndexName === undefined) return { table, index: undefined };
  const index = table.indexes.find(({ name }) => name === IndexName);
  if (index === undefined) throw invalid(`The table does not have the specified index: ${IndexName}`);
  if (index.kind === "global" && parameters.ConsistentRead) {
    throw invalid("Consistent reads are not supported on global secondary indexes");
  }
  if (index.backfilling) throw invalid(`Cannot read from backfilling global secondary index: ${IndexName}`);
  return { table, index };
}

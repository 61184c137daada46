import { itemKey } from "../catalog/storage-keys.ts";
import type { IndexModel, TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import type { ProjectedPaths } from "../expression/syntax-tree.ts";
import type { StorageKey } from "../storage/storage.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { WireItem } from "../values/wire-value.ts";
import { bindCondition } from "./bind-condition.ts";
import type { BoundStatement } from "./bind-statement.ts";
import { findSingleItem } from "./key-conditions.ts";
import type { SelectStatement } from "./statement.ts";

/** Throws for an index whose partition or sort key has several attributes: DynamoDB does not read it by PartiQL. */
export function checkSingleKeys(index: IndexModel | undefined): void {
  if (index === undefined || (index.hash.length < 2 && index.range.length < 2)) return;
  throw invalid(
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.",
  );
}

/** A SELECT of one item by its whole key: all that batches and transactions can read. */
interface ItemSelect {
  readonly table: TableModel;
  readonly key: WireItem;
  /** The item's storage key. */
  readonly at: StorageKey;
  /**
   * The requested attributes. Unlike those of a separate SELECT, they are returned in the shape of the item, as by
   * GetItem.
   */
  readonly projection: ProjectedPaths | undefined;
}

/** Checks a SELECT of a batch or transaction. `operation` is named in the error. */
export function planItemSelect(
  database: Database,
  { statement, parameters }: BoundStatement<SelectStatement>,
  operation: string,
): ItemSelect {
  const table = database.catalog.get(statement.table);
  const ofIndex = statement.index !== undefined;
  if (ofIndex && operation === "ExecuteTransaction") {
    throw invalid("Reads on indices are not supported within transactions.");
  }
  checkSingleKeys(table.indexes.find(({ name }) => name === statement.index));
  const pinned = findSingleItem(table, statement.where && bindCondition(statement.where, parameters));
  if (ofIndex || pinned === undefined || pinned.rest !== undefined) {
    throw invalid(`Select statements within ${operation} must specify the primary key in the where clause.`);
  }
  const projection = statement.selection?.map(({ path }) => path);
  return { table, key: pinned.key, at: itemKey(table, pinned.key), projection };
}

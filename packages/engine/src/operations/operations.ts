import type { OperationName } from "@tablekeep/core";
import { batchGetItem } from "./batch-get-item/batch-get-item.ts";
import { batchWriteItem } from "./batch-write-item/batch-write-item.ts";
import { createTable } from "./create-table/create-table.ts";
import { deleteItem } from "./delete-item/delete-item.ts";
import { deleteTable } from "./delete-table/delete-table.ts";
import { describeTable } from "./describe-table/describe-table.ts";
import { getItem } from "./get-item/get-item.ts";
import { listTables } from "./list-tables/list-tables.ts";
import type { Operation } from "./operation.ts";
import { putItem } from "./put-item/put-item.ts";
import { query } from "./query/query.ts";
import { scan } from "./scan/scan.ts";
import { transactGetItems } from "./transact-get-items/transact-get-items.ts";
import { transactWriteItems } from "./transact-write-items/transact-write-items.ts";
import { updateItem } from "./update-item/update-item.ts";

/** Every operation by its name on the wire. */
export const operations: Partial<{ readonly [Name in OperationName]: Operation<Name> }> = {
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateTable: createTable,
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeTable: describeTable,
  GetItem: getItem,
  ListTables: listTables,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UpdateItem: updateItem,
};

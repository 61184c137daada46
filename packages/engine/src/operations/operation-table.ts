import type { OperationTable } from "../database/database.ts";
import { batchGetItem } from "./batch-get-item.ts";
import { batchWriteItem } from "./batch-write-item.ts";
import { createTable } from "./create-table.ts";
import { deleteTable } from "./delete-table.ts";
import { describeEndpoints, describeLimits, describeTable, listTables } from "./describe.ts";
import { batchExecuteStatement, executeStatement } from "./execute-statement.ts";
import { executeTransaction } from "./execute-transaction.ts";
import { query } from "./query.ts";
import { scan } from "./scan.ts";
import { deleteItem, getItem, putItem, updateItem } from "./single-items.ts";
import { describeStream, getRecords, getShardIterator, listStreams } from "./streams.ts";
import { listTagsOfResource, tagResource, untagResource } from "./tags.ts";
import { describeTimeToLive, updateTimeToLive } from "./time-to-live.ts";
import { transactGetItems, transactWriteItems } from "./transact-items.ts";
import { updateTable } from "./update-table.ts";

/** All operations by their names in DynamoDB's protocol. */
export const operations: OperationTable = {
  BatchExecuteStatement: batchExecuteStatement,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateTable: createTable,
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeEndpoints: describeEndpoints,
  DescribeLimits: describeLimits,
  DescribeStream: describeStream,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  ExecuteStatement: executeStatement,
  ExecuteTransaction: executeTransaction,
  GetItem: getItem,
  GetRecords: getRecords,
  GetShardIterator: getShardIterator,
  ListStreams: listStreams,
  ListTables: listTables,
  ListTagsOfResource: listTagsOfResource,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TagResource: tagResource,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: untagResource,
  UpdateItem: updateItem,
  UpdateTable: updateTable,
  UpdateTimeToLive: updateTimeToLive,
};

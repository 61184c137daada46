import type { OperationName } from "@tablekeep/core";
import { batchExecuteStatement } from "./batch-execute-statement/batch-execute-statement.ts";
import { batchGetItem } from "./batch-get-item/batch-get-item.ts";
import { batchWriteItem } from "./batch-write-item/batch-write-item.ts";
import { createTable } from "./create-table/create-table.ts";
import { deleteItem } from "./delete-item/delete-item.ts";
import { deleteTable } from "./delete-table/delete-table.ts";
import { describeEndpoints } from "./describe-endpoints/describe-endpoints.ts";
import { describeLimits } from "./describe-limits/describe-limits.ts";
import { describeStream } from "./describe-stream/describe-stream.ts";
import { describeTable } from "./describe-table/describe-table.ts";
import { describeTimeToLive } from "./describe-time-to-live/describe-time-to-live.ts";
import { executeStatement } from "./execute-statement/execute-statement.ts";
import { executeTransaction } from "./execute-transaction/execute-transaction.ts";
import { getItem } from "./get-item/get-item.ts";
import { getRecords } from "./get-records/get-records.ts";
import { getShardIterator } from "./get-shard-iterator/get-shard-iterator.ts";
import { listStreams } from "./list-streams/list-streams.ts";
import { listTables } from "./list-tables/list-tables.ts";
import { listTagsOfResource } from "./list-tags-of-resource/list-tags-of-resource.ts";
import type { Operation } from "./operation.ts";
import { putItem } from "./put-item/put-item.ts";
import { query } from "./query/query.ts";
import { scan } from "./scan/scan.ts";
import { tagResource } from "./tag-resource/tag-resource.ts";
import { transactGetItems } from "./transact-get-items/transact-get-items.ts";
import { transactWriteItems } from "./transact-write-items/transact-write-items.ts";
import { untagResource } from "./untag-resource/untag-resource.ts";
import { updateItem } from "./update-item/update-item.ts";
import { updateTable } from "./update-table/update-table.ts";
import { updateTimeToLive } from "./update-time-to-live/update-time-to-live.ts";

/** Every operation by its name on the wire. */
export const operations: Partial<{ readonly [Name in OperationName]: Operation<Name> }> = {
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

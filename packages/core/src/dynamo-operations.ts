import type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
} from "./operations/batch-execute-statement.ts";
import type { BatchGetItemInput, BatchGetItemOutput } from "./operations/batch-get-item.ts";
import type { BatchWriteItemInput, BatchWriteItemOutput } from "./operations/batch-write-item.ts";
import type { CreateTableInput, CreateTableOutput } from "./operations/create-table.ts";
import type { DeleteItemInput, DeleteItemOutput } from "./operations/delete-item.ts";
import type { DeleteTableInput, DeleteTableOutput } from "./operations/delete-table.ts";
import type { DescribeEndpointsInput, DescribeEndpointsOutput } from "./operations/describe-endpoints.ts";
import type { DescribeLimitsInput, DescribeLimitsOutput } from "./operations/describe-limits.ts";
import type { DescribeStreamInput, DescribeStreamOutput } from "./operations/describe-stream.ts";
import type { DescribeTableInput, DescribeTableOutput } from "./operations/describe-table.ts";
import type {
  DescribeTimeToLiveInput,
  DescribeTimeToLiveOutput,
} from "./operations/describe-time-to-live.ts";
import type { ExecuteStatementInput, ExecuteStatementOutput } from "./operations/execute-statement.ts";
import type { ExecuteTransactionInput, ExecuteTransactionOutput } from "./operations/execute-transaction.ts";
import type { GetItemInput, GetItemOutput } from "./operations/get-item.ts";
import type { GetRecordsInput, GetRecordsOutput } from "./operations/get-records.ts";
import type { GetShardIteratorInput, GetShardIteratorOutput } from "./operations/get-shard-iterator.ts";
import type { ListStreamsInput, ListStreamsOutput } from "./operations/list-streams.ts";
import type { ListTablesInput, ListTablesOutput } from "./operations/list-tables.ts";
import type {
  ListTagsOfResourceInput,
  ListTagsOfResourceOutput,
} from "./operations/list-tags-of-resource.ts";
import type { PutItemInput, PutItemOutput } from "./operations/put-item.ts";
import type { QueryInput, QueryOutput } from "./operations/query.ts";
import type { ScanInput, ScanOutput } from "./operations/scan.ts";
import type { TagResourceInput, TagResourceOutput } from "./operations/tag-resource.ts";
import type { TransactGetItemsInput, TransactGetItemsOutput } from "./operations/transact-get-items.ts";
import type { TransactWriteItemsInput, TransactWriteItemsOutput } from "./operations/transact-write-items.ts";
import type { UntagResourceInput, UntagResourceOutput } from "./operations/untag-resource.ts";
import type { UpdateItemInput, UpdateItemOutput } from "./operations/update-item.ts";
import type { UpdateTableInput, UpdateTableOutput } from "./operations/update-table.ts";
import type { UpdateTimeToLiveInput, UpdateTimeToLiveOutput } from "./operations/update-time-to-live.ts";

/** Every operation of the port: its name on the wire, what goes in and what comes out. */
export interface DynamoOperations {
  GetItem: { input: GetItemInput; output: GetItemOutput };
  PutItem: { input: PutItemInput; output: PutItemOutput };
  UpdateItem: { input: UpdateItemInput; output: UpdateItemOutput };
  DeleteItem: { input: DeleteItemInput; output: DeleteItemOutput };
  Query: { input: QueryInput; output: QueryOutput };
  Scan: { input: ScanInput; output: ScanOutput };
  BatchGetItem: { input: BatchGetItemInput; output: BatchGetItemOutput };
  BatchWriteItem: { input: BatchWriteItemInput; output: BatchWriteItemOutput };
  TransactGetItems: { input: TransactGetItemsInput; output: TransactGetItemsOutput };
  TransactWriteItems: { input: TransactWriteItemsInput; output: TransactWriteItemsOutput };
  ExecuteStatement: { input: ExecuteStatementInput; output: ExecuteStatementOutput };
  BatchExecuteStatement: { input: BatchExecuteStatementInput; output: BatchExecuteStatementOutput };
  ExecuteTransaction: { input: ExecuteTransactionInput; output: ExecuteTransactionOutput };
  CreateTable: { input: CreateTableInput; output: CreateTableOutput };
  UpdateTable: { input: UpdateTableInput; output: UpdateTableOutput };
  DescribeTable: { input: DescribeTableInput; output: DescribeTableOutput };
  DeleteTable: { input: DeleteTableInput; output: DeleteTableOutput };
  ListTables: { input: ListTablesInput; output: ListTablesOutput };
  UpdateTimeToLive: { input: UpdateTimeToLiveInput; output: UpdateTimeToLiveOutput };
  DescribeTimeToLive: { input: DescribeTimeToLiveInput; output: DescribeTimeToLiveOutput };
  TagResource: { input: TagResourceInput; output: TagResourceOutput };
  UntagResource: { input: UntagResourceInput; output: UntagResourceOutput };
  ListTagsOfResource: { input: ListTagsOfResourceInput; output: ListTagsOfResourceOutput };
  DescribeLimits: { input: DescribeLimitsInput; output: DescribeLimitsOutput };
  DescribeEndpoints: { input: DescribeEndpointsInput; output: DescribeEndpointsOutput };
  ListStreams: { input: ListStreamsInput; output: ListStreamsOutput };
  DescribeStream: { input: DescribeStreamInput; output: DescribeStreamOutput };
  GetShardIterator: { input: GetShardIteratorInput; output: GetShardIteratorOutput };
  GetRecords: { input: GetRecordsInput; output: GetRecordsOutput };
}

export type OperationName = keyof DynamoOperations;
export type InputOf<Name extends OperationName> = DynamoOperations[Name]["input"];
export type OutputOf<Name extends OperationName> = DynamoOperations[Name]["output"];

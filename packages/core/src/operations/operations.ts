import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  BatchWriteItemInput,
  BatchWriteItemOutput,
} from "./batches.ts";
import type {
  DeleteItemInput,
  DeleteItemOutput,
  GetItemInput,
  GetItemOutput,
  PutItemInput,
  PutItemOutput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  UpdateItemInput,
  UpdateItemOutput,
} from "./items.ts";
import type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  ExecuteStatementInput,
  ExecuteStatementOutput,
  ExecuteTransactionInput,
  ExecuteTransactionOutput,
} from "./statements.ts";
import type {
  DescribeStreamInput,
  DescribeStreamOutput,
  GetRecordsInput,
  GetRecordsOutput,
  GetShardIteratorInput,
  GetShardIteratorOutput,
  ListStreamsInput,
  ListStreamsOutput,
} from "./streams.ts";
import type {
  CreateTableInput,
  CreateTableOutput,
  DeleteTableInput,
  DeleteTableOutput,
  DescribeEndpointsInput,
  DescribeEndpointsOutput,
  DescribeLimitsInput,
  DescribeLimitsOutput,
  DescribeTableInput,
  DescribeTableOutput,
  DescribeTimeToLiveInput,
  DescribeTimeToLiveOutput,
  ListTablesInput,
  ListTablesOutput,
  ListTagsOfResourceInput,
  ListTagsOfResourceOutput,
  TagResourceInput,
  TagResourceOutput,
  UntagResourceInput,
  UntagResourceOutput,
  UpdateTimeToLiveInput,
  UpdateTimeToLiveOutput,
} from "./tables.ts";
import type {
  TransactGetItemsInput,
  TransactGetItemsOutput,
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
} from "./transactions.ts";
import type { UpdateTableInput, UpdateTableOutput } from "./update-table.ts";

/** Every operation of the port: its name on the wire, its input and its output. */
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

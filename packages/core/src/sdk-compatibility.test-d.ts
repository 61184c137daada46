/** The types of this package and those of the AWS SDK are assignable to each other for every operation. */
import type * as Sdk from "@aws-sdk/client-dynamodb";
import type * as SdkStreams from "@aws-sdk/client-dynamodb-streams";
import type { AttributeValue, InputOf, OperationName, OutputOf } from "./index.ts";

type Assignable<From, To> = [From] extends [To] ? true : false;
type Mutual<Ours, Theirs> = [Assignable<Ours, Theirs>, Assignable<Theirs, Ours>];
type Proven<Pairs extends Record<string, [true, true]>> = Pairs;

type Without$Metadata<Output> = Omit<Output, "$metadata">;

interface SdkOperations {
  GetItem: [Sdk.GetItemCommandInput, Sdk.GetItemCommandOutput];
  PutItem: [Sdk.PutItemCommandInput, Sdk.PutItemCommandOutput];
  UpdateItem: [Sdk.UpdateItemCommandInput, Sdk.UpdateItemCommandOutput];
  DeleteItem: [Sdk.DeleteItemCommandInput, Sdk.DeleteItemCommandOutput];
  Query: [Sdk.QueryCommandInput, Sdk.QueryCommandOutput];
  Scan: [Sdk.ScanCommandInput, Sdk.ScanCommandOutput];
  BatchGetItem: [Sdk.BatchGetItemCommandInput, Sdk.BatchGetItemCommandOutput];
  BatchWriteItem: [Sdk.BatchWriteItemCommandInput, Sdk.BatchWriteItemCommandOutput];
  TransactGetItems: [Sdk.TransactGetItemsCommandInput, Sdk.TransactGetItemsCommandOutput];
  TransactWriteItems: [Sdk.TransactWriteItemsCommandInput, Sdk.TransactWriteItemsCommandOutput];
  ExecuteStatement: [Sdk.ExecuteStatementCommandInput, Sdk.ExecuteStatementCommandOutput];
  BatchExecuteStatement: [Sdk.BatchExecuteStatementCommandInput, Sdk.BatchExecuteStatementCommandOutput];
  ExecuteTransaction: [Sdk.ExecuteTransactionCommandInput, Sdk.ExecuteTransactionCommandOutput];
  CreateTable: [Sdk.CreateTableCommandInput, Sdk.CreateTableCommandOutput];
  UpdateTable: [Sdk.UpdateTableCommandInput, Sdk.UpdateTableCommandOutput];
  DescribeTable: [Sdk.DescribeTableCommandInput, Sdk.DescribeTableCommandOutput];
  DeleteTable: [Sdk.DeleteTableCommandInput, Sdk.DeleteTableCommandOutput];
  ListTables: [Sdk.ListTablesCommandInput, Sdk.ListTablesCommandOutput];
  UpdateTimeToLive: [Sdk.UpdateTimeToLiveCommandInput, Sdk.UpdateTimeToLiveCommandOutput];
  DescribeTimeToLive: [Sdk.DescribeTimeToLiveCommandInput, Sdk.DescribeTimeToLiveCommandOutput];
  TagResource: [Sdk.TagResourceCommandInput, Sdk.TagResourceCommandOutput];
  UntagResource: [Sdk.UntagResourceCommandInput, Sdk.UntagResourceCommandOutput];
  ListTagsOfResource: [Sdk.ListTagsOfResourceCommandInput, Sdk.ListTagsOfResourceCommandOutput];
  DescribeLimits: [Sdk.DescribeLimitsCommandInput, Sdk.DescribeLimitsCommandOutput];
  DescribeEndpoints: [Sdk.DescribeEndpointsCommandInput, Sdk.DescribeEndpointsCommandOutput];
  ListStreams: [SdkStreams.ListStreamsCommandInput, SdkStreams.ListStreamsCommandOutput];
  DescribeStream: [SdkStreams.DescribeStreamCommandInput, SdkStreams.DescribeStreamCommandOutput];
  GetShardIterator: [SdkStreams.GetShardIteratorCommandInput, SdkStreams.GetShardIteratorCommandOutput];
  GetRecords: [SdkStreams.GetRecordsCommandInput, SdkStreams.GetRecordsCommandOutput];
}

export type AttributeValues = Proven<{
  dynamodb: Mutual<AttributeValue, Sdk.AttributeValue>;
  streams: Mutual<AttributeValue, SdkStreams.AttributeValue>;
}>;
export type Inputs = Proven<{ [Name in OperationName]: Mutual<InputOf<Name>, SdkOperations[Name][0]> }>;
export type Outputs = Proven<{
  [Name in OperationName]: Mutual<OutputOf<Name>, Without$Metadata<SdkOperations[Name][1]>>;
}>;

// The proof can fail: these two are not assignable.
// @ts-expect-error a number is not an attribute value
export type CanFail = Proven<{ wrong: Mutual<number, AttributeValue> }>;

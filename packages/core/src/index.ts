/**
 * core: the words that every other room speaks.
 *
 * Here: DynamoDB's attribute values and operations as types, the port that carries them, how a write can end, the
 * error family, the clock, randomness and logger that are injected elsewhere, and how options are checked.
 * Not here: anything that does I/O, and any import. Nothing stands below this room.
 */
export type {
  AttributeType,
  AttributeValue,
  BinarySetValue,
  BinaryValue,
  BooleanValue,
  Item,
  Key,
  ListValue,
  MapValue,
  NullValue,
  NumberSetValue,
  NumberValue,
  StringSetValue,
  StringValue,
  UnknownValue,
} from "./attribute-value.ts";
export { buildPort, dispatchTo, type Interceptor, wrapPort } from "./build-port.ts";
export { type ReadMode, readUnits, type WriteMode, writeUnits } from "./capacity-units.ts";
export { type CancelTimer, type Clock, sleep, systemClock, type TimerOptions } from "./clock.ts";
export {
  addNumbers,
  canonicalNumber,
  compareNumbers,
  type Decimal,
  type NumberFault,
  normalizeNumber,
  storedDecimal,
  subtractNumbers,
} from "./decimal.ts";
export {
  type CancellationReason,
  DynamoError,
  type DynamoErrorDetails,
  type DynamoErrorInit,
  type DynamoExceptionName,
  dynamoErrorCode,
  dynamoExceptionNames,
  isDynamoError,
  type ThrottlingReason,
} from "./dynamo-error.ts";
export type { DynamoOperations, InputOf, OperationName, OutputOf } from "./dynamo-operations.ts";
export type { Call, CallOptions, Dispatch, DynamoPort, RetryLimits } from "./dynamo-port.ts";
export { type ErrorInit, type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "./error.ts";
export {
  attributeSize,
  base64Size,
  fitsItem,
  itemSize,
  maxItemBytes,
  numberSize,
  type SizedItem,
  type SizedValue,
} from "./item-size.ts";
export { type LogFields, type Logger, silentLogger } from "./logger.ts";
export {
  isOperationName,
  mayWrite,
  type OperationTraits,
  operationNames,
  operationTraits,
  type RequestEffect,
  requestEffect,
  statementsOf,
  tableOf,
  tablesOf,
} from "./operation-traits.ts";
export type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  BatchStatementError,
  BatchStatementErrorCodeEnum,
  BatchStatementRequest,
  BatchStatementResponse,
} from "./operations/batch-execute-statement.ts";
export type {
  BatchGetItemInput,
  BatchGetItemOutput,
  KeysAndAttributes,
} from "./operations/batch-get-item.ts";
export type {
  BatchWriteItemInput,
  BatchWriteItemOutput,
  DeleteRequest,
  PutRequest,
  WriteRequest,
} from "./operations/batch-write-item.ts";
export type {
  Capacity,
  ConsumedCapacity,
  ItemCollectionMetrics,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
  VectorCapacity,
} from "./operations/capacity.ts";
export type {
  CreateTableInput,
  CreateTableOutput,
  GlobalSecondaryIndex,
  LocalSecondaryIndex,
  VectorIndex,
} from "./operations/create-table.ts";
export type { DeleteItemInput, DeleteItemOutput } from "./operations/delete-item.ts";
export type { DeleteTableInput, DeleteTableOutput } from "./operations/delete-table.ts";
export type {
  DescribeEndpointsInput,
  DescribeEndpointsOutput,
  Endpoint,
} from "./operations/describe-endpoints.ts";
export type { DescribeLimitsInput, DescribeLimitsOutput } from "./operations/describe-limits.ts";
export type {
  DescribeStreamInput,
  DescribeStreamOutput,
  SequenceNumberRange,
  Shard,
  ShardFilter,
  ShardFilterType,
  StreamDescription,
  StreamStatus,
} from "./operations/describe-stream.ts";
export type { DescribeTableInput, DescribeTableOutput } from "./operations/describe-table.ts";
export type {
  DescribeTimeToLiveInput,
  DescribeTimeToLiveOutput,
  TimeToLiveDescription,
  TimeToLiveStatus,
} from "./operations/describe-time-to-live.ts";
export type { ExecuteStatementInput, ExecuteStatementOutput } from "./operations/execute-statement.ts";
export type {
  ExecuteTransactionInput,
  ExecuteTransactionOutput,
  ParameterizedStatement,
} from "./operations/execute-transaction.ts";
export type { GetItemInput, GetItemOutput } from "./operations/get-item.ts";
export type {
  ChangeRecord,
  GetRecordsInput,
  GetRecordsOutput,
  Identity,
  OperationType,
  StreamRecord,
} from "./operations/get-records.ts";
export type {
  GetShardIteratorInput,
  GetShardIteratorOutput,
  ShardIteratorType,
} from "./operations/get-shard-iterator.ts";
export type {
  ItemResponse,
  ReturnValue,
  ReturnValuesOnConditionCheckFailure,
  Select,
} from "./operations/item-shapes.ts";
export type {
  AttributeAction,
  AttributeValueUpdate,
  ComparisonOperator,
  Condition,
  ConditionalOperator,
  ExpectedAttributeValue,
} from "./operations/legacy-conditions.ts";
export type { ListStreamsInput, ListStreamsOutput, Stream } from "./operations/list-streams.ts";
export type { ListTablesInput, ListTablesOutput } from "./operations/list-tables.ts";
export type {
  ListTagsOfResourceInput,
  ListTagsOfResourceOutput,
} from "./operations/list-tags-of-resource.ts";
export type { PutItemInput, PutItemOutput } from "./operations/put-item.ts";
export type { QueryInput, QueryOutput } from "./operations/query.ts";
export type { ScanInput, ScanOutput } from "./operations/scan.ts";
export type {
  ArchivalSummary,
  AttributeDefinition,
  BillingMode,
  BillingModeSummary,
  GlobalSecondaryIndexDescription,
  GlobalSecondaryIndexWarmThroughputDescription,
  GlobalTableSettingsReplicationMode,
  GlobalTableWitnessDescription,
  IndexStatus,
  KeySchemaElement,
  KeyType,
  LocalSecondaryIndexDescription,
  MultiRegionConsistency,
  OnDemandThroughput,
  OnDemandThroughputOverride,
  Projection,
  ProjectionType,
  ProvisionedThroughput,
  ProvisionedThroughputDescription,
  ProvisionedThroughputOverride,
  ReplicaDescription,
  ReplicaGlobalSecondaryIndexDescription,
  ReplicaStatus,
  RestoreSummary,
  ScalarAttributeType,
  SearchSchemaElement,
  SearchSchemaElementType,
  SSEDescription,
  SSESpecification,
  SSEStatus,
  SSEType,
  StreamSpecification,
  StreamViewType,
  TableClass,
  TableClassSummary,
  TableDescription,
  TableStatus,
  TableWarmThroughputDescription,
  Tag,
  VectorAttributeDefinition,
  VectorDistanceFunction,
  VectorIndexDescription,
  WarmThroughput,
  WitnessStatus,
} from "./operations/table-description.ts";
export type { TagResourceInput, TagResourceOutput } from "./operations/tag-resource.ts";
export type {
  Get,
  TransactGetItem,
  TransactGetItemsInput,
  TransactGetItemsOutput,
} from "./operations/transact-get-items.ts";
export type {
  ConditionCheck,
  Delete,
  Put,
  TransactWriteItem,
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
  Update,
} from "./operations/transact-write-items.ts";
export type { UntagResourceInput, UntagResourceOutput } from "./operations/untag-resource.ts";
export type { UpdateItemInput, UpdateItemOutput } from "./operations/update-item.ts";
export type {
  CreateGlobalSecondaryIndexAction,
  CreateGlobalTableWitnessGroupMemberAction,
  CreateReplicationGroupMemberAction,
  CreateVectorIndexAction,
  DeleteGlobalSecondaryIndexAction,
  DeleteGlobalTableWitnessGroupMemberAction,
  DeleteReplicationGroupMemberAction,
  DeleteVectorIndexAction,
  DisassociateReplicationGroupMemberAction,
  DisassociationMode,
  GlobalSecondaryIndexUpdate,
  GlobalTableWitnessGroupUpdate,
  ReplicaGlobalSecondaryIndex,
  ReplicationGroupUpdate,
  UpdateGlobalSecondaryIndexAction,
  UpdateReplicationGroupMemberAction,
  UpdateTableInput,
  UpdateTableOutput,
  VectorIndexUpdate,
} from "./operations/update-table.ts";
export type {
  TimeToLiveSpecification,
  UpdateTimeToLiveInput,
  UpdateTimeToLiveOutput,
} from "./operations/update-time-to-live.ts";
export { checkOptions, type OptionCheck, type OptionChecks, optionCheck } from "./options.ts";
export { type Outcome, unwrap } from "./outcome.ts";
export { isSelect, skipSpace } from "./partiql.ts";
export { type Random, systemRandom } from "./random.ts";
export { type WithDeadlineOptions, withDeadline } from "./with-deadline.ts";

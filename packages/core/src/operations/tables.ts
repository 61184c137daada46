import type {
  AttributeDefinition,
  BillingMode,
  GlobalTableSettingsReplicationMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
  SearchSchemaElement,
  SSESpecification,
  StreamSpecification,
  TableClass,
  TableDescription,
  Tag,
  VectorAttributeDefinition,
  VectorDistanceFunction,
  WarmThroughput,
} from "./table-description.ts";

export interface CreateTableInput {
  AttributeDefinitions?: AttributeDefinition[] | undefined;
  TableName: string | undefined;
  KeySchema?: KeySchemaElement[] | undefined;
  LocalSecondaryIndexes?: LocalSecondaryIndex[] | undefined;
  GlobalSecondaryIndexes?: GlobalSecondaryIndex[] | undefined;
  BillingMode?: BillingMode | undefined;
  ProvisionedThroughput?: ProvisionedThroughput | undefined;
  StreamSpecification?: StreamSpecification | undefined;
  SSESpecification?: SSESpecification | undefined;
  Tags?: Tag[] | undefined;
  TableClass?: TableClass | undefined;
  DeletionProtectionEnabled?: boolean | undefined;
  WarmThroughput?: WarmThroughput | undefined;
  ResourcePolicy?: string | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  GlobalTableSourceArn?: string | undefined;
  GlobalTableSettingsReplicationMode?: GlobalTableSettingsReplicationMode | undefined;
  VectorIndexes?: VectorIndex[] | undefined;
}

export interface CreateTableOutput {
  TableDescription?: TableDescription | undefined;
}

export interface LocalSecondaryIndex {
  IndexName: string | undefined;
  KeySchema: KeySchemaElement[] | undefined;
  Projection: Projection | undefined;
}

export interface GlobalSecondaryIndex {
  IndexName: string | undefined;
  KeySchema: KeySchemaElement[] | undefined;
  Projection: Projection | undefined;
  ProvisionedThroughput?: ProvisionedThroughput | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: WarmThroughput | undefined;
}

export interface VectorIndex {
  IndexName: string | undefined;
  VectorAttribute: VectorAttributeDefinition | undefined;
  SearchSchema?: SearchSchemaElement[] | undefined;
  Projection: Projection | undefined;
  Dimensions: number | undefined;
  DistanceFunction: VectorDistanceFunction | undefined;
}

export interface DeleteTableInput {
  TableName: string | undefined;
}

export interface DeleteTableOutput {
  TableDescription?: TableDescription | undefined;
}

export interface DescribeTableInput {
  TableName: string | undefined;
}

export interface DescribeTableOutput {
  Table?: TableDescription | undefined;
}

export interface ListTablesInput {
  ExclusiveStartTableName?: string | undefined;
  Limit?: number | undefined;
}

export interface ListTablesOutput {
  TableNames?: string[] | undefined;
  LastEvaluatedTableName?: string | undefined;
}

export interface DescribeTimeToLiveInput {
  TableName: string | undefined;
}

export interface DescribeTimeToLiveOutput {
  TimeToLiveDescription?: TimeToLiveDescription | undefined;
}

export interface TimeToLiveDescription {
  TimeToLiveStatus?: TimeToLiveStatus | undefined;
  AttributeName?: string | undefined;
}

export type TimeToLiveStatus = "ENABLING" | "DISABLING" | "ENABLED" | "DISABLED";

export interface UpdateTimeToLiveInput {
  TableName: string | undefined;
  TimeToLiveSpecification: TimeToLiveSpecification | undefined;
}

export interface UpdateTimeToLiveOutput {
  TimeToLiveSpecification?: TimeToLiveSpecification | undefined;
}

export interface TimeToLiveSpecification {
  Enabled: boolean | undefined;
  AttributeName: string | undefined;
}

export interface TagResourceInput {
  ResourceArn: string | undefined;
  Tags: Tag[] | undefined;
}

export type TagResourceOutput = Record<never, never>;

export interface UntagResourceInput {
  ResourceArn: string | undefined;
  TagKeys: string[] | undefined;
}

export type UntagResourceOutput = Record<never, never>;

export interface ListTagsOfResourceInput {
  ResourceArn: string | undefined;
  NextToken?: string | undefined;
}

export interface ListTagsOfResourceOutput {
  Tags?: Tag[] | undefined;
  NextToken?: string | undefined;
}

export type DescribeLimitsInput = Record<never, never>;

export interface DescribeLimitsOutput {
  AccountMaxReadCapacityUnits?: number | undefined;
  AccountMaxWriteCapacityUnits?: number | undefined;
  TableMaxReadCapacityUnits?: number | undefined;
  TableMaxWriteCapacityUnits?: number | undefined;
}

export type DescribeEndpointsInput = Record<never, never>;

export interface DescribeEndpointsOutput {
  Endpoints: Endpoint[] | undefined;
}

export interface Endpoint {
  Address: string | undefined;
  CachePeriodInMinutes: number | undefined;
}

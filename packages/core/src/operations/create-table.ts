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

export interface AttributeDefinition {
  AttributeName: string | undefined;
  AttributeType: ScalarAttributeType | undefined;
}

export type ScalarAttributeType = "S" | "N" | "B";

export interface KeySchemaElement {
  AttributeName: string | undefined;
  KeyType: KeyType | undefined;
}

export type KeyType = "HASH" | "RANGE";

export interface Projection {
  ProjectionType?: ProjectionType | undefined;
  NonKeyAttributes?: string[] | undefined;
}

export type ProjectionType = "ALL" | "KEYS_ONLY" | "INCLUDE";

export interface ProvisionedThroughput {
  ReadCapacityUnits: number | undefined;
  WriteCapacityUnits: number | undefined;
}

export interface OnDemandThroughput {
  MaxReadRequestUnits?: number | undefined;
  MaxWriteRequestUnits?: number | undefined;
}

export interface WarmThroughput {
  ReadUnitsPerSecond?: number | undefined;
  WriteUnitsPerSecond?: number | undefined;
}

export type BillingMode = "PROVISIONED" | "PAY_PER_REQUEST";

export interface StreamSpecification {
  StreamEnabled: boolean | undefined;
  StreamViewType?: StreamViewType | undefined;
}

export type StreamViewType = "NEW_IMAGE" | "OLD_IMAGE" | "NEW_AND_OLD_IMAGES" | "KEYS_ONLY";

export interface SSESpecification {
  Enabled?: boolean | undefined;
  SSEType?: SSEType | undefined;
  KMSMasterKeyId?: string | undefined;
}

export type SSEType = "AES256" | "KMS";

export interface Tag {
  Key: string | undefined;
  Value: string | undefined;
}

export type TableClass = "STANDARD" | "STANDARD_INFREQUENT_ACCESS";

export type GlobalTableSettingsReplicationMode = "ENABLED" | "DISABLED" | "ENABLED_WITH_OVERRIDES";

export interface VectorAttributeDefinition {
  AttributeName: string | undefined;
}

export interface SearchSchemaElement {
  AttributeName: string | undefined;
  SearchSchemaElementType: SearchSchemaElementType | undefined;
}

export type SearchSchemaElementType = "HASH" | "INLINE_FILTER";

export type VectorDistanceFunction = "COSINE" | "DOT_PRODUCT" | "EUCLIDEAN";

export interface TableDescription {
  AttributeDefinitions?: AttributeDefinition[] | undefined;
  TableName?: string | undefined;
  KeySchema?: KeySchemaElement[] | undefined;
  TableStatus?: TableStatus | undefined;
  CreationDateTime?: Date | undefined;
  ProvisionedThroughput?: ProvisionedThroughputDescription | undefined;
  TableSizeBytes?: number | undefined;
  ItemCount?: number | undefined;
  TableArn?: string | undefined;
  TableId?: string | undefined;
  BillingModeSummary?: BillingModeSummary | undefined;
  LocalSecondaryIndexes?: LocalSecondaryIndexDescription[] | undefined;
  GlobalSecondaryIndexes?: GlobalSecondaryIndexDescription[] | undefined;
  StreamSpecification?: StreamSpecification | undefined;
  LatestStreamLabel?: string | undefined;
  LatestStreamArn?: string | undefined;
  GlobalTableVersion?: string | undefined;
  Replicas?: ReplicaDescription[] | undefined;
  GlobalTableWitnesses?: GlobalTableWitnessDescription[] | undefined;
  GlobalTableSettingsReplicationMode?: GlobalTableSettingsReplicationMode | undefined;
  RestoreSummary?: RestoreSummary | undefined;
  SSEDescription?: SSEDescription | undefined;
  ArchivalSummary?: ArchivalSummary | undefined;
  TableClassSummary?: TableClassSummary | undefined;
  DeletionProtectionEnabled?: boolean | undefined;
  DisassociationProtectionEnabled?: boolean | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: TableWarmThroughputDescription | undefined;
  MultiRegionConsistency?: MultiRegionConsistency | undefined;
  VectorIndexes?: VectorIndexDescription[] | undefined;
}

export type TableStatus =
  | "CREATING"
  | "UPDATING"
  | "DELETING"
  | "ACTIVE"
  | "INACCESSIBLE_ENCRYPTION_CREDENTIALS"
  | "ARCHIVING"
  | "ARCHIVED"
  | "REPLICATION_NOT_AUTHORIZED";

export interface ProvisionedThroughputDescription {
  LastIncreaseDateTime?: Date | undefined;
  LastDecreaseDateTime?: Date | undefined;
  NumberOfDecreasesToday?: number | undefined;
  ReadCapacityUnits?: number | undefined;
  WriteCapacityUnits?: number | undefined;
}

export interface BillingModeSummary {
  BillingMode?: BillingMode | undefined;
  LastUpdateToPayPerRequestDateTime?: Date | undefined;
}

export interface LocalSecondaryIndexDescription {
  IndexName?: string | undefined;
  KeySchema?: KeySchemaElement[] | undefined;
  Projection?: Projection | undefined;
  IndexSizeBytes?: number | undefined;
  ItemCount?: number | undefined;
  IndexArn?: string | undefined;
}

export interface GlobalSecondaryIndexDescription {
  IndexName?: string | undefined;
  KeySchema?: KeySchemaElement[] | undefined;
  Projection?: Projection | undefined;
  IndexStatus?: IndexStatus | undefined;
  Backfilling?: boolean | undefined;
  ProvisionedThroughput?: ProvisionedThroughputDescription | undefined;
  IndexSizeBytes?: number | undefined;
  ItemCount?: number | undefined;
  IndexArn?: string | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: GlobalSecondaryIndexWarmThroughputDescription | undefined;
}

export type IndexStatus = "CREATING" | "UPDATING" | "DELETING" | "ACTIVE";

export interface GlobalSecondaryIndexWarmThroughputDescription {
  ReadUnitsPerSecond?: number | undefined;
  WriteUnitsPerSecond?: number | undefined;
  Status?: IndexStatus | undefined;
}

export interface ReplicaDescription {
  RegionName?: string | undefined;
  ReplicaStatus?: ReplicaStatus | undefined;
  ReplicaArn?: string | undefined;
  ReplicaStatusDescription?: string | undefined;
  ReplicaStatusPercentProgress?: string | undefined;
  KMSMasterKeyId?: string | undefined;
  ProvisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  OnDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
  WarmThroughput?: TableWarmThroughputDescription | undefined;
  GlobalSecondaryIndexes?: ReplicaGlobalSecondaryIndexDescription[] | undefined;
  ReplicaInaccessibleDateTime?: Date | undefined;
  ReplicaTableClassSummary?: TableClassSummary | undefined;
  GlobalTableSettingsReplicationMode?: GlobalTableSettingsReplicationMode | undefined;
}

export type ReplicaStatus =
  | "CREATING"
  | "CREATION_FAILED"
  | "UPDATING"
  | "DELETING"
  | "ACTIVE"
  | "REGION_DISABLED"
  | "INACCESSIBLE_ENCRYPTION_CREDENTIALS"
  | "ARCHIVING"
  | "ARCHIVED"
  | "REPLICATION_NOT_AUTHORIZED";

export interface ProvisionedThroughputOverride {
  ReadCapacityUnits?: number | undefined;
}

export interface OnDemandThroughputOverride {
  MaxReadRequestUnits?: number | undefined;
}

export interface TableWarmThroughputDescription {
  ReadUnitsPerSecond?: number | undefined;
  WriteUnitsPerSecond?: number | undefined;
  Status?: TableStatus | undefined;
}

export interface ReplicaGlobalSecondaryIndexDescription {
  IndexName?: string | undefined;
  ProvisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  OnDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
  WarmThroughput?: GlobalSecondaryIndexWarmThroughputDescription | undefined;
}

export interface TableClassSummary {
  TableClass?: TableClass | undefined;
  LastUpdateDateTime?: Date | undefined;
}

export interface GlobalTableWitnessDescription {
  RegionName?: string | undefined;
  WitnessStatus?: WitnessStatus | undefined;
}

export type WitnessStatus = "CREATING" | "DELETING" | "ACTIVE";

export interface RestoreSummary {
  SourceBackupArn?: string | undefined;
  SourceTableArn?: string | undefined;
  RestoreDateTime: Date | undefined;
  RestoreInProgress: boolean | undefined;
}

export interface SSEDescription {
  Status?: SSEStatus | undefined;
  SSEType?: SSEType | undefined;
  KMSMasterKeyArn?: string | undefined;
  InaccessibleEncryptionDateTime?: Date | undefined;
}

export type SSEStatus = "ENABLING" | "ENABLED" | "DISABLING" | "DISABLED" | "UPDATING";

export interface ArchivalSummary {
  ArchivalDateTime?: Date | undefined;
  ArchivalReason?: string | undefined;
  ArchivalBackupArn?: string | undefined;
}

export type MultiRegionConsistency = "EVENTUAL" | "STRONG";

export interface VectorIndexDescription {
  IndexName?: string | undefined;
  SearchSchema?: SearchSchemaElement[] | undefined;
  Projection?: Projection | undefined;
  VectorAttribute?: VectorAttributeDefinition | undefined;
  Dimensions?: number | undefined;
  DistanceFunction?: VectorDistanceFunction | undefined;
  IndexStatus?: IndexStatus | undefined;
  Backfilling?: boolean | undefined;
  IndexSizeBytes?: number | undefined;
  ItemCount?: number | undefined;
  IndexArn?: string | undefined;
}

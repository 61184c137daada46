import type {
  AttributeDefinition,
  BillingMode,
  GlobalTableSettingsReplicationMode,
  KeySchemaElement,
  MultiRegionConsistency,
  OnDemandThroughput,
  OnDemandThroughputOverride,
  Projection,
  ProvisionedThroughput,
  ProvisionedThroughputOverride,
  SearchSchemaElement,
  SSESpecification,
  StreamSpecification,
  TableClass,
  TableDescription,
  VectorAttributeDefinition,
  VectorDistanceFunction,
  WarmThroughput,
} from "./table-description.ts";

export interface UpdateTableInput {
  AttributeDefinitions?: AttributeDefinition[] | undefined;
  TableName: string | undefined;
  BillingMode?: BillingMode | undefined;
  ProvisionedThroughput?: ProvisionedThroughput | undefined;
  GlobalSecondaryIndexUpdates?: GlobalSecondaryIndexUpdate[] | undefined;
  StreamSpecification?: StreamSpecification | undefined;
  SSESpecification?: SSESpecification | undefined;
  ReplicaUpdates?: ReplicationGroupUpdate[] | undefined;
  TableClass?: TableClass | undefined;
  DeletionProtectionEnabled?: boolean | undefined;
  MultiRegionConsistency?: MultiRegionConsistency | undefined;
  GlobalTableWitnessUpdates?: GlobalTableWitnessGroupUpdate[] | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: WarmThroughput | undefined;
  GlobalTableSettingsReplicationMode?: GlobalTableSettingsReplicationMode | undefined;
  DisassociationProtectionEnabled?: boolean | undefined;
  VectorIndexUpdates?: VectorIndexUpdate[] | undefined;
}

export interface UpdateTableOutput {
  TableDescription?: TableDescription | undefined;
}

export interface GlobalSecondaryIndexUpdate {
  Update?: UpdateGlobalSecondaryIndexAction | undefined;
  Create?: CreateGlobalSecondaryIndexAction | undefined;
  Delete?: DeleteGlobalSecondaryIndexAction | undefined;
}

export interface UpdateGlobalSecondaryIndexAction {
  IndexName: string | undefined;
  ProvisionedThroughput?: ProvisionedThroughput | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: WarmThroughput | undefined;
}

export interface CreateGlobalSecondaryIndexAction {
  IndexName: string | undefined;
  KeySchema: KeySchemaElement[] | undefined;
  Projection: Projection | undefined;
  ProvisionedThroughput?: ProvisionedThroughput | undefined;
  OnDemandThroughput?: OnDemandThroughput | undefined;
  WarmThroughput?: WarmThroughput | undefined;
}

export interface DeleteGlobalSecondaryIndexAction {
  IndexName: string | undefined;
}

export interface ReplicationGroupUpdate {
  Create?: CreateReplicationGroupMemberAction | undefined;
  Update?: UpdateReplicationGroupMemberAction | undefined;
  Delete?: DeleteReplicationGroupMemberAction | undefined;
  Disassociate?: DisassociateReplicationGroupMemberAction | undefined;
}

export interface CreateReplicationGroupMemberAction {
  RegionName: string | undefined;
  KMSMasterKeyId?: string | undefined;
  ProvisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  OnDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
  GlobalSecondaryIndexes?: ReplicaGlobalSecondaryIndex[] | undefined;
  TableClassOverride?: TableClass | undefined;
}

export interface ReplicaGlobalSecondaryIndex {
  IndexName: string | undefined;
  ProvisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  OnDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
}

export interface UpdateReplicationGroupMemberAction {
  RegionName: string | undefined;
  KMSMasterKeyId?: string | undefined;
  ProvisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  OnDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
  GlobalSecondaryIndexes?: ReplicaGlobalSecondaryIndex[] | undefined;
  TableClassOverride?: TableClass | undefined;
}

export interface DeleteReplicationGroupMemberAction {
  RegionName: string | undefined;
}

export interface DisassociateReplicationGroupMemberAction {
  RegionName: string | undefined;
  DisassociationMode: DisassociationMode | undefined;
}

export type DisassociationMode = "WAIT_FOR_REPLICATION";

export interface GlobalTableWitnessGroupUpdate {
  Create?: CreateGlobalTableWitnessGroupMemberAction | undefined;
  Delete?: DeleteGlobalTableWitnessGroupMemberAction | undefined;
}

export interface CreateGlobalTableWitnessGroupMemberAction {
  RegionName: string | undefined;
}

export interface DeleteGlobalTableWitnessGroupMemberAction {
  RegionName: string | undefined;
}

export interface VectorIndexUpdate {
  Create?: CreateVectorIndexAction | undefined;
  Delete?: DeleteVectorIndexAction | undefined;
}

export interface CreateVectorIndexAction {
  IndexName: string | undefined;
  VectorAttribute: VectorAttributeDefinition | undefined;
  SearchSchema?: SearchSchemaElement[] | undefined;
  Projection: Projection | undefined;
  Dimensions: number | undefined;
  DistanceFunction: VectorDistanceFunction | undefined;
}

export interface DeleteVectorIndexAction {
  IndexName: string | undefined;
}

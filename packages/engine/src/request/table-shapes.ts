/** The shapes of requests on tables, tags, expiry and streams. Enum values are in the order of DynamoDB's messages. */

import { existingTableName, indexName, tableName } from "./item-shapes.ts";
import {
  anything,
  boolean,
  list,
  type Members,
  number,
  oneOf,
  optional,
  required,
  requiredFirst,
  structure,
  text,
} from "./shape.ts";

const keyElement = structure(
  {
    AttributeName: required(text({ min: 1, max: 255 })),
    KeyType: required(oneOf("HASH", "RANGE")),
  },
  "KeySchemaElement",
);
const keySchema = list(keyElement, 1, 2);
// AWS: Multi-attribute keys — a global index has up to four of each kind.
const globalKeySchema = list(keyElement, 1, 8);
const attributeDefinitions = list(
  structure({
    AttributeType: required(oneOf("B", "N", "S")),
    AttributeName: required(text({ min: 1, max: 255 })),
  }),
);
const projection = structure({
  ProjectionType: optional(oneOf("ALL", "INCLUDE", "KEYS_ONLY")),
  NonKeyAttributes: optional(list(text({ min: 1, max: 255 }), 1, 20)),
});
const throughput = structure({
  WriteCapacityUnits: required(number(1)),
  ReadCapacityUnits: required(number(1)),
});
const onDemandThroughput = structure({
  MaxReadRequestUnits: optional(number()),
  MaxWriteRequestUnits: optional(number()),
});
const stream = structure({
  StreamEnabled: required(boolean),
  StreamViewType: optional(oneOf("OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE")),
});
const encryption = structure({
  Enabled: optional(boolean),
  SSEType: optional(oneOf("AES256", "KMS")),
  KMSMasterKeyId: optional(text({ min: 1 })),
});
// DynamoDB checks the content of tags and of warm throughput later, with its own messages.
const tag = structure({ Key: optional(text()), Value: optional(text()) });
const warmThroughput = structure({
  ReadUnitsPerSecond: optional(number()),
  WriteUnitsPerSecond: optional(number()),
});
const globalIndex: Members = {
  IndexName: required(indexName),
  KeySchema: required(globalKeySchema),
  Projection: required(projection),
  ProvisionedThroughput: optional(throughput),
  OnDemandThroughput: optional(onDemandThroughput),
  WarmThroughput: optional(warmThroughput),
};
const tableSettings: Members = {
  BillingMode: optional(oneOf("PROVISIONED", "PAY_PER_REQUEST")),
  ProvisionedThroughput: optional(throughput),
  OnDemandThroughput: optional(onDemandThroughput),
  StreamSpecification: optional(stream),
  SSESpecification: optional(encryption),
  TableClass: optional(oneOf("STANDARD", "STANDARD_INFREQUENT_ACCESS")),
  DeletionProtectionEnabled: optional(boolean),
  WarmThroughput: optional(warmThroughput),
  // Unsupported: listed here only to be rejected.
  GlobalTableSettingsReplicationMode: optional(anything),
};
const arn = text({ min: 1, max: 1283 });
const streamArn = text({ min: 37, max: 1024 });

export const tableShapes: { readonly [operation: string]: Members } = {
  CreateTable: {
    TableName: requiredFirst(tableName),
    AttributeDefinitions: required(attributeDefinitions),
    KeySchema: required(keySchema),
    GlobalSecondaryIndexes: optional(list(structure(globalIndex))),
    LocalSecondaryIndexes: optional(
      list(
        structure({
          IndexName: required(indexName),
          KeySchema: required(keySchema),
          Projection: required(projection),
        }),
      ),
    ),
    Tags: optional(list(tag)),
    ...tableSettings,
    GlobalTableSourceArn: optional(anything),
    ResourcePolicy: optional(anything),
    VectorIndexes: optional(anything),
  },
  UpdateTable: {
    TableName: requiredFirst(tableName),
    AttributeDefinitions: optional(attributeDefinitions),
    GlobalSecondaryIndexUpdates: optional(
      list(
        structure({
          Create: optional(structure(globalIndex)),
          Update: optional(
            structure({
              IndexName: required(indexName),
              ProvisionedThroughput: optional(throughput),
              OnDemandThroughput: optional(onDemandThroughput),
              WarmThroughput: optional(warmThroughput),
            }),
          ),
          Delete: optional(structure({ IndexName: required(indexName) })),
        }),
      ),
    ),
    ...tableSettings,
    ReplicaUpdates: optional(anything),
    MultiRegionConsistency: optional(anything),
    GlobalTableWitnessUpdates: optional(anything),
    VectorIndexUpdates: optional(anything),
  },
  DescribeTable: { TableName: requiredFirst(tableName) },
  DeleteTable: { TableName: requiredFirst(tableName) },
  ListTables: { ExclusiveStartTableName: optional(tableName), Limit: optional(number(1, 100)) },
  UpdateTimeToLive: {
    TableName: requiredFirst(tableName),
    TimeToLiveSpecification: required(
      structure({ AttributeName: required(text({ min: 1, max: 255 })), Enabled: required(boolean) }),
    ),
  },
  DescribeTimeToLive: { TableName: requiredFirst(tableName) },
  TagResource: { ResourceArn: required(arn), Tags: required(list(tag)) },
  UntagResource: { ResourceArn: required(arn), TagKeys: required(list(text())) },
  ListTagsOfResource: { ResourceArn: required(arn), NextToken: optional(text()) },
  DescribeLimits: {},
  DescribeEndpoints: {},
  ListStreams: {
    TableName: optional(existingTableName),
    Limit: optional(number(1, 100)),
    ExclusiveStartStreamArn: optional(streamArn),
  },
  DescribeStream: {
    StreamArn: required(streamArn),
    Limit: optional(number(1, 100)),
    ExclusiveStartShardId: optional(text({ min: 28, max: 65 })),
    ShardFilter: optional(
      structure({
        Type: required(oneOf("CHILD_SHARDS")),
        ShardId: required(text({ min: 28, max: 65 })),
      }),
    ),
  },
  GetShardIterator: {
    StreamArn: required(streamArn),
    ShardId: required(text({ min: 28, max: 65 })),
    ShardIteratorType: required(
      oneOf("AFTER_SEQUENCE_NUMBER", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"),
    ),
    SequenceNumber: optional(text({ min: 21, max: 40 })),
  },
  GetRecords: { ShardIterator: required(text({ min: 1, max: 2048 })), Limit: optional(number(1, 1000)) },
};

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBSingleTableEventStorageAdapter } from "@castore/event-storage-adapter-dynamodb";

/** castore's DynamoDB adapter on the stock AWS SDK, as its documentation sets it up. */
export async function castoreSide(endpoint, port) {
  const tableName = "castore";
  await port.createTable({
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "aggregateId", AttributeType: "S" },
      { AttributeName: "version", AttributeType: "N" },
      { AttributeName: "eventStoreId", AttributeType: "S" },
      { AttributeName: "timestamp", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "aggregateId", KeyType: "HASH" },
      { AttributeName: "version", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "initialEvents",
        KeySchema: [
          { AttributeName: "eventStoreId", KeyType: "HASH" },
          { AttributeName: "timestamp", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  });
  const dynamoDBClient = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
  });
  const adapter = new DynamoDBSingleTableEventStorageAdapter({ tableName, dynamoDBClient });
  const eventStoreId = "bench";
  return {
    append: (aggregateId, version, payload) =>
      adapter.pushEvent({ aggregateId, version, type: "Happened", payload }, { eventStoreId }),
    appendGroup: (aggregateId, version, payloads) =>
      adapter.pushEventGroup(
        {},
        ...payloads.map((payload, at) => {
          const event = { aggregateId, version: version + at, type: "Happened", payload };
          const grouped = adapter.groupEvent(event);
          grouped.context = { eventStoreId };
          return grouped;
        }),
      ),
    read: async (aggregateId) => {
      const { events } = await adapter.getEvents(aggregateId, { eventStoreId });
      return events.filter(({ payload }) => payload !== undefined).length;
    },
  };
}

import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBSingleTableEventStorageAdapter } from "@castore/event-storage-adapter-dynamodb";
import { connect, ensureTable } from "@tablekeep/client";
import { journalTableSpec } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { TablekeepEventStorageAdapter } from "../src/index.ts";
import { adapterCases } from "./adapter-cases.ts";
import { eventStoreCases } from "./event-store-cases.ts";

const endpoint = inject("dynamoDbLocal");
const region = "us-east-1";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
let port: ReturnType<typeof connect>;
beforeAll(() => {
  if (endpoint !== "") port = connect({ endpoint, region, credentials });
});
afterAll(() => port?.close());

describe.skipIf(endpoint === "").each(["packed", "bucketed"] as const)(
  "the adapter on DynamoDB Local, %s",
  (layout) => {
    const options = { table: `castore-${randomUUID()}`, layout };
    let adapter: TablekeepEventStorageAdapter;
    beforeAll(async () => {
      await ensureTable(port, journalTableSpec(options));
      adapter = new TablekeepEventStorageAdapter({ port, ...options });
    });
    adapterCases(async () => adapter);
    eventStoreCases(async () => adapter);
  },
);

describe.skipIf(endpoint === "")("castore's own DynamoDB adapter", () => {
  const tableName = `castore-own-${randomUUID()}`;
  let dynamoDBClient: DynamoDBClient;
  beforeAll(async () => {
    dynamoDBClient = new DynamoDBClient({ endpoint, region, credentials });
    await ensureTable(port, {
      name: tableName,
      partitionKey: { name: "aggregateId", type: "S" },
      sortKey: { name: "version", type: "N" },
      globalIndexes: [
        {
          name: "initialEvents",
          partitionKey: { name: "eventStoreId", type: "S" },
          sortKey: { name: "timestamp", type: "S" },
        },
      ],
    });
  });
  afterAll(() => dynamoDBClient.destroy());
  const open = async () => new DynamoDBSingleTableEventStorageAdapter({ tableName, dynamoDBClient });
  adapterCases(open, {
    eventLimit: "ignored",
    lastPageToken: "if full",
    groupTimestamps: "not compared",
  });
  eventStoreCases(open);
});

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBSingleTableEventStorageAdapter } from "@castore/event-storage-adapter-dynamodb";
import {
  type ConsumedCapacity,
  mayWrite,
  type OperationName,
  operationTraits,
  silentLogger,
} from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { dynamoDbHandler } from "../../src/server/dynamodb/dynamodb-handler.ts";
import type { Operation } from "./operations.ts";
import type { Cost } from "./request-cost.ts";

/** Measures castore's DynamoDB adapter on the stock AWS SDK: a DynamoDB endpoint counts what it receives. */
export async function measureCastore(): Promise<ReadonlyMap<Operation, Cost>> {
  await using endpoint = await countingEndpoint();
  const { adapter, costs, measure } = await openCastore(endpoint);
  const store = { eventStoreId: "bank" };
  const event = (aggregateId: string, version: number, bytes: number) => ({
    aggregateId,
    version,
    type: "Deposited",
    payload: "x".repeat(bytes),
  });
  const append = (id: string, version: number, bytes: number) =>
    adapter.pushEvent(event(id, version, bytes), store);
  const appendGroup = (id: string, first: number, count: number, bytes: number) =>
    adapter.pushEventGroup(
      {},
      ...(Array.from({ length: count }, (_unused, at) =>
        Object.assign(adapter.groupEvent(event(id, first + at, bytes)), { context: store }),
      ) as [ReturnType<typeof adapter.groupEvent>]),
    );
  const load = async (id: string, count: number) => {
    const { events } = await adapter.getEvents(id, store);
    if (events.length !== count) throw new Error(`${events.length} events were read, not ${count}`);
  };

  await measure("open a fresh id", () => load("a", 0));
  await measure("append the first event", () => append("a", 1, 100));
  await measure("append one event of 100 B", () => append("a", 2, 100));
  await measure("append 10 × 100 B atomically", () => appendGroup("a", 3, 10, 100));
  await measure("append 100 × 1 KB atomically", () => appendGroup("a", 13, 100, 1000));
  const tooMany = await appendGroup("a", 113, 101, 1000).then(
    () => undefined,
    (error: Error) => error.name,
  );
  if (tooMany !== "ValidationException") throw new Error("101 events were not rejected");
  for (let version = 1; version <= 60; version++) await append("sixty", version, 1000);
  for (let version = 1; version <= 50; version++) await append("fifty", version, 1000);
  for (let version = 1; version <= 50; version += 10) await appendGroup("tens", version, 10, 1000);
  await measure("load 50 × 1 KB, written one at a time", () => load("fifty", 50));
  await measure("load 50 × 1 KB, written in tens", () => load("tens", 50));
  await measure("load a snapshot of 1 KB and 10 × 1 KB after it", () => load("sixty", 60));
  return costs;
}

/** castore's adapter with its table, as its documentation describes them. */
async function openCastore(endpoint: CountingEndpoint) {
  const dynamoDBClient = new DynamoDBClient({
    endpoint: endpoint.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const tableName = "castore";
  await dynamoDBClient.send(
    new CreateTableCommand({
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
    }),
  );
  const costs = new Map<Operation, Cost>();
  const measure = async (name: Operation, work: () => Promise<unknown>): Promise<void> => {
    endpoint.take();
    await work();
    costs.set(name, endpoint.take());
  };
  return {
    adapter: new DynamoDBSingleTableEventStorageAdapter({ tableName, dynamoDBClient }),
    costs,
    measure,
  };
}

interface CountingEndpoint extends AsyncDisposable {
  readonly url: string;
  /** Returns what was counted since the last call. */
  take(): Cost;
}

async function countingEndpoint(): Promise<CountingEndpoint> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  let count = { requests: 0, readUnits: 0, writeUnits: 0 };
  const backend = {
    async execute(operation: string, input: unknown) {
      const { reportsCapacity } = operationTraits[operation as OperationName];
      const capacity = reportsCapacity && { ReturnConsumedCapacity: "TOTAL" };
      const answer = await engine.execute(operation, { ...(input as object), ...capacity });
      const { ConsumedCapacity: used = [] } = answer as {
        ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
      };
      const units = [used].flat().reduce((all, { CapacityUnits = 0 }) => all + CapacityUnits, 0);
      count.requests++;
      if (mayWrite(operation as OperationName, input)) count.writeUnits += units;
      else count.readUnits += units;
      return answer;
    },
  };
  const handle = dynamoDbHandler({ backend, now: Date.now, logger: silentLogger });
  const server = createServer(
    (request, response) => void handle(request, response, new AbortController().signal),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = count;
      count = { requests: 0, readUnits: 0, writeUnits: 0 };
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await engine.close();
    },
  };
}

import { metered } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import type { Change, Cost, Scenario, SentRequest, TableShape } from "./request-cost.ts";

/** Sends the requests of a scenario to an engine with its tables and items, and returns what the engine counts. */
export async function countOnEngine(tables: readonly TableShape[], scenario: Scenario): Promise<Cost> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  for (const table of tables) await createTable(engine, table);
  for (const [{ name }, item] of scenario.stored) await engine.putItem({ TableName: name, Item: item });
  const { port, meter } = metered(engine, { capacity: true });
  for (const request of scenario.requests) await send(port, request);
  const { requests, readUnits, writeUnits } = meter.reset().total;
  return { requests, readUnits, writeUnits };
}

async function createTable(port: DynamoPort, { name, keys, index }: TableShape): Promise<void> {
  const types = new Map<string, "S" | "N">(keys);
  if (index !== undefined) types.set(index.keys[0], "S").set(index.keys[1], index.rangeType);
  const schema = (names: readonly string[]) =>
    names.map((each, at) => ({
      AttributeName: each,
      KeyType: at === 0 ? ("HASH" as const) : ("RANGE" as const),
    }));
  const indexes = index && [
    { IndexName: index.name, KeySchema: schema(index.keys), Projection: { ProjectionType: "ALL" as const } },
  ];
  await port.createTable({
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: schema(keys.map(([each]) => each)),
    AttributeDefinitions: Array.from(types, ([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    ...(index?.kind === "local" && { LocalSecondaryIndexes: indexes }),
    ...(index?.kind === "global" && { GlobalSecondaryIndexes: indexes }),
  });
}

async function send(port: DynamoPort, request: SentRequest): Promise<void> {
  if (request.operation === "Query") {
    const { table, input, items } = request;
    const { ScannedCount, LastEvaluatedKey } = await port.query({
      TableName: table.name,
      ConsistentRead: true,
      ...input,
    });
    const isWhole = input.Limit === 1 || LastEvaluatedKey === undefined;
    if (ScannedCount !== items.length || !isWhole)
      throw new Error(`${ScannedCount} items were read, not ${items.length}`);
  } else if (request.operation === "BatchGetItem") {
    const { table, keys, found } = request;
    const { Responses } = await port.batchGetItem({
      RequestItems: { [table.name]: { Keys: keys as Item[], ConsistentRead: true } },
    });
    const count = Responses?.[table.name]?.length;
    if (count !== found.length) throw new Error(`${count} items were found, not ${found.length}`);
  } else await sendWrite(port, request.operation, request.changes);
}

async function sendWrite(port: DynamoPort, operation: string, changes: readonly Change[]): Promise<void> {
  const [first] = changes;
  if (first === undefined) throw new Error("a write without changes");
  const TableName = first.table.name;
  if (operation === "PutItem") await port.putItem({ TableName, Item: first.after as Item });
  else if (operation === "BatchWriteItem") {
    const writes = changes.map(({ key, after }) =>
      after === undefined ? { DeleteRequest: { Key: key } } : { PutRequest: { Item: after } },
    );
    await port.batchWriteItem({ RequestItems: { [TableName]: writes } });
  } else {
    const actions = changes.map(({ key, after }) =>
      after === undefined ? { Delete: { TableName, Key: key } } : { Put: { TableName, Item: after } },
    );
    await port.transactWriteItems({ TransactItems: actions });
  }
}

import type { AttributeValue, DynamoPort } from "@tablekeep/core";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { test } from "vitest";
import { sweepExpired } from "../src/jobs/sweep-expired.ts";
import { FolderStorage } from "../src/storage/folder-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { SlowStorage, turns } from "./slow-storage.ts";
import { expectConsistent } from "./table-invariants.ts";
import {
  define,
  keySchema,
  openTestDatabase,
  PersistentTestStorage,
  tableInput,
  withFolder,
} from "./tables.ts";

const TableName = "things";
const text = fc.option(fc.constantFrom("a", "b", "", "long".repeat(30)), { nil: undefined });
const step = fc.record({
  kind: fc.constantFrom(
    ...(["put", "put", "update", "delete", "transact", "rejected", "sweep", "restart"] as const),
    ...(["add index", "remove index", "expiry on", "expiry off"] as const),
  ),
  pk: fc.constantFrom("1", "2", "3"),
  sk: fc.constantFrom("1", "2"),
  l: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
  g: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
  x: text,
  lifetime: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const initial = tableInput({
  AttributeDefinitions: define("pk", "sk", "l", "g"),
  KeySchema: keySchema("pk", "sk"),
  LocalSecondaryIndexes: [
    { IndexName: "by-l", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "by-g",
      KeySchema: keySchema("g", "l"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["x"] },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
});
const byX = { IndexName: "by-x", KeySchema: keySchema("x"), Projection: { ProjectionType: "ALL" as const } };

/** The request of a step; DynamoDB may reject it, and often should. */
function request(
  port: DynamoPort,
  clock: FakeClock,
  { kind, pk, sk, lifetime, ...rest }: Step,
): Promise<unknown> {
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const Item: Record<string, AttributeValue> = { ...Key };
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) Item[name] = { S: value };
  if (lifetime !== undefined) Item["ttl"] = { N: String(clock.now() / 1000 + lifetime) };
  const ttl = (Enabled: boolean) =>
    port.updateTimeToLive({ TableName, TimeToLiveSpecification: { Enabled, AttributeName: "ttl" } });
  switch (kind) {
    case "put":
      return port.putItem({ TableName, Item });
    case "rejected":
      return port.putItem({ TableName, Item, ConditionExpression: "attribute_exists(nothing)" });
    case "delete":
      return port.deleteItem({ TableName, Key });
    case "update":
      return port.updateItem({
        TableName,
        Key,
        UpdateExpression:
          rest.g === undefined ? "REMOVE g, #ttl SET n = :n" : "SET g = :g, n = :n, #ttl = :t",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: {
          ":n": { N: "1" },
          ...(rest.g !== undefined && { ":g": { S: rest.g }, ":t": { N: String(clock.now() / 1000) } }),
        },
      });
    case "transact": {
      const other = { pk: { S: pk }, sk: { S: sk === "1" ? "2" : "1" } };
      const TransactItems = [{ Put: { TableName, Item } }, { Delete: { TableName, Key: other } }];
      return port.transactWriteItems({ TransactItems });
    }
    case "add index":
      return port.updateTable({
        TableName,
        AttributeDefinitions: define("x"),
        GlobalSecondaryIndexUpdates: [{ Create: byX }],
      });
    case "remove index":
      return port.updateTable({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "by-x" } }],
      });
    default:
      return ttl(kind === "expiry on");
  }
}

/** Carries out the steps, one by one or many at a time, and checks the result. */
async function play(storage: Storage, steps: readonly Step[], together: boolean): Promise<void> {
  const clock = fakeClock();
  let opening = openTestDatabase(storage, { clock });
  await opening.port.createTable(initial);
  let underWay: Promise<unknown>[] = [];
  for (const each of steps) {
    if (each.kind === "restart") {
      await Promise.all(underWay);
      await opening.database.background.stop();
      opening = openTestDatabase(storage, { clock });
    } else if (each.kind === "sweep") {
      clock.jump(1_000);
      underWay.push(sweepExpired(opening.database));
    } else {
      underWay.push(request(opening.port, clock, each).catch(() => undefined));
    }
    if (together) continue;
    await Promise.all(underWay);
    underWay = [];
  }
  await Promise.all(underWay);
  await opening.database.background.idle();
  await expectConsistent(opening.database, opening.port);
}

const game = [fc.array(step, { maxLength: 40 }), fc.boolean()] as const;

test("counts, indexes, expiry entries and stream match the items after any operations", async () => {
  await fc.assert(
    fc.asyncProperty(...game, (steps, together) => play(new PersistentTestStorage(), steps, together)),
    { numRuns: 150 },
  );
});

test("they also match if commits take several turns of the event loop", async () => {
  await fc.assert(
    fc.asyncProperty(...game, fc.array(fc.nat({ max: 5 }), { minLength: 1 }), (steps, together, delays) => {
      let commits = 0;
      const storage = new SlowStorage(() => turns(delays[commits++ % delays.length] ?? 0));
      return play(storage, steps, together);
    }),
    { numRuns: 100 },
  );
});

test("they also match in a folder", async () => {
  await fc.assert(
    fc.asyncProperty(...game, (steps, together) =>
      withFolder(async (path) => {
        const folder = await FolderStorage.open(path, { durable: false });
        try {
          await play(folder, steps, together);
        } finally {
          await folder.close();
        }
      }),
    ),
    { numRuns: 10 },
  );
});

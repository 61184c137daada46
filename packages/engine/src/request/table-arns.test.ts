import { expect, test } from "vitest";
import { define, keySchema, openTestDatabase, rejectionOf, tableInput } from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { replaceArns } from "./table-arns.ts";

const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
const Key = { pk: { S: "1" } };

test("every parameter for a table accepts an ARN", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  await port.createTable(tableInput({ TableName: arn }));
  await port.putItem({ TableName: arn, Item: Key });
  expect((await port.getItem({ TableName: "things", Key })).Item).toEqual(Key);
  expect((await port.scan({ TableName: arn })).Count).toBe(1);
  await port.batchWriteItem({ RequestItems: { [arn]: [{ PutRequest: { Item: { pk: { S: "2" } } } }] } });
  await port.transactWriteItems({ TransactItems: [{ Delete: { TableName: arn, Key } }] });
  expect(
    (await port.transactGetItems({ TransactItems: [{ Get: { TableName: arn, Key } }] })).Responses,
  ).toEqual([{}]);
  expect((await port.describeTable({ TableName: arn })).Table?.ItemCount).toBe(1);
  await port.deleteTable({ TableName: arn });
  expect((await port.listTables({})).TableNames).toEqual([]);
});

test("a table given by its ARN is named by it in the answer", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  await port.createTable(
    tableInput({
      AttributeDefinitions: define("pk", "sk", "l"),
      KeySchema: keySchema("pk", "sk"),
      LocalSecondaryIndexes: [
        { IndexName: "loc", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "ALL" } },
      ],
    }),
  );
  const Item = { pk: { S: "1" }, sk: { S: "1" } };
  const asked = { ReturnConsumedCapacity: "TOTAL", ReturnItemCollectionMetrics: "SIZE" } as const;
  const put = await port.putItem({ TableName: arn, Item, ...asked });
  expect(put.ConsumedCapacity?.TableName).toBe(arn);
  expect(put.ItemCollectionMetrics?.ItemCollectionKey).toEqual(Key);
  const written = await port.batchWriteItem({
    RequestItems: { [arn]: [{ PutRequest: { Item } }] },
    ...asked,
  });
  expect(written).toMatchObject({
    ItemCollectionMetrics: { [arn]: [{ ItemCollectionKey: Key }] },
    ConsumedCapacity: [{ TableName: arn }],
  });
  const got = await port.batchGetItem({ RequestItems: { [arn]: { Keys: [Item] } }, ...asked });
  expect(got).toMatchObject({ Responses: { [arn]: [Item] }, ConsumedCapacity: [{ TableName: arn }] });
  const Get = { TableName: arn, Key: Item };
  expect(await port.transactGetItems({ TransactItems: [{ Get }], ...asked })).toMatchObject({
    Responses: [{ Item }],
    ConsumedCapacity: [{ TableName: arn }],
  });
  const named = await port.batchGetItem({ RequestItems: { things: { Keys: [Item] } }, ...asked });
  expect(named).toMatchObject({ Responses: { things: [Item] }, ConsumedCapacity: [{ TableName: "things" }] });
});

test("a batch with a table's name and its ARN is rejected", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  await port.createTable(tableInput());
  const RequestItems = {
    things: [{ PutRequest: { Item: Key } }],
    [arn]: [{ PutRequest: { Item: { pk: { S: "2" } } } }],
  };
  expect(await rejectionOf(port.batchWriteItem({ RequestItems }))).toMatch(
    /^ValidationException: Tablekeep: .*\bthings\b/,
  );
});

test("a table may be named __proto__", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  const local = {
    AttributeDefinitions: define("pk", "sk", "l"),
    KeySchema: keySchema("pk", "sk"),
    LocalSecondaryIndexes: [
      { IndexName: "loc", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "ALL" as const } },
    ],
  };
  await port.createTable(tableInput({ TableName: "__proto__", ...local }));
  const Item = { pk: { S: "1" }, sk: { S: "1" } };
  const RequestItems = Object.fromEntries([["__proto__", [{ PutRequest: { Item } }]]]);
  const { ItemCollectionMetrics = {} } = await port.batchWriteItem({
    RequestItems,
    ReturnItemCollectionMetrics: "SIZE",
  });
  expect(Object.keys(ItemCollectionMetrics)).toEqual(["__proto__"]);
  expect((await port.getItem({ TableName: "__proto__", Key: Item })).Item).toEqual(Item);
});

test("a statement accepts table names only, no ARN", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  for (const name of [arn, "a b", "ab", "ü".repeat(9)]) {
    expect(await rejectionOf(port.executeStatement({ Statement: `SELECT * FROM "${name}"` }))).toBe(
      "ValidationException: Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.",
    );
  }
});

test("an ARN of any region and account is accepted, for items, tags and streams", async () => {
  const { port } = openTestDatabase(new MemoryStorage(), { region: "eu-west-1", accountId: "111122223333" });
  const viewed = { StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } } as const;
  const { TableDescription } = await port.createTable(tableInput(viewed));
  expect(TableDescription?.TableArn).toBe("arn:aws:dynamodb:eu-west-1:111122223333:table/things");
  await port.putItem({ TableName: arn, Item: Key });
  expect((await port.getItem({ TableName: arn, Key })).Item).toEqual(Key);
  await port.tagResource({ ResourceArn: arn, Tags: [{ Key: "a", Value: "b" }] });
  expect((await port.listTagsOfResource({ ResourceArn: arn })).Tags).toEqual([{ Key: "a", Value: "b" }]);
  const StreamArn = (TableDescription?.LatestStreamArn ?? "")
    .replace("eu-west-1", "us-east-1")
    .replace("111122223333", "000000000000");
  const { StreamDescription } = await port.describeStream({ StreamArn });
  expect(StreamDescription?.StreamArn).toBe(TableDescription?.LatestStreamArn);
  const absent = arn.replace("things", "absent");
  expect(await rejectionOf(port.getItem({ TableName: absent, Key }))).toContain("ResourceNotFoundException");
  expect(await rejectionOf(port.getItem({ TableName: "arn:something", Key }))).toContain(
    "ValidationException",
  );
});

test("a request of any other shape is passed on unchanged to the checks that follow", () => {
  const odd = [null, undefined, 1, "x", [], { TableName: 1 }, { TransactItems: [null, 1, {}, { Put: 1 }] }];
  for (const input of odd) expect(replaceArns("TransactWriteItems", input)).toEqual(input);
  const proto = JSON.parse(`{"RequestItems": {"__proto__": [], "${arn}": []}}`) as object;
  const named = replaceArns("BatchWriteItem", proto) as { RequestItems: object };
  expect(Object.keys(named.RequestItems)).toEqual(["__proto__", "things"]);
  expect(Object.getPrototypeOf(named.RequestItems)).toBe(Object.prototype);
});

import type { DynamoPort, Item } from "@tablekeep/core";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { newTable } from "../../test/new-table.ts";
import { faultyPort } from "../index.ts";

const endpoint = inject("dynamoDbLocal");
const Key = { pk: { S: "p" }, sk: { S: "s" } };
const version = (v: number, more: Item = {}) => ({ ...Key, v: { N: String(v) }, ...more });
const stale = (behind = 1) => `seed=1 faults=[{kind:stale,behind:${behind}}]`;

describe.skipIf(endpoint === "")("stale reads", () => {
  const port = localPort(endpoint);
  let TableName = "";
  beforeEach(async () => {
    TableName = await newTable(port);
  });
  afterAll(() => port.close());

  const put = (to: DynamoPort, Item: Item) => to.putItem({ TableName, Item });
  const query = (from: DynamoPort, more: object = {}) =>
    from.query({
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": { S: "p" } },
      ...more,
    });

  test.each([1, 2, 3, 9])("GetItem answers as of %i writes ago", async (behind) => {
    const faulty = faultyPort(port, stale(behind));
    for (const v of [1, 2, 3]) await put(faulty, version(v));
    const { Item: found } = await faulty.getItem({ TableName, Key });
    expect(found).toEqual(behind >= 3 ? undefined : version(3 - behind));
  });

  test("strong reads and transactions are never stale", async () => {
    const faulty = faultyPort(port, stale(9));
    for (const v of [1, 2]) await put(faulty, version(v));
    expect((await faulty.getItem({ TableName, Key, ConsistentRead: true })).Item).toEqual(version(2));
    const { Responses } = await faulty.transactGetItems({ TransactItems: [{ Get: { TableName, Key } }] });
    expect(Responses).toEqual([{ Item: version(2) }]);
    expect((await query(faulty, { ConsistentRead: true })).Items).toEqual([version(2)]);
    const batch = await faulty.batchGetItem({
      RequestItems: { [TableName]: { Keys: [Key], ConsistentRead: true } },
    });
    expect(batch.Responses).toEqual({ [TableName]: [version(2)] });
    expect(faulty.log).toEqual([]);
  });

  test("an item that the last writes did not touch reads as it is", async () => {
    const faulty = faultyPort(port, stale(1));
    await put(faulty, version(1));
    await put(faulty, { pk: { S: "other" }, sk: { S: "s" } });
    expect((await faulty.getItem({ TableName, Key })).Item).toEqual(version(1));
  });

  test("returns the state before updates, deletes, batches and transactions, no matter who wrote the item first", async () => {
    await put(port, version(1));
    const faulty = faultyPort(port, stale(1));
    const before = async () => (await faulty.getItem({ TableName, Key })).Item?.["v"]?.N;
    await faulty.updateItem({
      TableName,
      Key,
      UpdateExpression: "SET v = :v",
      ExpressionAttributeValues: { ":v": { N: "2" } },
    });
    expect(await before()).toBe("1");
    await faulty.batchWriteItem({ RequestItems: { [TableName]: [{ PutRequest: { Item: version(3) } }] } });
    expect(await before()).toBe("2");
    await faulty.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: version(4) } }] });
    expect(await before()).toBe("3");
    await faulty.deleteItem({ TableName, Key });
    expect(await before()).toBe("4");
  });

  test("a rejected write is not a change; one whose answer is lost is", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{op:PutItem,nth:3,kind:lost-after-apply},{kind:stale}]");
    await put(faulty, version(1));
    const refused = faulty.putItem({
      TableName,
      Item: version(2),
      ConditionExpression: "attribute_not_exists(pk)",
    });
    await expect(refused).rejects.toMatchObject({ code: "DYNAMO_CONDITIONAL_CHECK_FAILED" });
    expect((await faulty.getItem({ TableName, Key })).Item).toBeUndefined();
    await expect(put(faulty, version(3))).rejects.toMatchObject({ ambiguous: true });
    expect((await faulty.getItem({ TableName, Key })).Item).toEqual(version(1));
  });

  test("a projection of whole attributes is kept", async () => {
    const faulty = faultyPort(port, stale(1));
    await put(faulty, version(1, { a: { S: "old" } }));
    await put(faulty, version(2, { a: { S: "new" } }));
    const { Item: found } = await faulty.getItem({
      TableName,
      Key,
      ProjectionExpression: "#a, v",
      ExpressionAttributeNames: { "#a": "a" },
    });
    expect(found).toEqual({ a: { S: "old" }, v: { N: "1" } });
  });

  test("BatchGetItem shows an item once, however its key is written", async () => {
    const numbered = await newTable(port, "N");
    const faulty = faultyPort(port, stale(1));
    const item = (v: string) => ({ pk: { S: "p" }, sk: { N: "10" }, v: { S: v } });
    for (const v of ["old", "new"]) await faulty.putItem({ TableName: numbered, Item: item(v) });
    const Keys = [{ sk: { N: "1.0e1" }, pk: { S: "p" } }];
    const { Responses } = await faulty.batchGetItem({ RequestItems: { [numbered]: { Keys } } });
    expect(Responses).toEqual({ [numbered]: [item("old")] });
  });

  test("BatchGetItem shows each item as it was", async () => {
    const faulty = faultyPort(port, stale(2));
    const second = { pk: { S: "p" }, sk: { S: "s2" } };
    const third = { pk: { S: "p" }, sk: { S: "s3" } };
    await put(faulty, version(1));
    await put(faulty, second);
    await put(faulty, version(2));
    await put(faulty, third);
    const { Responses } = await faulty.batchGetItem({
      RequestItems: { [TableName]: { Keys: [Key, second, third] } },
    });
    expect(Responses?.[TableName]).toHaveLength(2);
    expect(Responses?.[TableName]).toEqual(expect.arrayContaining([version(1), second]));
  });

  test("Query and Scan leave out what was not there yet and show the rest as it was", async () => {
    const faulty = faultyPort(port, stale(2));
    await put(faulty, version(1));
    await put(faulty, version(2));
    await put(faulty, { pk: { S: "p" }, sk: { S: "t" } });
    expect(await query(faulty)).toMatchObject({ Items: [version(1)], Count: 1 });
    expect((await faulty.scan({ TableName })).Items).toEqual([version(1)]);
    expect((await query(port)).Count).toBe(2);
  });

  test("an index shows an item where it stood", async () => {
    const faulty = faultyPort(port, stale(1));
    const byG = (g: string) =>
      query(faulty, {
        IndexName: "by-g",
        KeyConditionExpression: "g = :g",
        ExpressionAttributeValues: { ":g": { S: g } },
      });
    await put(faulty, version(1, { g: { S: "here" } }));
    expect((await byG("here")).Items).toEqual([]);
    await put(faulty, version(2, { g: { S: "here" } }));
    expect((await byG("here")).Items).toEqual([version(1, { g: { S: "here" } })]);
    await put(faulty, version(3, { g: { S: "there" } }));
    expect((await byG("there")).Items).toEqual([]);
  });

  test("a query sent before returns the answer of that time, removed items included", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{at:3..9,kind:stale}]");
    await put(faulty, version(1));
    expect((await query(faulty)).Items).toEqual([version(1)]);
    await faulty.deleteItem({ TableName, Key });
    expect((await query(faulty)).Items).toEqual([version(1)]);
    expect((await query(port)).Items).toEqual([]);
  });
});

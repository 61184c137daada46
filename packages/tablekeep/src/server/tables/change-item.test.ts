import type { DynamoPort, Item, Key } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeItem, ItemChangedError, type ItemEdit } from "./change-item.ts";

const table = "things";
const key: Key = { id: { S: "1" } };
const { signal } = new AbortController();
let port: DynamoPort;

beforeEach(async () => {
  port = await openEngine({ storage: { kind: "memory" } });
  await port.createTable({
    TableName: table,
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  });
});
afterEach(() => port.close());

const current = async () => (await port.getItem({ TableName: table, Key: key })).Item;
const put = (item: Item) => port.putItem({ TableName: table, Item: item });
const addOther = () =>
  port.updateItem({
    TableName: table,
    Key: key,
    UpdateExpression: "SET extra = :o",
    ExpressionAttributeValues: { ":o": { S: "theirs" } },
  });

/** The port, with the write of another process between the read and the write of the change. */
function withOtherAfterRead(other: () => Promise<unknown>): DynamoPort {
  return {
    ...port,
    async getItem(input, options) {
      const answer = await port.getItem(input, options);
      await other();
      return answer;
    },
  };
}

const before: Item = { ...key, name: { S: "old" }, count: { N: "1" } };
const after: Item = { ...key, name: { S: "new" }, added: { SS: ["b", "a"] }, size: { N: "1.50" } };
const replaced: ItemEdit = { table, key, from: after, to: before };
/** Undoes a put that created the item. */
const created: ItemEdit = { table, key, from: after, to: undefined };
/** Undoes a delete. */
const deleted: ItemEdit = { table, key, from: undefined, to: before };

describe("changeItem", () => {
  test("restores an item that was replaced, created or deleted", async () => {
    await put(after);
    await changeItem(port, replaced, signal);
    expect(await current()).toEqual(before);
    await put(after);
    await changeItem(port, created, signal);
    expect(await current()).toBeUndefined();
    await changeItem(port, deleted, signal);
    expect(await current()).toEqual(before);
  });

  test.each([replaced, created])("refuses after another write", async (change) => {
    const theirs = { ...after, name: { S: "theirs" } };
    await put(theirs);
    await expect(changeItem(port, change, signal)).rejects.toBeInstanceOf(ItemChangedError);
    await port.deleteItem({ TableName: table, Key: key });
    await expect(changeItem(port, change, signal)).rejects.toBeInstanceOf(ItemChangedError);
    expect(await current()).toBeUndefined();
    await put({ ...after, extra: { S: "theirs" } });
    await expect(changeItem(port, change, signal)).rejects.toBeInstanceOf(ItemChangedError);
    expect(await current()).toMatchObject({ extra: { S: "theirs" } });
  });

  test("refuses to restore over an item that was created since", async () => {
    await put({ ...key, name: { S: "theirs" } });
    await expect(changeItem(port, deleted, signal)).rejects.toBeInstanceOf(ItemChangedError);
    expect(await current()).toEqual({ ...key, name: { S: "theirs" } });
  });

  test("keeps an attribute that another process adds between the read and the write", async () => {
    await put(after);
    await changeItem(withOtherAfterRead(addOther), replaced, signal);
    expect(await current()).toEqual({ ...before, extra: { S: "theirs" } });
    await put(after);
    const undoing = changeItem(withOtherAfterRead(addOther), created, signal);
    await expect(undoing).rejects.toBeInstanceOf(ItemChangedError);
    expect(await current()).toMatchObject({ name: { S: "new" }, extra: { S: "theirs" } });
  });

  test.each([replaced, created])("refuses if another process writes in between", async (change) => {
    await put(after);
    const other = () => put({ ...after, name: { S: "theirs" } });
    const undoing = changeItem(withOtherAfterRead(other), change, signal);
    await expect(undoing).rejects.toBeInstanceOf(ItemChangedError);
    expect(await current()).toMatchObject({ name: { S: "theirs" } });
  });
});

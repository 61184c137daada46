/**
 * How much one UpdateItem may write. Expected limits: the Parity Suite (paritysuite/dynamodb-conformance) of 2026-10-09,
 * `itemSizeBySurface`, measured in eu-west-2; us-east-1 has the same.
 */
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rejectionOf, tableInput } from "./tables.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable(tableInput());
});
afterAll(() => engine.close());

const TableName = "things";
const Key = { pk: { S: "K" } };
const most = 409_600;
const tooLarge = "ValidationException: Item size to update has exceeded the maximum allowed size";
const padding = (bytes: number) => ({ S: "p".repeat(bytes) });
const ten = { S: "y".repeat(10) };
const one = { N: "1" };
const elevenElements = { L: Array.from({ length: 11 }, () => ({ S: "e" })) };

/** An expression beside `SET b = :pad`, what the item contains before, its values, and its bytes. */
type Case = readonly [expression: string, item: object, values: object, bytes: number];
const cases: readonly Case[] = [
  [", c = abcdefghij", { abcdefghij: ten }, {}, 45],
  [", c = m.z", { m: { M: { z: ten } } }, {}, 51],
  [", c = l[10]", { l: elevenElements }, {}, 52],
  [", l = list_append(l, :v)", { l: { L: [ten] } }, { ":v": { L: [ten] } }, 87],
  [", c = if_not_exists(c, :v)", { c: ten }, { ":v": { S: "v" } }, 76],
  [", c = if_not_exists(c, :v), d = if_not_exists(d, :v)", { c: ten, d: ten }, { ":v": ten }, 170],
  [", n = n + :v", { n: { N: "12345678901234567890" } }, { ":v": one }, 72],
  [", n = n - :v", { n: one }, { ":v": one }, 75],
  [" ADD abcdefghij :v", { abcdefghij: one }, { ":v": one }, 31],
  [" ADD ss :v", { ss: { SS: ["p"] } }, { ":v": { SS: ["s".repeat(500)] } }, 521],
  [" REMOVE abcdefghij", { abcdefghij: ten }, {}, 11],
  [" REMOVE m.yyyyyyyyyy", { m: { M: { x: ten, yyyyyyyyyy: ten } } }, {}, 16],
  [" REMOVE l[10]", { l: elevenElements }, {}, 8],
  [" DELETE abcdefghij :v", { abcdefghij: { SS: ["p", "q"] } }, { ":v": { SS: ["q"] } }, 11],
];

test.each(cases)("SET b = :pad%s", async (expression, item, values, bytes) => {
  await engine.putItem({ TableName, Item: { ...Key, ...item } });
  const update = (pad: number) =>
    engine.updateItem({
      TableName,
      Key,
      UpdateExpression: `SET b = :pad${expression}`,
      ExpressionAttributeValues: { ...values, ":pad": padding(pad) },
    });
  // The update itself takes 3 bytes, and `SET b` takes 20.
  const fits = most - 23 - bytes;
  expect(await rejectionOf(update(fits + 1))).toBe(tooLarge);
  await update(fits);
});

test("other updates are limited by the resulting item alone", async () => {
  // The name and value of the key, and the name of the attribute.
  const pad = padding(most - 4);
  const UpdateExpression = "SET b = :pad";
  const ExpressionAttributeValues = { ":pad": pad };
  const update = { TableName, Key, UpdateExpression, ExpressionAttributeValues };
  await engine.putItem({ TableName, Item: Key });
  expect(await rejectionOf(engine.updateItem(update))).toBe(tooLarge);
  const condition = { ConditionExpression: "attribute_exists(nothing)" };
  expect(await rejectionOf(engine.updateItem({ ...update, ...condition }))).toBe(tooLarge);
  await engine.transactWriteItems({ TransactItems: [{ Update: update }] });
  await engine.updateItem({ TableName, Key, AttributeUpdates: { b: { Action: "PUT", Value: pad } } });
  const Statement = `UPDATE ${TableName} SET b = ? WHERE pk = 'K'`;
  await engine.executeStatement({ Statement, Parameters: [pad] });
});

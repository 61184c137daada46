import { expect, test } from "vitest";
import { openDatabase, refusalOf, tableInput } from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { nameTables } from "./name-tables.ts";

const here = { region: "us-east-1", accountId: "000000000000" };
const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
const Key = { pk: { S: "1" } };

test("a table may be given by its ARN wherever a table is given", async () => {
  const { port } = openDatabase(new MemoryStorage());
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

test("an ARN of another region or account names no table here", async () => {
  const { port } = openDatabase(new MemoryStorage());
  await port.createTable(tableInput());
  const elsewhere = arn.replace("us-east-1", "eu-west-1");
  expect(await refusalOf(port.getItem({ TableName: elsewhere, Key }))).toBe(
    `ValidationException: 1 validation error detected: Invalid AWS region in '${elsewhere}'`,
  );
  const others = arn.replace("000000000000", "000000000001");
  expect(await refusalOf(port.getItem({ TableName: others, Key }))).toContain("ResourceNotFoundException");
  expect(await refusalOf(port.getItem({ TableName: "arn:something", Key }))).toContain("ValidationException");
});

test("a request of any other shape is let pass as it is, for the checks that follow", () => {
  const odd = [null, undefined, 1, "x", [], { TableName: 1 }, { TransactItems: [null, 1, {}, { Put: 1 }] }];
  for (const input of odd) expect(nameTables(here, "TransactWriteItems", input)).toEqual(input);
  const proto = JSON.parse(`{"RequestItems": {"__proto__": [], "${arn}": []}}`) as object;
  const named = nameTables(here, "BatchWriteItem", proto) as { RequestItems: object };
  expect(Object.keys(named.RequestItems)).toEqual(["__proto__", "things"]);
  expect(Object.getPrototypeOf(named.RequestItems)).toBe(Object.prototype);
});

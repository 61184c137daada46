import { type AttributeValue, isDynamoError, type TransactWriteItem } from "@tablekeep/core";
import { expect, test } from "vitest";
import { define, keySchema, openTestDatabase, rejectionOf, tableInput } from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";

const all = { ProjectionType: "ALL" } as const;

async function opened() {
  const { port } = openTestDatabase(new MemoryStorage());
  await port.createTable(
    tableInput({
      AttributeDefinitions: define("pk", "tag"),
      GlobalSecondaryIndexes: ["second", "first"].map((IndexName) => ({
        IndexName,
        KeySchema: keySchema("tag"),
        Projection: all,
      })),
    }),
  );
  const reasons = async (...TransactItems: TransactWriteItem[]) => {
    const error = await port.transactWriteItems({ TransactItems }).catch((thrown: unknown) => thrown);
    if (!isDynamoError(error, "TransactionCanceledException")) throw error;
    return error.details.cancellationReasons?.map(({ Code, Message }) => [Code, Message]);
  };
  return { port, reasons };
}

const update = (value: object): TransactWriteItem => ({
  Update: {
    TableName: "things",
    Key: { pk: { S: "1" } },
    UpdateExpression: "SET tag = :v",
    ExpressionAttributeValues: { ":v": value as never },
  },
});

test("an index key of another type is the reason of its action, with the same message for updates and puts", async () => {
  const { port, reasons } = await opened();
  const words =
    "One or more parameter values were invalid: Type mismatch for Index Key tag Expected: S Actual: N IndexName: first";
  expect(await reasons(update({ N: "5" }))).toEqual([["ValidationError", words]]);
  const Item = { pk: { S: "1" }, tag: { N: "5" } };
  expect(await reasons({ Put: { TableName: "things", Item } })).toEqual([["ValidationError", words]]);
  const check: TransactWriteItem = {
    ConditionCheck: {
      TableName: "things",
      Key: { pk: { S: "2" } },
      ConditionExpression: "attribute_exists(pk)",
    },
  };
  expect(await reasons(check, update({ L: [] }))).toEqual([
    ["ConditionalCheckFailed", "The conditional request failed"],
    ["ValidationError", words.replace("Actual: N", "Actual: L")],
  ]);
  const alone = port.updateItem(update({ N: "5" }).Update as never);
  expect(await rejectionOf(alone)).toBe(
    "ValidationException: The update expression attempted to update the secondary index key to unsupported type",
  );
});

test("an empty index key rejects the whole transaction", async () => {
  const { port } = await opened();
  expect(await rejectionOf(port.transactWriteItems({ TransactItems: [update({ S: "" })] }))).toBe(
    "ValidationException: One or more parameter values are not valid. The update expression attempted to update a " +
      "secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an " +
      "empty string value.",
  );
});

test("an empty index key of another type is reported as empty by updates, and by its type if it is put", async () => {
  const { port } = await opened();
  const empty = { B: new Uint8Array() };
  const message = (subject: string) =>
    `ValidationException: One or more parameter values are not valid. ${subject} not supported. The AttributeValue for a key attribute cannot contain an empty binary value.`;
  const updated = message(
    "The update expression attempted to update a secondary index key to a value that is",
  );
  expect(await rejectionOf(port.transactWriteItems({ TransactItems: [update(empty)] }))).toBe(updated);
  expect(await rejectionOf(port.updateItem(update(empty).Update as never))).toBe(updated);
  const key = { TableName: "things", Key: { pk: { S: "1" } } };
  expect(await rejectionOf(port.updateItem({ ...key, AttributeUpdates: { tag: { Value: empty } } }))).toBe(
    `${message("A value specified for a secondary index key is")} IndexName: first, IndexKey: tag`,
  );
  const put = port.putItem({ TableName: "things", Item: { pk: { S: "1" }, tag: empty } });
  expect(await rejectionOf(put)).toBe(
    "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key tag Expected: S Actual: B IndexName: first",
  );
});

test("an item that is too large rejects the whole transaction if it is put, and is its action's reason if it is updated", async () => {
  const { port, reasons } = await opened();
  const text = { S: "x".repeat(400 * 1024) };
  const put = { Put: { TableName: "things", Item: { pk: { S: "1" }, text } } };
  expect(await rejectionOf(port.transactWriteItems({ TransactItems: [put] }))).toBe(
    "ValidationException: Item size has exceeded the maximum allowed size",
  );
  const { Update } = update(text);
  const grown = { Update: { ...Update, UpdateExpression: "SET a = :v" } } as TransactWriteItem;
  expect(await reasons(grown)).toEqual([
    ["ValidationError", "Item size to update has exceeded the maximum allowed size"],
  ]);
});

test("values without an expression are rejected with the expressions that the action can have", async () => {
  const { port } = await opened();
  const common = { TableName: "things", ExpressionAttributeValues: { ":v": { S: "x" } } };
  const Delete = { ...common, Key: { pk: { S: "1" } } };
  const Put = { ...common, Item: { pk: { S: "1" } } };
  for (const action of [{ Delete }, { Put }]) {
    expect(await rejectionOf(port.transactWriteItems({ TransactItems: [action] }))).toBe(
      "ValidationException: ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    );
  }
});

test("the actions of a transaction are checked one after the other, before any table is looked up", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  const deep = (levels: number): AttributeValue =>
    levels === 0 ? { S: "leaf" } : { M: { n: deep(levels - 1) } };
  const TableName = "absent";
  const malformed = { Put: { TableName, Item: { pk: { S: "a" } }, ConditionExpression: "a = = b" } };
  const tooDeep = { Delete: { TableName, Key: { pk: deep(40) } } };
  const rejected = (...TransactItems: TransactWriteItem[]) =>
    rejectionOf(port.transactWriteItems({ TransactItems }));
  expect(await rejected(malformed, tooDeep)).toContain("Invalid ConditionExpression: Syntax error");
  expect(await rejected(tooDeep, malformed)).toContain("Nesting Levels have exceeded supported limits");
  expect(await rejected({ Put: { TableName, Item: { pk: { S: "a" } } } }, malformed)).toContain(
    "Syntax error",
  );
});

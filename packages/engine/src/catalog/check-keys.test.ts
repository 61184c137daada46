import { expect, test } from "vitest";
import { define, keySchema, openTestDatabase, rejectionOf, tableInput } from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";

const all = { ProjectionType: "ALL" } as const;
const index = (IndexName: string, name: string) => ({
  IndexName,
  KeySchema: keySchema(name),
  Projection: all,
});

test("the empty one of several invalid index keys is reported, in any position", async () => {
  const { port } = openTestDatabase(new MemoryStorage());
  await port.createTable(
    tableInput({
      AttributeDefinitions: define("pk", "a", "z"),
      GlobalSecondaryIndexes: [index("by-a", "a"), index("by-z", "z"), index("also-z", "z")],
    }),
  );
  const pk = { S: "1" };
  const put = (item: object) => rejectionOf(port.putItem({ TableName: "things", Item: { pk, ...item } }));
  const mismatch = (name: string, where: string) =>
    `ValidationException: One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: S Actual: N IndexName: ${where}`;
  const empty =
    "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key is " +
    "not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: also-z, IndexKey: z";
  expect(await put({ a: { N: "1" }, z: { S: "" } })).toBe(empty);
  expect(await put({ a: { N: "1" }, z: { S: "z" } })).toBe(mismatch("a", "by-a"));
  expect(await put({ a: { S: "" }, z: { N: "1" } })).toContain("IndexName: by-a, IndexKey: a");
  expect(await put({ a: { N: "1" }, z: { N: "1" } })).toBe(mismatch("z", "also-z"));
  const update = port.updateItem({
    TableName: "things",
    Key: { pk },
    UpdateExpression: "SET a = :one, z = :none",
    ExpressionAttributeValues: { ":one": { N: "1" }, ":none": { S: "" } },
  });
  expect(await rejectionOf(update)).toContain("cannot contain an empty string value");
});

import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { define, keySchema, rejectionOf } from "../tables.ts";

let engine: Engine;
afterAll(() => engine.close());
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const index = (IndexName: string, hash: string, range?: string, ...included: string[]) => ({
    IndexName,
    KeySchema: keySchema(hash, range),
    Projection:
      included.length === 0
        ? { ProjectionType: "KEYS_ONLY" as const }
        : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: included },
  });
  await engine.createTable({
    TableName: "goods",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: define("pk", "sk", "g", "l"),
    KeySchema: keySchema("pk", "sk"),
    LocalSecondaryIndexes: [index("local", "pk", "l", "held")],
    GlobalSecondaryIndexes: [index("global", "g")],
  });
  for (const sk of ["1", "2", "3"]) {
    await engine.putItem({
      TableName: "goods",
      Item: { pk: { S: "p" }, sk: { S: sk }, g: { S: "g" }, l: { S: sk }, held: { S: sk }, far: { S: sk } },
    });
  }
});

const select = async (Statement: string) => {
  const answer = await engine.executeStatement({ Statement, ReturnConsumedCapacity: "INDEXES" });
  return { count: answer.Items?.length, table: answer.ConsumedCapacity?.Table?.CapacityUnits };
};

describe("a condition on attributes that an index does not contain", () => {
  const far = (index: string) =>
    `ValidationException: One or more parameter values were invalid: Secondary index ${index} does not project one or more filter attributes: [far]`;

  test.each([
    ["global", "g = 'g' AND far = '1'"],
    ["global", "g = 'g' AND far IS MISSING"],
    ["global", "g = 'g' AND NOT begins_with(far, '1')"],
    ["global", "g IN ['g', 'h'] AND far = '1'"],
    ["local", "pk = 'p' AND l > '1' AND far = '1'"],
  ])("is rejected beside the key of %s: %s", async (index, where) => {
    const Statement = `SELECT pk FROM "goods"."${index}" WHERE ${where}`;
    expect(await rejectionOf(engine.executeStatement({ Statement }))).toBe(far(index));
  });

  test.each([
    ["global", "far = '1'", 0],
    ["local", "far = '1' AND far = '2'", 0],
    ["global", "NOT far = '1'", 3],
    ["global", "(g = 'g' AND far = '1') OR g = 'h'", 0],
  ])("is evaluated in a scan of %s: %s", async (index, where, count) => {
    expect(await select(`SELECT pk FROM "goods"."${index}" WHERE ${where}`)).toEqual({ count, table: 0 });
  });
});

test("items that a local index fetches from the table are charged before filtering", async () => {
  expect(await select(`SELECT far FROM "goods"."local" WHERE pk = 'p'`)).toEqual({ count: 3, table: 1.5 });
  const filtered = `SELECT far FROM "goods"."local" WHERE pk = 'p' AND held = 'none'`;
  expect(await select(filtered)).toEqual({ count: 0, table: 1.5 });
  expect(await select(`SELECT held FROM "goods"."local" WHERE pk = 'p'`)).toEqual({ count: 3, table: 0 });
});

test("errors about indexes and consistent reads have separate messages", async () => {
  const Statement = `SELECT pk FROM "goods"."global" WHERE g = 'g'`;
  expect(await rejectionOf(engine.executeStatement({ Statement, ConsistentRead: true }))).toBe(
    "ValidationException: Strongly consistent read is not supported on Global Secondary Indexes",
  );
  expect(
    await rejectionOf(engine.executeStatement({ Statement: Statement.replace("global", "nowhere") })),
  ).toBe("ValidationException: The table does not have the specified index");
  const Parameters = [{ BOOL: true }];
  const unordered = { Statement: "SELECT pk FROM nowhere WHERE pk = 'p' AND a < ?", Parameters };
  expect(await rejectionOf(engine.executeStatement(unordered))).toContain("Incorrect operand type");
});

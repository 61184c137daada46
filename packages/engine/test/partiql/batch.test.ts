import type { BatchExecuteStatementInput, BatchStatementRequest } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { n, openThings, s, type Things } from "./things.ts";

let things: Things;

beforeAll(async () => {
  things = await openThings();
});

afterAll(() => things.engine.close());

function run(
  statements: readonly (string | BatchStatementRequest)[],
  over: Partial<BatchExecuteStatementInput> = {},
): ReturnType<Things["engine"]["batchExecuteStatement"]> {
  const Statements = statements.map((each) => (typeof each === "string" ? { Statement: each } : each));
  return things.engine.batchExecuteStatement({ Statements, ...over });
}

describe("a batch of statements", () => {
  test("reads single items, and reports capacity", async () => {
    const { Responses, ConsumedCapacity } = await run(
      [
        "SELECT n, m.x[0] FROM things WHERE pk = 'p' AND sk = 'a'",
        "SELECT * FROM things WHERE pk = 'p' AND sk = 'nobody'",
        {
          Statement: "SELECT n FROM things WHERE pk = ? AND sk = 'b'",
          Parameters: [s("q")],
          ConsistentRead: true,
        },
      ],
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(Responses).toEqual([
      { TableName: "things", Item: { n: n(1), m: { M: { x: { L: [n(0)] } } } } },
      { TableName: "things" },
      { TableName: "things", Item: { n: n(2) } },
    ]);
    expect(ConsumedCapacity).toEqual([{ TableName: "things", CapacityUnits: 2 }]);
  });

  test("reports the error of each statement at its position", async () => {
    const { Responses } = await run([
      "SELECT * FROM things WHERE pk = 'p'",
      "SELECT * FROM things WHERE pk = 'p' AND sk = 'a' AND n = 1",
      `SELECT * FROM "things"."by-g-h" WHERE g = 'g' AND h = 1`,
      "SELECT * FROM nobody WHERE pk = 'p'",
      "SLECT",
      "SELECT * FROM things WHERE pk = ? AND sk = 'a'",
    ]);
    const oneItem =
      "Select statements within BatchExecuteStatement must specify the primary key in the where clause.";
    expect(Responses?.map(({ Error: error }) => [error?.Code, error?.Message])).toEqual([
      ["ValidationError", oneItem],
      ["ValidationError", oneItem],
      ["ValidationError", oneItem],
      ["ResourceNotFound", "Requested resource not found"],
      ["ValidationError", "Statement wasn't well formed, can't be processed: Expected data manipulation"],
      ["ValidationError", "Number of parameters in request and statement don't match."],
    ]);
  });

  test("writes, and returns what RETURNING requests and the item of a failed condition", async () => {
    const { Responses, ConsumedCapacity } = await run(
      [
        "INSERT INTO things VALUE {'pk': 'x', 'sk': 'new'}",
        "UPDATE things SET n = n + 1 WHERE pk = 'q' AND sk = 'c' RETURNING MODIFIED NEW *",
        {
          Statement: "DELETE FROM things WHERE pk = 'q' AND sk = 'd' AND n = 1",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
        "INSERT INTO things VALUE {'pk': 'p', 'sk': 'a'}",
        "EXISTS(SELECT * FROM things WHERE pk = 'p' AND sk = 'b' AND n = 1)",
      ],
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(Responses?.[0]).toEqual({ TableName: "things" });
    expect(Responses?.[1]).toEqual({ TableName: "things", Item: { n: n(4) } });
    expect(Responses?.[2]?.Error).toMatchObject({
      Code: "ConditionalCheckFailed",
      Item: { sk: s("d"), n: n(4) },
    });
    expect(Responses?.[3]?.Error?.Code).toBe("DuplicateItem");
    expect(Responses?.[4]?.Error?.Message).toBe(
      "EXISTS can only be used in ExecuteTransaction write requests.",
    );
    expect(ConsumedCapacity).toEqual([{ TableName: "things", CapacityUnits: 3 }]);
  });

  test.each([
    [
      "reads and writes together",
      ["SELECT * FROM things WHERE pk = 'p' AND sk = 'a'", "DELETE FROM things WHERE pk = 'p' AND sk = 'a'"],
      "Read and write requests together in the same batch is not supported.",
    ],
    [
      "two statements on one item",
      ["DELETE FROM things WHERE pk = 'p' AND sk = 'a'", "INSERT INTO things VALUE {'pk': 'p', 'sk': 'a'}"],
      "Provided list of item keys contains duplicates",
    ],
  ])("rejects %s as a whole", async (_what, statements, message) => {
    await expect(run(statements)).rejects.toMatchObject({
      details: { exception: "ValidationException", serviceMessage: message },
    });
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p'")).toBe("abcd");
  });
});

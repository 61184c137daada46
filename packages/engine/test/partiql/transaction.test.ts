import {
  type DynamoError,
  type ExecuteTransactionInput,
  isDynamoError,
  type ParameterizedStatement,
} from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { n, openThings, type Things } from "./things.ts";

let things: Things;

beforeEach(async () => {
  things = await openThings();
});

afterEach(() => things.engine.close());

function run(
  statements: readonly (string | ParameterizedStatement)[],
  over: Partial<ExecuteTransactionInput> = {},
): ReturnType<Things["engine"]["executeTransaction"]> {
  const TransactStatements = statements.map((each) =>
    typeof each === "string" ? { Statement: each } : each,
  );
  return things.engine.executeTransaction({ TransactStatements, ...over });
}

async function rejection(...input: Parameters<typeof run>): Promise<DynamoError["details"]> {
  const error: unknown = await run(...input).catch((thrown: unknown) => thrown);
  if (!isDynamoError(error)) throw new Error(`not rejected: ${JSON.stringify(error)}`);
  return error.details;
}

const count = "UPDATE things SET n = n + 1 WHERE pk = 'p' AND sk = 'a'";

describe("a transaction of statements", () => {
  test("reads items atomically, at the price of a transaction", async () => {
    const { Responses, ConsumedCapacity } = await run(
      [
        "SELECT n FROM things WHERE pk = 'p' AND sk = 'a'",
        "SELECT * FROM things WHERE pk = 'p' AND sk = 'nobody'",
      ],
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(Responses).toEqual([{ Item: { n: n(1) } }, {}]);
    expect(ConsumedCapacity).toEqual([{ TableName: "things", CapacityUnits: 4, ReadCapacityUnits: 4 }]);
  });

  test("writes if every EXISTS is satisfied", async () => {
    const { Responses } = await run([
      "EXISTS(SELECT * FROM things WHERE pk = 'p' AND sk = 'b' AND n = 2)",
      count,
      "DELETE FROM things WHERE pk = 'p' AND sk = 'd'",
    ]);
    expect(Responses).toEqual([]);
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p' AND n = 2")).toBe("ab");
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p'")).toBe("abc");
  });

  test("writes nothing if one write fails, and reports the reasons in order", async () => {
    const { exception, cancellationReasons } = await rejection([
      count,
      "EXISTS(SELECT * FROM things WHERE pk = 'p' AND sk = 'nobody' AND n IS MISSING)",
      "INSERT INTO things VALUE {'pk': 'q', 'sk': 'a'}",
      {
        Statement: "UPDATE things SET n = 0 WHERE pk = 'q' AND sk = 'b' AND n = 7",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
      "UPDATE things SET n = n + sk WHERE pk = 'q' AND sk = 'c'",
      "INSERT INTO things VALUE {'pk': 'q'}",
      "DELETE FROM things WHERE pk = 'q'",
    ]);
    expect(exception).toBe("TransactionCanceledException");
    expect(cancellationReasons?.map(({ Code }) => Code)).toEqual([
      "None",
      "ConditionalCheckFailed",
      "DuplicateItem",
      "ConditionalCheckFailed",
      "ValidationError",
      "ValidationError",
      "ValidationError",
    ]);
    expect(cancellationReasons?.[3]?.Item?.["n"]).toEqual(n(2));
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p' AND n = 1")).toBe("a");
  });

  test("is carried out once per token, and another request with the token is rejected", async () => {
    const token = { ClientRequestToken: "once" };
    await run([count], token);
    await run([count], token);
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p' AND n = 2")).toBe("ab");
    expect((await rejection([`${count} AND n = 2`], token)).exception).toBe(
      "IdempotentParameterMismatchException",
    );
  });

  test.each<[string, string[], string]>([
    [
      "reads and writes together",
      ["SELECT * FROM things WHERE pk = 'p' AND sk = 'b'", count],
      "ExecuteTransaction API does not support both read and write operations in the same request.",
    ],
    [
      "a read of more than one item",
      ["SELECT * FROM things WHERE pk = 'p'"],
      "Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction must specify the primary key in the where clause.",
    ],
    [
      "a read of an index",
      [`SELECT * FROM "things"."by-g-h" WHERE g = 'g'`],
      "Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions.",
    ],
    [
      "two reads of one item",
      [
        "SELECT * FROM things WHERE pk = 'p' AND sk = 'b'",
        "SELECT n FROM things WHERE pk = 'p' AND sk = 'b'",
      ],
      "Transaction request cannot include multiple operations on one item",
    ],
    [
      "two writes of one item",
      [count, count],
      "Transaction request cannot include multiple operations on one item",
    ],
    [
      "RETURNING",
      [`${count} RETURNING ALL NEW *`],
      "Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction.",
    ],
    [
      "an EXISTS that checks nothing",
      [count, "EXISTS(SELECT * FROM things WHERE pk = 'p' AND sk = 'b')"],
      "Validation failed in TransactStatements[1]: EXISTS() must contain a single item read with additional condition",
    ],
    [
      "an EXISTS on an index",
      [`EXISTS(SELECT * FROM "things"."by-g-h" WHERE g = 'g' AND n = 1)`],
      "Validation failed in TransactStatements[0]: Operations on indices are not supported in transactions",
    ],
    [
      "a statement that is none",
      ["x"],
      "Validation failed in TransactStatements[0]: Statement wasn't well formed, can't be processed: Expected data manipulation",
    ],
  ])("rejects %s as a whole", async (_what, statements, message) => {
    const { exception, serviceMessage } = await rejection(statements);
    expect([exception, serviceMessage]).toEqual(["ValidationException", message]);
  });

  test("a missing table rejects the whole request", async () => {
    expect((await rejection([count, "INSERT INTO nobody VALUE {'pk': 'a'}"])).exception).toBe(
      "ResourceNotFoundException",
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { n, openThings, s, type Things } from "./things.ts";

let things: Things;

beforeAll(async () => {
  things = await openThings();
});

afterAll(() => things.engine.close());

describe("SELECT", () => {
  test("a comparison may have its sides in either order", async () => {
    expect(await things.letters("SELECT * FROM things WHERE 'p' = pk AND 'b' < sk")).toBe("cd");
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p' AND 3 <= n")).toBe("cd");
  });

  test("several conditions on the sort key narrow what is read", async () => {
    const { Items, ConsumedCapacity } = await things.execute(
      "SELECT sk FROM things WHERE pk = 'p' AND sk > 'a' AND sk < 'd' AND begins_with(sk, 'c')",
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(Items).toEqual([{ sk: s("c") }]);
    expect(ConsumedCapacity).toEqual({ TableName: "things", CapacityUnits: 0.5 });
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p' AND sk > 'c' AND sk < 'b'")).toBe("");
  });

  test("selected paths are named by their last part", async () => {
    const { Items } = await things.execute(
      `SELECT m.x[1][0], m.x[0], "m"['x'][7], absent FROM things WHERE pk = 'p' AND sk = 'b'`,
    );
    expect(Items).toEqual([{ "x[0]": n(1), "x[1][0]": s("deep") }]);
  });

  test("IN and OR on the partition key read just those partitions", async () => {
    const inList = await things.execute("SELECT pk, sk FROM things WHERE pk IN ['q', 'p'] AND sk = 'a'", {
      ReturnConsumedCapacity: "TOTAL",
    });
    expect(inList.Items).toEqual([
      { pk: s("q"), sk: s("a") },
      { pk: s("p"), sk: s("a") },
    ]);
    expect(inList.ConsumedCapacity?.CapacityUnits).toBe(1);
    expect(await things.letters("SELECT * FROM things WHERE (pk = 'p' OR pk = 'nobody') AND n < 3")).toBe(
      "ab",
    );
  });

  test.each([
    "pk IN ['p', 'q', 'p']",
    "pk = 'p' OR pk = 'p'",
    "pk = 'p' OR pk = 'p' AND sk = 'b'",
    "pk = 'p' AND n = 1 OR pk = 'p' AND sk = 'b'",
    "pk = 'p' AND n <> 1 OR pk = 'p' AND sk = 'b'",
    "pk = 'p' AND n = 1 OR pk = 'p' AND n = 2",
    "pk = 'p' AND (sk = 'b' OR n = 1)",
    "pk = 'p' AND (sk > 'a' OR sk < 'c')",
    "pk = 'p' AND sk IN ['a', 'b', 'a']",
    "pk = 'p' AND sk BETWEEN 'a' AND 'c' OR pk = 'p' AND begins_with(sk, 'b')",
  ])("rejects alternatives that overlap: %s", async (where) => {
    expect((await things.rejection(`SELECT * FROM things WHERE ${where}`)).serviceMessage).toBe(
      "Overlapping conditions with range keys are not supported in where clause",
    );
  });

  test.each([
    ["pk = 'p' AND sk = 'a' OR pk = 'p' AND sk = 'b'", "ab"],
    ["pk = 'p' AND (sk < 'b' OR sk > 'b' OR sk = 'b')", "abcd"],
    ["pk = 'p' AND sk IN ['a', 'c']", "ac"],
    ["pk = 'p' AND sk <= 'b' OR pk = 'p' AND sk > 'c'", "abd"],
    ["pk = 'p' AND (n = 1 OR n = 2)", "ab"],
    // One alternative excludes values of the sort key.
    ["pk = 'p' AND NOT sk = 'a' OR pk = 'p' AND sk = 'b'", "bcd"],
    ["pk = 'p' AND sk <> 'a' OR pk = 'p' AND sk = 'b'", "bcd"],
    ["pk = 'p' AND NOT sk IN ['a', 'c'] OR pk = 'p' AND sk = 'b'", "bd"],
    ["pk = 'p' OR pk = 'p' AND NOT sk = 'a'", "abcd"],
    // One alternative names no partition: a scan.
    ["pk = 'p' OR pk = 'p' AND n = 1 OR n = 77", "abcd"],
  ])("reads alternatives that do not overlap: %s", async (where, letters) => {
    expect(await things.letters(`SELECT * FROM things WHERE ${where}`)).toBe(letters);
  });

  test("a read of several partitions has pages of ten items", async () => {
    const Statement = "SELECT pk, sk FROM things WHERE pk IN ('p', 'q') ORDER BY pk DESC, sk DESC";
    for (let at = 0; at < 4; at++)
      await things.execute(`INSERT INTO things VALUE {'pk': 'q', 'sk': 'e${at}'}`);
    const first = await things.engine.executeStatement({ Statement, Limit: 50 });
    expect(first.Items?.map(({ pk, sk }) => `${pk?.S}${sk?.S}`).join(" ")).toBe(
      "qe3 qe2 qe1 qe0 qd qc qb qa pd pc",
    );
    expect(first.LastEvaluatedKey).toEqual({ pk: s("p"), sk: s("c") });
    const second = await things.engine.executeStatement({ Statement, NextToken: first.NextToken });
    expect(second.Items?.map(({ sk }) => sk?.S)).toEqual(["b", "a"]);
    expect(second.NextToken).toBeUndefined();
    for (let at = 0; at < 4; at++)
      await things.execute(`DELETE FROM things WHERE pk = 'q' AND sk = 'e${at}'`);
  });

  test("a token is valid for its statement and parameters only", async () => {
    const Statement = "SELECT sk FROM things WHERE pk = ?";
    const { NextToken = "" } = await things.execute(Statement, { Parameters: [s("p")], Limit: 2 });
    expect(await things.letters(Statement, { Parameters: [s("p")], NextToken, Limit: 1 })).toBe("c");
    for (const [statement, parameter, token] of [
      [Statement, "q", NextToken],
      [`${Statement} `, "p", NextToken],
      [Statement, "p", "bm90IGEgdG9rZW4="],
      [Statement, "p", "%"],
      [Statement, "p", Buffer.from("null").toString("base64")],
    ] as const) {
      const { exception, serviceMessage } = await things.rejection(statement, {
        Parameters: [s(parameter)],
        NextToken: token,
      });
      expect([exception, serviceMessage]).toEqual(["ValidationException", "Invalid NextToken"]);
    }
  });

  test("a modified token is rejected", async () => {
    const Statement = "SELECT sk FROM things WHERE pk = 'p'";
    const { NextToken = "" } = await things.execute(Statement, { Limit: 2 });
    const place = JSON.parse(Buffer.from(NextToken, "base64").toString()) as Record<string, unknown>;
    for (const change of [
      { range: 1 },
      { range: -1 },
      { range: "0" },
      { after: { pk: { S: "q" }, sk: { S: "a" } } },
      { after: { pk: { S: "p" } } },
      { after: { pk: 1 } },
      { after: "x" },
    ]) {
      const token = Buffer.from(JSON.stringify({ ...place, ...change })).toString("base64");
      expect((await things.rejection(Statement, { NextToken: token })).serviceMessage).toBe(
        "Invalid NextToken",
      );
    }
  });

  test("a scan pages through the table", async () => {
    let NextToken: string | undefined;
    const seen = new Set<string>();
    for (let page = 0; page < 10; page++) {
      const answer = await things.execute("SELECT pk, sk FROM things", { Limit: 3, NextToken });
      for (const { pk, sk } of answer.Items ?? []) seen.add(`${pk?.S}${sk?.S}`);
      NextToken = answer.NextToken;
      if (NextToken === undefined) break;
    }
    expect(seen.size).toBe(8);
  });

  test("an index is read in its order, and a local one fetches what it lacks", async () => {
    const byNumber = `SELECT sk FROM "things"."by-g-h" WHERE g = 'g' AND h BETWEEN 8 AND 9`;
    expect(await things.letters(byNumber)).toBe("ccbb");
    expect(await things.letters(`${byNumber} ORDER BY h DESC`)).toBe("bbcc");
    const local = await things.execute(`SELECT n FROM "things"."by-g" WHERE pk = 'p' AND g = 'g'`, {
      ReturnConsumedCapacity: "INDEXES",
    });
    expect(local.Items).toHaveLength(4);
    expect(local.ConsumedCapacity).toMatchObject({ CapacityUnits: 2.5, Table: { CapacityUnits: 2 } });
  });

  test.each([
    [
      "SELECT * FROM things ORDER BY sk",
      "Must have WHERE clause in the statement when using ORDER BY clause.",
    ],
    [
      "SELECT * FROM things WHERE n = 1 ORDER BY sk",
      "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
    ],
    [
      "SELECT * FROM things WHERE pk = 'p' ORDER BY n",
      "Variable reference n in ORDER BY clause must be part of the primary key",
    ],
    [
      "SELECT * FROM things WHERE pk = 1",
      "Key attribute's data type should match its data type in table's schema: Key pk",
    ],
    [
      "SELECT * FROM things WHERE pk = 'p' AND sk > 1",
      "Key attribute's data type should match its data type in table's schema: Key sk",
    ],
    [
      "SELECT * FROM things WHERE pk = ''",
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
    ],
    ["SELECT * FROM things WHERE true", "WHERE clause must contain an expression that resolves to a boolean"],
    ["SELECT * FROM things WHERE pk = 'p' AND n", "The arguments to AND/OR must be Expressions"],
    [
      "SELECT * FROM things WHERE pk = 'p' AND n + 1 = 2",
      "Unsupported operator in Condition Expression. Operator: +",
    ],
    [
      "SELECT * FROM things WHERE pk LIKE 'p%'",
      "Unsupported operator in Condition Expression. Operator: like",
    ],
    ["SELECT * FROM things WHERE pk = 'p' AND foo(n)", "Unrecognized function: foo at 1:41:3"],
    [
      "SELECT * FROM things WHERE pk = 'p' AND list_append(l, [1]) = [1]",
      "The function is not allowed in a condition expression; function: list_append",
    ],
    ["SELECT * FROM things WHERE pk = 'p' AND n = MISSING", "MISSING must be compared using IS operator"],
    [
      "SELECT * FROM things WHERE pk = 'p' AND n = n",
      "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [n]",
    ],
    [
      "SELECT * FROM things WHERE pk = 'p' AND n IN []",
      "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member",
    ],
    [
      `SELECT n FROM "things"."keys" WHERE g = 'g'`,
      "One or more parameter values were invalid: Global secondary index keys does not project [n]",
    ],
    [
      `SELECT pk FROM "things"."keys" WHERE g = 'g' AND n = 1`,
      "One or more parameter values were invalid: Secondary index keys does not project one or more filter attributes: [n]",
    ],
    [`SELECT n FROM "things"."nope" WHERE g = 'g'`, "The table does not have the specified index"],
    [
      "EXISTS(SELECT * FROM things WHERE pk = 'p')",
      "EXISTS can only be used in ExecuteTransaction write requests.",
    ],
    ["SELECT * FROM things WHERE pk = ?", "Number of parameters in request and statement don't match."],
    ["SELECT * FROM things WHERE pk = 'p' AND n = `1`", "Ion Literals are not supported at 1:45:3"],
    ["SELECT * FROM things WHERE pk = 'p' AND s = <<>>", "Empty bags are not supported"],
    [
      "SELECT * FROM things WHERE pk = 'p' AND s = <<1, 'a'>>",
      "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
    ],
  ])("%s is rejected", async (statement, message) => {
    const { exception, serviceMessage } = await things.rejection(statement);
    expect([exception, serviceMessage]).toEqual(["ValidationException", message]);
  });

  test("a sort key alone does not order several partitions", async () => {
    const statement = "SELECT * FROM things WHERE pk IN ['p', 'q'] ORDER BY sk";
    const { exception, serviceMessage } = await things.rejection(statement);
    expect(exception).toBe("ValidationException");
    expect(serviceMessage).toMatch(/^Tablekeep: /);
  });

  test("too many partitions and too many conditions are rejected", async () => {
    const values = Array.from({ length: 51 }, (_, at) => `'${at}'`).join();
    const partitions = await things.rejection(`SELECT * FROM things WHERE pk IN [${values}]`);
    expect(partitions.serviceMessage).toBe(
      "The IN operator is provided with too many operands; number of operands: 51",
    );
    const conditions = await things.rejection(`SELECT * FROM things WHERE ${"n = 1 AND ".repeat(500)} n = 1`);
    expect(conditions.serviceMessage).toBe("The expression contains too many operators; operator count: 301");
  });

  test("a key that is too long is rejected", async () => {
    const long = s("x".repeat(3_000));
    expect(
      (await things.rejection("SELECT * FROM things WHERE pk = ?", { Parameters: [long] })).serviceMessage,
    ).toMatch(/hashkey/);
    const onSort = "SELECT * FROM things WHERE pk = 'p' AND sk = ?";
    expect((await things.rejection(onSort, { Parameters: [long] })).serviceMessage).toMatch(/range keys/);
    expect(
      await things.letters("SELECT * FROM things WHERE pk = 'p' AND begins_with(sk, ?)", {
        Parameters: [long],
      }),
    ).toBe("");
  });
});

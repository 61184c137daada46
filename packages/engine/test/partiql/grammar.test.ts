import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { define, rejectionOf } from "../tables.ts";
import { n, openThings, s, type Things } from "./things.ts";

let things: Things;

beforeAll(async () => {
  things = await openThings();
});

afterAll(() => things.engine.close());

const malformed = "Statement wasn't well formed, can't be processed: ";
const key = "pk = 'p' AND sk = 'a'";

describe("an UPDATE that begins with FROM", () => {
  test("sets, removes and returns", async () => {
    await things.execute(`from things where ${key} set c = 1 SET d = 2`);
    const { Items } = await things.execute(
      `FROM "things" WHERE ${key} SET c = ? REMOVE d RETURNING MODIFIED NEW *`,
      { Parameters: [n(7)] },
    );
    expect(Items).toEqual([{ c: n(7) }]);
    await things.execute(`FROM things WHERE ${key} REMOVE c`);
    const { Items: [item] = [] } = await things.execute(`SELECT * FROM things WHERE ${key}`);
    expect([item?.["c"], item?.["d"]]).toEqual([undefined, undefined]);
  });

  test("has the rest of WHERE as its condition, and creates nothing", async () => {
    for (const where of [`${key} AND n = 5`, "pk = 'p' AND sk = 'absent'"]) {
      const { exception } = await things.rejection(`FROM things WHERE ${where} SET c = 1`);
      expect(exception).toBe("ConditionalCheckFailedException");
    }
    expect(await things.letters("SELECT * FROM things WHERE pk = 'p'")).toBe("abcd");
  });

  test("is carried out in batches and transactions", async () => {
    const Statement = `FROM things WHERE ${key} SET n = n + 1`;
    await things.engine.executeTransaction({ TransactStatements: [{ Statement }] });
    const { Responses } = await things.engine.batchExecuteStatement({ Statements: [{ Statement }] });
    expect(Responses).toEqual([{ TableName: "things" }]);
    const { Items } = await things.execute(`SELECT n FROM things WHERE ${key}`);
    expect(Items).toEqual([{ n: n(3) }]);
    await things.execute(`FROM things WHERE ${key} SET n = 1`);
  });
});

/** A statement that DynamoDB rejects, and its message. */
const rejections: readonly (readonly [statement: string, message: string])[] = [
  ["FROM things SET c = 1", "Where clause does not contain a mandatory equality on all key attributes"],
  [
    "FROM things WHERE n = 1 REMOVE c",
    "Where clause does not contain a mandatory equality on all key attributes",
  ],
  [`FROM things SET c = 1 WHERE ${key}`, `${malformed}Unexpected token after expression`],
  [`UPDATE things SET c = 1 WHERE ${key} foo`, `${malformed}Unexpected token after expression`],
  ["SELECT * FROM things ORDER BY pk WHERE pk = 'p'", `${malformed}Unexpected token after expression`],
  ["INSERT INTO things t VALUE {'pk': 'x'}", `${malformed}Unexpected token after expression`],
  [`DELETE FROM things t WHERE ${key}`, "Aliasing is not supported"],
  ["SELECT * FROM things WHERE n = 1e2147483648", malformed],
  ["SELECT * FROM things WHERE n = 1.5e-2147483647", malformed],
  ["SELECT * FROM things WHERE n = 1 # note", malformed],
  ["SELECT * FROM things WHERE n = 1 /* note", malformed],
  ["SELECT * FROM things WHERE", `${malformed}Unexpected term`],
  ["SELECT * FROM things WHERE;", `${malformed}Unexpected term`],
  ["SELECT * FROM things WHERE NOT", `${malformed}Unexpected term`],
  ["SELECT * FROM things WHERE (", `${malformed}Unexpected term`],
  ["SELECT * FROM", `${malformed}Unexpected term`],
  ["DELETE FROM", `${malformed}Expected identifier for simple path`],
  ["DELETE FROM WHERE pk = 'p'", `${malformed}Expected identifier for simple path`],
  [
    "SELECT * FROM things WHERE pk = 'p' AND",
    `${malformed}Missing right-hand side expression of infix operator`,
  ],
  ["SELECT * FROM things WHERE ORDER BY pk", `${malformed}Unexpected keyword`],
  ["SELECT * FROM things WHERE IS NULL", `${malformed}Unexpected operator`],
  ["SELECT * FROM things WHERE pk = LIKE", `${malformed}Unexpected operator`],
  ["SELECT * FROM things WHERE pk = 'p' AND n IS FOO", `${malformed}Expected type name`],
  ["SELECT * FROM things WHERE attribute_exists(m.inner)", `${malformed}Invalid path dot component`],
  ["SELECT * FROM things WHERE EXISTS(n)", "Unrecognized function: exists at 1:28:6"],
  ["SELECT * FROM things WHERE set_add(n, <<'x'>>) = n", "Unrecognized function: set_add at 1:28:7"],
  [
    "INSERT INTO things VALUE {'pk': 'x', 'e': set_add(<<'a'>>, <<'b'>>)}",
    "Unsupported data type: set_add under key root at 1:43:7",
  ],
  [
    "UPDATE things SET t = set_add(n, <<'x'>>)",
    "The first argument to SET_ADD must equal the assignment value at 1:23:7",
  ],
  [
    "UPDATE things SET n = set_delete(n, 'x')",
    "The second argument to SET_DELETE must be a value with type SET at 1:34:1",
  ],
  ["UPDATE things SET n = set_add(n)", "SET_ADD must have exactly two arguments at 1:23:7"],
  [
    "SELECT * FROM things WHERE n = 1e126",
    "Number overflow. Attempting to store a number with magnitude larger than supported range under root",
  ],
  [
    "INSERT INTO things VALUE {'pk': 'x', 'sk': 'y', 'm': {'x': [1, 1e-131]}}",
    "Number underflow. Attempting to store a number with magnitude smaller than supported range under root.x[1]",
  ],
];

describe("DynamoDB's words for what it cannot read", () => {
  test.each(rejections)("%s", async (statement, message) => {
    const { exception, serviceMessage } = await things.rejection(statement);
    expect([exception, serviceMessage]).toEqual(["ValidationException", message]);
  });

  test("in a transaction they name the statement", async () => {
    const TransactStatements = [{ Statement: "SELECT * FROM things WHERE" }];
    expect(await rejectionOf(things.engine.executeTransaction({ TransactStatements }))).toBe(
      `ValidationException: Validation failed in TransactStatements[0]: ${malformed}Unexpected term`,
    );
  });
});

test("a condition may be compared with a boolean", async () => {
  const where = (condition: string) => `SELECT * FROM things WHERE ${key} AND ${condition}`;
  expect(await things.letters(where("attribute_exists(n) = true"))).toBe("a");
  expect(await things.letters(where("false = attribute_exists(n)"))).toBe("");
});

describe("numbers of parameters", () => {
  const cannot = "The parameter cannot be converted to a numeric value";
  const statements = [
    "SELECT * FROM things WHERE pk = 'p' AND n = ?",
    `UPDATE things SET n = ? WHERE ${key}`,
    "INSERT INTO things VALUE {'pk': 'x', 'sk': 'y', 'n': ?}",
  ];

  test.each([
    ["1e99999999999", `${cannot}: 1e99999999999`],
    ["1e-2147483648", `${cannot}: 1e-2147483648`],
    [
      "1e2147483647",
      "Number underflow. Attempting to store a number with magnitude smaller than supported range",
    ],
    ["", cannot],
  ])("%j is rejected everywhere", async (N, message) => {
    for (const statement of statements) {
      expect((await things.rejection(statement, { Parameters: [{ N }] })).serviceMessage).toBe(message);
    }
    const deep = [{ L: [n(1), { M: { x: { NS: ["1", N] } } }] }];
    expect((await things.rejection(statements[0] ?? "", { Parameters: deep })).serviceMessage).toBe(message);
  });

  test("in a transaction such a parameter rejects the whole request, without naming the statement", async () => {
    const TransactStatements = [{ Statement: statements[1] ?? "", Parameters: [{ N: "1e99999999999" }] }];
    expect(await rejectionOf(things.engine.executeTransaction({ TransactStatements }))).toBe(
      `ValidationException: ${cannot}: 1e99999999999`,
    );
  });
});

test("an index whose key has several attributes of a kind is not read, whatever the condition", async () => {
  const { engine } = things;
  const hash = (AttributeName: string) => ({ AttributeName, KeyType: "HASH" as const });
  await engine.createTable({
    TableName: "many",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: define("id", "h", "i"),
    KeySchema: [hash("id")],
    GlobalSecondaryIndexes: [
      { IndexName: "multi", KeySchema: [hash("h"), hash("i")], Projection: { ProjectionType: "ALL" } },
    ],
  });
  await engine.putItem({ TableName: "many", Item: { id: s("1"), h: s("h"), i: s("i") } });
  const words =
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.";
  for (const where of ["", " WHERE h = 'h' AND i = 'i'", " WHERE h = 5"]) {
    expect((await things.rejection(`SELECT * FROM many.multi${where}`)).serviceMessage).toBe(words);
  }
  const { Responses } = await engine.batchExecuteStatement({
    Statements: [
      { Statement: "SELECT * FROM many.multi WHERE h = 'h'" },
      { Statement: "SELECT id FROM many WHERE id = '1'" },
    ],
  });
  expect(Responses).toEqual([
    { Error: { Code: "ValidationError", Message: words } },
    { TableName: "many", Item: { id: s("1") } },
  ]);
});

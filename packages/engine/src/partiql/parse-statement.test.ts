import { isDynamoError } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStatement } from "./parse-statement.ts";

function faultOf(statement: string): string {
  try {
    parseStatement(statement);
  } catch (error) {
    if (!isDynamoError(error, "ValidationException")) throw error;
    return error.details.serviceMessage;
  }
  throw new Error(`${statement} was parsed`);
}

const malformed: readonly (readonly [statement: string, detail: string])[] = [
  ["SLECT *", "Expected data manipulation"],
  ["", "Expected data manipulation"],
  ["UPSERT INTO t {'pk': 'a'}", "Expected data manipulation"],
  ["NOT EXISTS(SELECT * FROM t)", "Expected data manipulation"],
  ["SELECT", "Unexpected term"],
  ["SELECT * FROM", "Unexpected term"],
  ["SELECT * FROM t WHERE", "Unexpected term"],
  ["SELECT user FROM t", "Unexpected keyword"],
  ["SELECT count FROM t", "Unexpected keyword"],
  ["SELECT m.user FROM t", "Invalid path dot component"],
  ["SELECT *, a FROM t", 'Unexpected token "," at 1:9:1'],
  ["SELECT * FROM t WHERE a == 1", "Unexpected operator"],
  ["SELECT * FROM t WHERE a = 'x", ""],
  ["SELECT * FROM t WHERE a = 1 = 2", "Unexpected token after expression"],
  ["SELECT * FROM t WHERE a = 1; x", "Unexpected token after expression"],
  ["SELECT * FROM my-table", "Unexpected token after expression"],
  ["SELECT * FROM t WHERE a = ()", 'Unexpected token ")" at 1:28:1'],
  ["INSERT INTO t VALUES {'pk': 'a'}", "Unexpected keyword"],
  ["INSERT INTO t VALUE {'pk': 'a',}", "Unexpected term"],
  ["UPDATE t WHERE pk = 'a'", "Unexpected keyword"],
  ["UPDATE t SET a WHERE pk = 'a'", "Unexpected keyword"],
  ["UPDATE t REMOVE a, b WHERE pk = 'a'", "Unexpected token after expression"],
  ["UPDATE t SET a = 1 WHERE pk = 'a' RETURNING ALL OLD", "Unexpected end of statement"],
  ["DELETE t WHERE pk = 'a'", 'Unexpected token "t" at 1:8:1'],
  ["EXISTS(DELETE FROM t WHERE pk = 'a')", "Unexpected keyword"],
];

const rejected: readonly (readonly [statement: string, message: string])[] = [
  ["SELECT a AS b FROM t", "Aliasing is not supported"],
  ["SELECT a b FROM t", "Aliasing is not supported"],
  ["SELECT * FROM t AS x", "Aliasing is not supported"],
  ["SELECT DISTINCT a FROM t", "Unsupported token in expression: DISTINCT"],
  ["SELECT VALUE a FROM t", "Select projection doesn't support value or pivot keywords"],
  ["SELECT a + 1 FROM t", "Unexpected path component at 1:10:1"],
  ["SELECT size(a) FROM t", "Unexpected path component at 1:8:4"],
  ["SELECT COUNT(*) FROM t", "Unexpected path component at 1:8:5"],
  ["SELECT a, max(b) FROM t", "Unexpected path component at 1:11:3"],
  ["SELECT 'a' FROM t", "Unexpected path component at 1:8:3"],
  ["SELECT a[b] FROM t", "Unexpected path component at 1:10:1"],
  ["SELECT a[-1] FROM t", "Unexpected path component at 1:10:1"],
  ["SELECT a[1.5] FROM t", "Unexpected path component at 1:10:3"],
  ["SELECT a[99999999999] FROM t", "List index is not within the allowable range; index: [99999999999]"],
  ["SELECT a.* FROM t", "Unpivot path component like a.*.b are not supported"],
  ['SELECT "" FROM t', "Path component cannot be an empty string"],
  ["SELECT a, a FROM t", "Duplicate identifiers in select clause: a"],
  ["SELECT a.x, b.x FROM t", "Duplicate identifiers in select clause: x"],
  [
    "SELECT a, a.b FROM t",
    "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]",
  ],
  [
    `SELECT ${Array.from({ length: 33 }, () => "a").join(".")} FROM t`,
    "The document path has too many nesting levels; nesting levels: 33",
  ],
  ["SELECT * FROM 't'", "Unexpected from source"],
  ["SELECT * FROM ?", "Unexpected from source"],
  ["SELECT * FROM (SELECT * FROM t)", "Unexpected from source"],
  ["SELECT * FROM a.b.c", "A path may contain at most 2 components in the FROM clause"],
  ["SELECT * FROM a, b", "Only select from a single table or index is supported."],
  ["SELECT * FROM a JOIN b ON a.x = b.x", "Only select from a single table or index is supported."],
  ["SELECT * FROM t LIMIT 10", "Unsupported clause: LIMIT at 1:23:2"],
  ["SELECT a FROM t GROUP BY a", "Unsupported clause: GROUP BY"],
  ["SELECT a FROM t ORDER BY a.b", "Argument to ORDER BY must be of type VariableReference. Type: PATH"],
  [
    "INSERT INTO a.b VALUE {}",
    "FROM clause may only contain a single table name in data manipulation statements",
  ],
  ["INSERT INTO t VALUE {} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"],
  ["UPDATE a.b SET c = 1", "This operation is not supported on an index"],
  [
    "UPDATE t SET a = 1 RETURNING ALL OLD a",
    "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause",
  ],
  [
    "UPDATE t SET a = 1 RETURNING ALL OLD *, ALL NEW *",
    "Invalid syntax with multiple returning elements in RETURNING clause",
  ],
  [
    "DELETE FROM t WHERE a = 1 RETURNING ALL NEW *",
    "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
  ],
];

describe("malformed statements", () => {
  test.each(malformed)("%s", (statement, detail) => {
    expect(faultOf(statement)).toBe(`Statement wasn't well formed, can't be processed: ${detail}`);
  });
});

describe("statements with unsupported features", () => {
  test.each(rejected)("%s", (statement, message) => {
    expect(faultOf(statement)).toBe(message);
  });
});

describe("hostile statements", () => {
  test.each(["(", "[", "{'a':", "<<", "NOT ", "-", "+ ", "size(", "a IN ("])(
    "%j nested very deeply",
    (opening) => {
      const statement = `SELECT * FROM t WHERE ${opening.repeat(2_000)}`;
      expect(faultOf(statement.slice(0, 8_192))).toMatch(/wasn't well formed/);
    },
  );

  test.each([
    ["conditions", `SELECT * FROM t WHERE ${"a=1 AND ".repeat(1_000)}a=1`],
    ["sums", `UPDATE t SET a=1${"+1".repeat(4_000)}`],
    ["parameters", `SELECT * FROM t WHERE a IN [${"?,".repeat(4_000)}?]`],
    ["assignments", `UPDATE t SET a=1${Array.from({ length: 1_000 }, (_, at) => `,a${at}=1`).join("")}`],
    ["line breaks", `SELECT${"\n".repeat(8_000)}* FROM t`],
  ])("thousands of %s are parsed", (_what, statement) => {
    expect(parseStatement(statement).statement.kind).toMatch(/select|update/);
  });

  test("no string makes the parser throw anything but DynamoDB's errors", () => {
    const pieces = fc.constantFrom(
      ..."SELECT INSERT INTO UPDATE DELETE FROM WHERE SET REMOVE VALUE RETURNING ALL OLD NEW AND OR NOT IN IS MISSING".split(
        " ",
      ),
      ..."NULL BETWEEN LIKE ORDER BY EXISTS size begins_with t pk ? 1 .5 -1 'x' \"y\" << >> [ ] { } ( ) , . : = <> < * + - ;".split(
        " ",
      ),
      "__proto__",
      "constructor",
      "'",
      "`1`",
      "\0",
      "😀",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (chosen) => {
        const statement = chosen.join(" ");
        try {
          parseStatement(statement);
        } catch (error) {
          expect(isDynamoError(error, "ValidationException")).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

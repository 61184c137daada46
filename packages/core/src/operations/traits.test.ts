import { describe, expect, test } from "vitest";
import { isSelect } from "./partiql.ts";
import { mayWrite, operationNames, operationTraits, statementsOf, tableOf, tablesOf } from "./traits.ts";

describe("operation traits", () => {
  test("name the operations of each effect", () => {
    const withEffect = (effect: string) =>
      operationNames.filter((name) => operationTraits[name].effect === effect);
    expect(withEffect("repeatable")).toEqual([
      "PutItem",
      "DeleteItem",
      "BatchWriteItem",
      "TagResource",
      "UntagResource",
    ]);
    expect(withEffect("tokened")).toEqual(["TransactWriteItems", "ExecuteTransaction"]);
    expect(operationNames.filter((name) => operationTraits[name].service === "streams")).toEqual([
      "ListStreams",
      "DescribeStream",
      "GetShardIterator",
      "GetRecords",
    ]);
  });

  test("statements write unless all of them are SELECTs", () => {
    const select = { Statement: "-- all\n select * from t" };
    const insert = { Statement: `INSERT INTO "t" VALUE {'id': 'select'}` };
    expect(mayWrite("ExecuteStatement", select)).toBe(false);
    expect(mayWrite("ExecuteStatement", insert)).toBe(true);
    expect(mayWrite("ExecuteStatement", {})).toBe(true);
    expect(mayWrite("BatchExecuteStatement", { Statements: [select, select] })).toBe(false);
    expect(mayWrite("BatchExecuteStatement", { Statements: [select, insert] })).toBe(true);
    expect(mayWrite("ExecuteTransaction", { TransactStatements: [] })).toBe(true);
    expect(statementsOf("ExecuteTransaction", { TransactStatements: [select, null] })).toEqual([
      select.Statement,
      "",
    ]);
  });
});

describe("tablesOf", () => {
  test("finds the tables of every form of request, once each", () => {
    expect(tablesOf("GetItem", { TableName: "a" })).toEqual(["a"]);
    expect(tablesOf("BatchGetItem", { RequestItems: { a: {}, b: {} } })).toEqual(["a", "b"]);
    const TransactItems = [
      { Put: { TableName: "a" } },
      { Update: { TableName: "a" } },
      { Get: { TableName: "b" } },
    ];
    expect(tablesOf("TransactWriteItems", { TransactItems })).toEqual(["a", "b"]);
    expect(tablesOf("ListTables", { ExclusiveStartTableName: "a" })).toEqual([]);
    expect(tablesOf("ListStreams", { TableName: "a" })).toEqual(["a"]);
    expect([
      tableOf("GetItem", { TableName: "a" }),
      tableOf("TransactWriteItems", { TransactItems }),
    ]).toEqual(["a", undefined]);
  });

  test.each([
    undefined,
    null,
    7,
    {},
    { TableName: 7 },
    { RequestItems: null },
    { TransactItems: [null, {}, { Put: 1 }] },
  ])("finds none in %j", (input) => {
    for (const operation of operationNames) expect(tablesOf(operation, input)).toEqual([]);
  });
});

describe("isSelect", () => {
  test.each([
    ["SELECT * FROM t", true],
    ["\n\t select(*) from t", true],
    ["/* why */ -- note\nSelect a from t", true],
    ["/* open SELECT", false],
    ["-- SELECT", false],
    ["selected", false],
    ["UPDATE t SET a = 'SELECT'", false],
    ["", false],
  ])("%j: %s", (statement, expected) => {
    expect(isSelect(statement)).toBe(expected);
  });

  test("takes linear time over many opened comments", () => {
    expect(isSelect(`${"/* */".repeat(200_000)}SELECT`)).toBe(true);
    expect(isSelect("/*".repeat(1_000_000))).toBe(false);
  });
});

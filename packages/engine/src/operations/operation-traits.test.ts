import { type OperationName, operationNames } from "@tablekeep/core";
import { expect, test } from "vitest";
import { mayChange } from "./operation-traits.ts";

const onlyRead: readonly OperationName[] = [
  "GetItem",
  "Query",
  "Scan",
  "BatchGetItem",
  "TransactGetItems",
  "DescribeTable",
  "ListTables",
  "DescribeTimeToLive",
  "ListTagsOfResource",
  "DescribeLimits",
  "DescribeEndpoints",
  "ListStreams",
  "DescribeStream",
  "GetShardIterator",
  "GetRecords",
];

test.each(operationNames)("%s may change something, unless it only reads", (name) => {
  for (const input of [{}, undefined, { Statement: 1, Statements: [null], TransactStatements: [{}] }]) {
    expect(mayChange(name, input)).toBe(!onlyRead.includes(name));
  }
});

const selects = [
  "SELECT * FROM things",
  ' \n select* from "things"',
  "/* all */ -- of it\nSelect a FROM things",
];
const others = [
  "INSERT INTO things VALUE {'pk': 'SELECT'}",
  "-- SELECT\nDELETE FROM things WHERE pk = 'a'",
  "EXISTS(SELECT * FROM things WHERE pk = 'a')",
  "selection",
  '"SELECT"',
  "",
];

test.each(selects)("%j changes nothing", (Statement) => {
  expect(mayChange("ExecuteStatement", { Statement })).toBe(false);
  expect(mayChange("BatchExecuteStatement", { Statements: [{ Statement }, { Statement }] })).toBe(false);
  expect(mayChange("ExecuteTransaction", { TransactStatements: [{ Statement }] })).toBe(false);
});

test.each(others)("%j may change something", (Statement) => {
  const beside = { Statement: "SELECT * FROM things" };
  expect(mayChange("ExecuteStatement", { Statement })).toBe(true);
  expect(mayChange("BatchExecuteStatement", { Statements: [beside, { Statement }] })).toBe(true);
  expect(mayChange("ExecuteTransaction", { TransactStatements: [beside, { Statement }] })).toBe(true);
});

import { expect, test } from "vitest";
import { repairs } from "./repairs.ts";

test("each thing in a request is left out once", () => {
  const all = [...repairs({ TableName: "t", Key: { pk: { S: "a" } } })];
  expect(all).toContainEqual({ TableName: "t" });
  expect(all).toContainEqual({ Key: { pk: { S: "a" } } });
  expect(all).toContainEqual({ TableName: "t", Key: {} });
});

test("a value is replaced by plain ones of other types", () => {
  const all = [...repairs({ Key: { pk: { SS: [] } } })];
  expect(all).toContainEqual({ Key: { pk: { S: "a" } } });
  expect(all).toContainEqual({ Key: { pk: { N: "1" } } });
});

test("an action of an update goes with its placeholders, others stay", () => {
  const all = [
    ...repairs({
      UpdateExpression: "SET a = :v0, #n0 = :v1",
      ExpressionAttributeNames: { "#n0": "b" },
      ExpressionAttributeValues: { ":v0": { S: "x" }, ":v1": { S: "y" }, ":unused": { S: "z" } },
    }),
  ];
  expect(all).toContainEqual({
    UpdateExpression: "SET a = :v0",
    ExpressionAttributeValues: { ":v0": { S: "x" }, ":unused": { S: "z" } },
  });
});

test("a part of a condition is replaced by one without a fault", () => {
  const texts = [...repairs({ ConditionExpression: "NOT (foo(a) AND b = c)" })].map(
    (input) => input["ConditionExpression"],
  );
  expect(texts).toContain("NOT (attribute_exists(c) AND b = c)");
  expect(texts).toContain("NOT (foo(a) AND attribute_exists(c))");
});

test("a condition that is empty is replaced by one without a fault, and the values beside it stay", () => {
  const ExpressionAttributeValues = { ":v0": { SS: [] } };
  expect([...repairs({ FilterExpression: "", ExpressionAttributeValues })]).toContainEqual({
    FilterExpression: "attribute_exists(c)",
    ExpressionAttributeValues,
  });
});

test("an operand is replaced by a number", () => {
  expect([...repairs({ UpdateExpression: "SET a = foo(b), c = d" })]).toContainEqual({
    UpdateExpression: "SET a = :plain, c = d",
    ExpressionAttributeValues: { ":plain": { N: "1" } },
  });
});

test("a key that is missing is added", () => {
  expect([...repairs({ Item: { pk: { S: "" } } })]).toContainEqual({
    Item: { pk: { S: "" }, n: { N: "1" } },
  });
});

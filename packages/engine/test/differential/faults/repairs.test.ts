import { expect, test } from "vitest";
import { repairs } from "./repairs.ts";

test("removes each part of a request once", () => {
  const all = [...repairs({ TableName: "t", Key: { pk: { S: "a" } } })];
  expect(all).toContainEqual({ TableName: "t" });
  expect(all).toContainEqual({ Key: { pk: { S: "a" } } });
  expect(all).toContainEqual({ TableName: "t", Key: {} });
});

test("replaces a value by plain ones of other types", () => {
  const all = [...repairs({ Key: { pk: { SS: [] } } })];
  expect(all).toContainEqual({ Key: { pk: { S: "a" } } });
  expect(all).toContainEqual({ Key: { pk: { N: "1" } } });
});

test("removes an action of an update with its placeholders, and keeps the others", () => {
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

test("replaces a part of a condition by one without a fault", () => {
  const texts = [...repairs({ ConditionExpression: "NOT (foo(a) AND b = c)" })].map(
    (input) => input["ConditionExpression"],
  );
  expect(texts).toContain("NOT (attribute_exists(c) AND b = c)");
  expect(texts).toContain("NOT (foo(a) AND attribute_exists(c))");
});

test("replaces an empty condition by one without a fault, and keeps the values beside it", () => {
  const ExpressionAttributeValues = { ":v0": { SS: [] } };
  expect([...repairs({ FilterExpression: "", ExpressionAttributeValues })]).toContainEqual({
    FilterExpression: "attribute_exists(c)",
    ExpressionAttributeValues,
  });
});

test("replaces an operand by a number", () => {
  expect([...repairs({ UpdateExpression: "SET a = foo(b), c = d" })]).toContainEqual({
    UpdateExpression: "SET a = :plain, c = d",
    ExpressionAttributeValues: { ":plain": { N: "1" } },
  });
});

test("adds a missing key", () => {
  expect([...repairs({ Item: { pk: { S: "" } } })]).toContainEqual({
    Item: { pk: { S: "" }, n: { N: "1" } },
  });
});

test("keeps single keys and pairs of keys of a batch", () => {
  const key = (text: string) => ({ pk: { S: text } });
  const RequestItems = {
    one: { Keys: [key("a")] },
    two: { ConsistentRead: true, Keys: [key("b"), key("b")] },
  };
  const all = [...repairs({ RequestItems })];
  expect(all).toContainEqual({ RequestItems: { one: { Keys: [key("a")] } } });
  expect(all).toContainEqual({ RequestItems: { two: RequestItems.two } });
});

test("keys of a batch that are equal and of the wrong type become equal keys of the right one", () => {
  const wrong = { pk: { B: new Uint8Array() } };
  const input = { RequestItems: { one: { Keys: [wrong, wrong] }, two: { Keys: [{ pk: { S: "a" } }] } } };
  expect([...repairs(input)]).toContainEqual({
    RequestItems: { one: { Keys: [{ pk: { S: "a" } }, { pk: { S: "a" } }] } },
  });
});

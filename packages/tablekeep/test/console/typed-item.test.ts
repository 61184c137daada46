import { expect, test } from "vitest";
import type { TableFacts } from "../../console/tables/api/table-facts.ts";
import { isPlain, parseItem } from "../../console/tables/items/typed-item.ts";
import { emptyQuery, type ItemsQuery } from "../../console/tables/query/items-query.ts";
import { queryCode } from "../../console/tables/query/query-code.ts";

test("plain JSON becomes DynamoDB's, with every digit", () => {
  const text = '{"s":"a","n":1234567890123,"f":1.5,"b":true,"z":null,"l":[1,{"m":"x"}]}';
  expect(parseItem(text, "plain")).toEqual({
    item: {
      s: { S: "a" },
      n: { N: "1234567890123" },
      f: { N: "1.5" },
      b: { BOOL: true },
      z: { NULL: true },
      l: { L: [{ N: "1" }, { M: { m: { S: "x" } } }] },
    },
  });
  expect(parseItem('{"id":{"S":"1"}}', "dynamodb")).toEqual({ item: { id: { S: "1" } } });
  for (const typed of ["[1]", "5", "{", "null"]) expect(parseItem(typed, "plain")).toHaveProperty("fault");
});

test("a long number keeps its digits or is rejected, and is never rounded", () => {
  const digits = "12345678901234567890";
  const typed = parseItem(`{"n":${digits}}`, "plain");
  if ("item" in typed) expect(typed.item).toEqual({ n: { N: digits } });
  else expect(typed.fault).toContain(digits);
  expect(isPlain({ n: { N: digits } })).toBe("item" in typed);
});

test("sets and bytes need DynamoDB's JSON, at any depth", () => {
  expect(isPlain({ a: { S: "x" }, l: { L: [{ M: { n: { N: "1" } } }] } })).toBe(true);
  expect(isPlain({ a: { SS: ["x"] } })).toBe(false);
  expect(isPlain({ l: { L: [{ M: { b: { B: "AQI=" } } }] } })).toBe(false);
});

const facts = {
  name: "orders",
  partition: { name: "customer", type: "S" },
  sort: { name: "nr", type: "N" },
  indexes: [{ name: "by-code", kind: "global", partition: { name: "code", type: "B" } }],
} as unknown as TableFacts;

test("the code of a query has its expressions, names and values", () => {
  const query: ItemsQuery = {
    ...emptyQuery,
    partition: 'an"na',
    sort: "3",
    sortIs: "between",
    sortTo: "5",
    isDescending: true,
    filters: [
      { path: "to.city", is: "begins_with", type: "S", value: "B" },
      { path: "lines.0", is: "exists", type: "S", value: "" },
      { path: "total", is: ">", type: "N", value: "5" },
    ],
  };
  const code = queryCode(facts, query, undefined);
  expect(code).toContain('KeyConditionExpression: "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2"');
  expect(code).toContain(
    'FilterExpression: "begins_with(#n2.#n3, :v3) AND attribute_exists(#n4[0]) AND #n5 > :v4"',
  );
  expect(code).toContain("ScanIndexForward: false");
  expect(code).toContain("paginateQuery({ client }, input)");
  const input = /const input = (\{[\s\S]*?\n\});/.exec(code)?.[1] ?? "";
  expect(new Function(`return ${input}`)()).toMatchObject({
    TableName: "orders",
    ExpressionAttributeNames: { "#n0": "customer", "#n1": "nr", "#n2": "to", "#n3": "city", "#n4": "lines" },
    ExpressionAttributeValues: {
      ":v0": { S: 'an"na' },
      ":v1": { N: "3" },
      ":v2": { N: "5" },
      ":v3": { S: "B" },
    },
  });
});

test("the code of a scan has no key condition, and bytes of an index are decoded", () => {
  expect(queryCode(facts, emptyQuery, undefined)).not.toMatch(/Expression/);
  expect(queryCode(facts, emptyQuery, undefined)).toContain("paginateScan");
  expect(queryCode(facts, { ...emptyQuery, index: "by-code", partition: "AQI=" }, undefined)).toContain(
    'B: Buffer.from("AQI=", "base64")',
  );
});

test("the code reads no global index consistently, because DynamoDB rejects that", () => {
  const query = { ...emptyQuery, isConsistent: true };
  expect(queryCode(facts, query, undefined)).toContain("ConsistentRead: true");
  expect(queryCode(facts, { ...query, index: "by-code" }, undefined)).not.toContain("ConsistentRead");
});

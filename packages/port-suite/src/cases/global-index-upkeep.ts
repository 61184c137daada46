import { n, pk, s } from "../attribute-values.ts";
import { cases, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { byIndex, indexedItems } from "../sample-rows.ts";

const keys = {
  one: { pk: s("$one"), sk: s("1") },
  two: { pk: s("$two"), sk: s("2") },
  three: { pk: s("$three"), sk: s("3") },
  four: { pk: s("$four"), sk: s("4") },
};
const third = { ...keys.three, g: s("$g"), a: s("a3") };

/** The sort keys in the partition `g` of the index. */
const shows = (g: string, ...sortKeys: string[]): Step => ({
  query: byIndex("by-g-h", { ExpressionAttributeValues: { ":g": s(g) } }),
  inAnyOrder: true,
  shows: { "Items.*.sk.S": sortKeys },
});

export const globalIndexUpkeepCases: readonly PortCase[] = cases(
  { source: "AWS docs: Using global secondary indexes in DynamoDB", table: "indexed", given: { indexed: indexedItems } },
  [
    {
      name: "A global index follows puts, updates and deletes of its items",
      steps: [
        { updateItem: { Key: keys.one, UpdateExpression: "SET g = :x", ExpressionAttributeValues: { ":x": s("$elsewhere") } } },
        shows("$g", "2", "4"),
        shows("$elsewhere", "1"),
        { updateItem: { Key: keys.two, UpdateExpression: "REMOVE h" } },
        shows("$g", "4"),
        { putItem: { Item: { ...third, h: n(1) } } },
        shows("$g", "3", "4"),
        { deleteItem: { Key: keys.four } },
        shows("$g", "3"),
      ],
    },
    {
      name: "A global index shows the changed attributes that it projects",
      steps: [
        { updateItem: { Key: keys.two, UpdateExpression: "SET a = :x, b = :x", ExpressionAttributeValues: { ":x": s("new") } } },
        { query: byIndex("by-g-h", { Limit: 1 }), shows: { Items: [{ ...keys.two, g: s("$g"), h: n(9), a: s("new") }] } },
      ],
    },
    {
      name: "A global index follows batch writes and transactions",
      steps: [
        { batchWriteItem: { RequestItems: { $indexed: [{ DeleteRequest: { Key: keys.one } }] } } },
        {
          transactWriteItems: {
            TransactItems: [
              { Delete: { TableName: "$indexed", Key: keys.two } },
              { Put: { TableName: "$indexed", Item: { ...third, h: n(7) } } },
            ],
          },
        },
        { query: byIndex("by-g-h"), shows: { "Items.*.sk.S": ["3", "4"] } },
      ],
    },
    {
      name: "PutItem rejects a global index key of the wrong type and stores nothing",
      source: "public conformance suites",
      given: {},
      putItem: { Item: { pk, sk: s("1"), g: s("g"), h: s("text") } },
      rejected: "Type mismatch for Index Key",
      after: { indexed: [] },
    },
  ],
);

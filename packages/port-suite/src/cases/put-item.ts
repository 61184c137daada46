import { n, pk, s, upTo } from "../attribute-values.ts";
import { cases, type Step } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { sampleItem } from "../sample-rows.ts";

const failed = "ConditionalCheckFailedException: The conditional request failed";
const ifNew = { ConditionExpression: "attribute_not_exists(pk)" };

const putVersion = (version: number, was: number): Step => ({
  putItem: {
    Item: { pk, version: n(version) },
    ConditionExpression: "attribute_not_exists(pk) OR version = :was",
    ExpressionAttributeValues: { ":was": n(was) },
  },
});

export const putItemCases: readonly PortCase[] = cases({ source: "AWS: API_PutItem", table: "simple" }, [
  {
    name: "PutItem stores an item that GetItem returns",
    steps: [
      { putItem: { Item: { pk, a: n(1) } }, returns: {} },
      { getItem: { Key: { pk } }, returns: { Item: { pk, a: n(1) } } },
    ],
  },
  {
    name: "PutItem stores values of every type",
    putItem: { Item: { pk, ...sampleItem } },
    after: { simple: [{ pk, ...sampleItem }] },
  },
  {
    name: "PutItem replaces the whole item",
    steps: [{ putItem: { Item: { pk, a: n(1), b: n(2) } } }, { putItem: { Item: { pk, b: n(3) } } }],
    after: { simple: [{ pk, b: n(3) }] },
  },
  {
    name: "PutItem keeps items of one partition apart by their sort key",
    table: "composite",
    steps: [
      { putItem: { Item: { pk, sk: s("a"), a: s("a") } } },
      { putItem: { Item: { pk, sk: s("b"), a: s("b") } } },
      { getItem: { Key: { pk, sk: s("a") } }, returns: { Item: { pk, sk: s("a"), a: s("a") } } },
    ],
  },
  { name: "PutItem stores an item of its key alone", putItem: { Item: { pk } }, after: { simple: [{ pk }] } },
  {
    name: "PutItem with a condition that does not hold changes nothing",
    steps: [
      { putItem: { Item: { pk, a: s("first") }, ...ifNew } },
      { putItem: { Item: { pk, a: s("second") }, ...ifNew }, rejected: failed },
    ],
    after: { simple: [{ pk, a: s("first") }] },
  },
  {
    name: "PutItem's condition sees the old item, not the new one",
    steps: [putVersion(1, 0), putVersion(2, 1), { ...putVersion(3, 1), rejected: "ConditionalCheckFailedException" }],
  },
  {
    name: "of 10 concurrent conditional puts on one key one is accepted",
    source: "AWS docs: WorkingWithItems, conditional writes",
    async run({ port, tables, unique }) {
      const Key = { pk: s(unique()) };
      const puts = upTo(10).map((index) =>
        port.putItem({ TableName: tables.simple, Item: { ...Key, winner: n(index) }, ...ifNew }),
      );
      const settled = await Promise.allSettled(puts);
      const winners = upTo(10).filter((index) => settled[index]?.status === "fulfilled");
      same(winners.length, 1);
      same(await port.getItem({ TableName: tables.simple, Key, ConsistentRead: true }), {
        Item: { ...Key, winner: n(winners[0] ?? -1) },
      });
    },
  },
  {
    name: "PutItem into an absent table is rejected",
    putItem: { TableName: "absent-$name", Item: { pk: s("a") } },
    rejected: "ResourceNotFoundException",
  },
]);

import { n, pk, s, upTo } from "../attribute-values.ts";
import { cases, type Step } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_UpdateItem";
const withSuites = `${api}; public conformance suites`;
const ifThere = { Key: { pk }, ConditionExpression: "attribute_exists(pk)" };

const setFrom = (to: number, was: number): Step => ({
  updateItem: {
    Key: { pk },
    UpdateExpression: "SET a = :to",
    ConditionExpression: "attribute_not_exists(a) OR a = :was",
    ExpressionAttributeValues: { ":to": n(to), ":was": n(was) },
  },
});

export const updateItemCases: readonly PortCase[] = cases({ source: api, table: "simple" }, [
  {
    name: "UpdateItem without changes creates an absent item of its key",
    source: withSuites,
    updateItem: { Key: { pk } },
    returns: {},
    after: { simple: [{ pk }] },
  },
  {
    name: "UpdateItem without changes leaves an item as it is",
    source: withSuites,
    given: { simple: [{ pk, a: n(1) }] },
    updateItem: { Key: { pk } },
    after: { simple: [{ pk, a: n(1) }] },
  },
  {
    name: "UpdateItem's condition sees the item before the update",
    steps: [setFrom(1, 0), setFrom(2, 1), { ...setFrom(3, 1), rejected: "ConditionalCheckFailedException" }],
    after: { simple: [{ pk, a: n(2) }] },
  },
  {
    name: "UpdateItem with a condition may have no update",
    steps: [
      { updateItem: ifThere, rejected: "ConditionalCheckFailedException" },
      { putItem: { Item: { pk } } },
      { updateItem: ifThere },
    ],
  },
  {
    name: "UpdateItem of 20 concurrent increments loses none",
    source: "AWS docs: WorkingWithItems, atomic counters",
    async run({ port, tables, unique }) {
      const Key = { pk: s(unique()) };
      const increments = upTo(20).map(() =>
        port.updateItem({
          TableName: tables.simple,
          Key,
          UpdateExpression: "ADD a :one",
          ExpressionAttributeValues: { ":one": n(1) },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      const seen = (await Promise.all(increments)).map(({ Attributes }) => Number(Attributes?.["a"]?.N));
      seen.sort((left, right) => left - right);
      same(
        seen,
        upTo(20).map((index) => index + 1),
      );
    },
  },
  {
    name: "UpdateItem may not change the sort key",
    source: withSuites,
    table: "composite",
    updateItem: { Key: { pk, sk: s("a") }, UpdateExpression: "SET sk = :v", ExpressionAttributeValues: { ":v": s("b") } },
    rejected: "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key",
  },
  {
    name: "UpdateItem may read the key in its update and in its condition",
    given: { simple: [{ pk }] },
    updateItem: {
      Key: { pk },
      UpdateExpression: "SET a = pk",
      ConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
    },
    after: { simple: [{ pk, a: pk }] },
  },
  {
    name: "UpdateItem of an absent table is rejected",
    updateItem: { TableName: "absent-$name", Key: { pk: s("a") } },
    rejected: "ResourceNotFoundException",
  },
]);

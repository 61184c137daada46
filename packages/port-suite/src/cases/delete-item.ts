import { n, pk, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const once = { Key: { pk }, ConditionExpression: "attribute_exists(pk)" };

export const deleteItemCases: readonly PortCase[] = cases({ source: "AWS: API_DeleteItem", table: "simple" }, [
  {
    name: "DeleteItem removes an item",
    given: { simple: [{ pk, a: n(1) }] },
    deleteItem: { Key: { pk } },
    shows: { Attributes: undefined },
    after: { simple: [] },
  },
  { name: "DeleteItem of an absent item is accepted", deleteItem: { Key: { pk } }, shows: { Attributes: undefined } },
  {
    name: "DeleteItem leaves the other items of the partition",
    table: "composite",
    given: {
      composite: [
        { pk, sk: s("a") },
        { pk, sk: s("b") },
      ],
    },
    deleteItem: { Key: { pk, sk: s("a") } },
    after: { composite: [{ pk, sk: s("b") }] },
  },
  {
    name: "DeleteItem with a condition deletes once",
    given: { simple: [{ pk }] },
    steps: [
      { deleteItem: once },
      { deleteItem: once, rejected: "ConditionalCheckFailedException: The conditional request failed" },
    ],
  },
  {
    name: "DeleteItem from an absent table is rejected",
    deleteItem: { TableName: "absent-$name", Key: { pk: s("a") } },
    rejected: "ResourceNotFoundException",
  },
]);

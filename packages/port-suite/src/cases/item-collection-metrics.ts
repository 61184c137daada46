import { pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

type Size = { ReturnItemCollectionMetrics: "SIZE" | "NONE" };

const sk = s("a");
const writes: Record<string, (size: Size) => Step> = {
  PutItem: (size) => ({ putItem: { Item: { pk, sk, l: s("l") }, ...size } }),
  UpdateItem: (size) => ({ updateItem: { Key: { pk, sk }, ...size } }),
  DeleteItem: (size) => ({ deleteItem: { Key: { pk, sk }, ...size } }),
};

export const itemCollectionMetricCases: readonly PortCase[] = cases(
  { source: "AWS: API_ItemCollectionMetrics; public conformance suites", table: "indexed" },
  [
    ...Object.entries(writes).flatMap(([operation, write]): Row[] => [
      {
        name: `${operation} returns the size of the item collection`,
        gap: "never returns item collection metrics",
        ...write({ ReturnItemCollectionMetrics: "SIZE" }),
        shows: {
          "ItemCollectionMetrics.ItemCollectionKey": { pk },
          // A collection of one item has 0 to some GB.
          "ItemCollectionMetrics.SizeEstimateRangeGB": /^0,[1-9]\d*$/,
        },
      },
      {
        name: `${operation} returns no size of the item collection by default`,
        ...write({ ReturnItemCollectionMetrics: "NONE" }),
        shows: { ItemCollectionMetrics: undefined },
      },
    ]),
    {
      name: "a table without local indexes has no item collection metrics",
      table: "composite",
      putItem: { Item: { pk, sk }, ReturnItemCollectionMetrics: "SIZE" },
      shows: { ItemCollectionMetrics: undefined },
    },
  ],
);

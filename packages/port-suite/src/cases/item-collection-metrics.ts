import type { ItemCollectionMetrics } from "@tablekeep/core";
import { same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";

const source = "AWS: API_ItemCollectionMetrics; public conformance suites";

type Answer = { ItemCollectionMetrics?: ItemCollectionMetrics };
type Write = (world: PortWorld, pk: { S: string }, size: "SIZE" | "NONE") => Promise<Answer>;

const sk = { S: "a" };
const writes: Record<string, Write> = {
  PutItem: ({ port, tables }, pk, ReturnItemCollectionMetrics) =>
    port.putItem({ TableName: tables.indexed, Item: { pk, sk, l: { S: "l" } }, ReturnItemCollectionMetrics }),
  UpdateItem: ({ port, tables }, pk, ReturnItemCollectionMetrics) =>
    port.updateItem({ TableName: tables.indexed, Key: { pk, sk }, ReturnItemCollectionMetrics }),
  DeleteItem: ({ port, tables }, pk, ReturnItemCollectionMetrics) =>
    port.deleteItem({ TableName: tables.indexed, Key: { pk, sk }, ReturnItemCollectionMetrics }),
};

export const itemCollectionMetricCases: readonly PortCase[] = [
  ...Object.entries(writes).flatMap(([operation, write]): PortCase[] => [
    {
      name: `${operation} tells the size of the item collection`,
      source,
      ...localGap("never tells item collection metrics"),
      async run(world) {
        const pk = { S: world.unique() };
        const { ItemCollectionMetrics } = await write(world, pk, "SIZE");
        const [low, high] = ItemCollectionMetrics?.SizeEstimateRangeGB ?? [];
        same(ItemCollectionMetrics, { ItemCollectionKey: { pk }, SizeEstimateRangeGB: [low, high] });
        same(
          [typeof low, typeof high, Number(low) >= 0 && Number(low) < Number(high)],
          ["number", "number", true],
        );
      },
    },
    {
      name: `${operation} tells no size of the item collection unless it is asked`,
      source,
      async run(world) {
        const { ItemCollectionMetrics } = await write(world, { S: world.unique() }, "NONE");
        same(ItemCollectionMetrics, undefined);
      },
    },
  ]),
  {
    name: "a table without local indexes has no item collection metrics",
    source,
    async run({ port, tables, unique }) {
      const answer = await port.putItem({
        TableName: tables.composite,
        Item: { pk: { S: unique() }, sk },
        ReturnItemCollectionMetrics: "SIZE",
      });
      same(answer.ItemCollectionMetrics, undefined);
    },
  },
];

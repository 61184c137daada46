import type { DynamoPort, Item, ReturnConsumedCapacity } from "@tablekeep/core";
import { fill, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";

/** An item of exactly `bytes` bytes in the table `simple`. */
function sized(key: string, bytes: number): Item {
  return { pk: s(key), a: fill(bytes - "pk".length - key.length - "a".length) };
}

const putSized = (port: DynamoPort, TableName: string, key: string, bytes: number) =>
  port.putItem({ TableName, Item: sized(key, bytes), ReturnConsumedCapacity: "TOTAL" });

const writes: readonly (readonly [bytes: number, units: number])[] = [
  [100, 1],
  [1024, 1],
  [1025, 2],
  [4096, 4],
  [4097, 5],
];

const reads: readonly (readonly [bytes: number, consistent: boolean, units: number])[] = [
  [100, false, 0.5],
  [100, true, 1],
  [4096, false, 0.5],
  [4096, true, 1],
  [4097, false, 1],
  [4097, true, 2],
  [8193, false, 1.5],
];

/** What each mode shows of so many units. */
const modes: Record<ReturnConsumedCapacity, (units: number) => object | undefined> = {
  TOTAL: (CapacityUnits) => ({ TableName: "$simple", CapacityUnits }),
  INDEXES: (CapacityUnits) => ({ TableName: "$simple", CapacityUnits, Table: { CapacityUnits } }),
  NONE: () => undefined,
};

const total = { ReturnConsumedCapacity: "TOTAL" } as const;
const costs = (units: number) => ({ shows: { "ConsumedCapacity.CapacityUnits": units } });
const large = { pk, a: fill(2_950) };

export const itemCapacityCases: readonly PortCase[] = cases(
  { source: "AWS docs: ProvisionedThroughput, capacity unit consumption", table: "simple" },
  [
    ...writes.map(([bytes, units]) => ({
      name: `PutItem of ${bytes} bytes consumes ${units} write units`,
      async run({ port, tables, unique }: PortWorld) {
        const { ConsumedCapacity } = await putSized(port, tables.simple, unique(), bytes);
        same(ConsumedCapacity, { TableName: tables.simple, CapacityUnits: units });
      },
    })),
    ...reads.map(([bytes, ConsistentRead, units]) => ({
      name: `GetItem of ${bytes} bytes, ${ConsistentRead ? "consistent" : "eventually consistent"}, consumes ${units} read units`,
      async run({ port, tables, unique }: PortWorld) {
        const key = unique();
        await putSized(port, tables.simple, key, bytes);
        const input = { TableName: tables.simple, Key: { pk: s(key) }, ConsistentRead, ...total };
        const { ConsumedCapacity } = await port.getItem(input);
        same(ConsumedCapacity, { TableName: tables.simple, CapacityUnits: units });
      },
    })),
    ...Object.entries(modes).map(([mode, capacity]): Row => {
      const asked = { ReturnConsumedCapacity: mode as ReturnConsumedCapacity };
      return {
        name: `each operation on one item reports its capacity for ${mode}`,
        source: "AWS: API_ConsumedCapacity",
        steps: [
          { putItem: { Item: { pk }, ...asked }, shows: { ConsumedCapacity: capacity(1) } },
          { updateItem: { Key: { pk }, ...asked }, shows: { ConsumedCapacity: capacity(1) } },
          { getItem: { Key: { pk }, ...asked }, shows: { ConsumedCapacity: capacity(0.5) } },
          { deleteItem: { Key: { pk }, ...asked }, shows: { ConsumedCapacity: capacity(1) } },
        ],
      };
    }),
    {
      name: "GetItem of an absent item consumes half a unit, or one if consistent",
      steps: [
        { getItem: { Key: { pk }, ConsistentRead: false, ...total }, ...costs(0.5) },
        { getItem: { Key: { pk }, ConsistentRead: true, ...total }, ...costs(1) },
      ],
    },
    {
      name: "GetItem consumes capacity for the whole item, whatever it projects",
      given: { simple: [{ pk, a: fill(5_000) }] },
      getItem: { Key: { pk }, ProjectionExpression: "pk", ...total },
      ...costs(1),
    },
    {
      name: "a write consumes capacity for the larger of the old and the new item",
      given: { simple: [large] },
      steps: [
        { putItem: { Item: { pk }, ...total }, ...costs(3) },
        { putItem: { Item: large, ...total }, ...costs(3) },
        { updateItem: { Key: { pk }, UpdateExpression: "REMOVE a", ...total }, ...costs(3) },
        { putItem: { Item: large } },
        {
          updateItem: { Key: { pk }, UpdateExpression: "SET b = :v", ExpressionAttributeValues: { ":v": n(1) }, ...total },
          ...costs(3),
        },
        { deleteItem: { Key: { pk }, ...total }, ...costs(3) },
        { deleteItem: { Key: { pk }, ...total }, ...costs(1) },
      ],
    },
  ],
);

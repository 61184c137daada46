import type { Item } from "@tablekeep/core";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";

const source = "AWS docs: GSI and LSI, write capacity; public conformance suites";

interface Units {
  readonly table: number;
  readonly local?: Record<string, number>;
  readonly global?: Record<string, number>;
}

/** The capacity that DynamoDB reports for these units; an index that costs nothing is left out. */
function capacity(TableName: string, { table, local, global }: Units) {
  const each = (units: Record<string, number> | undefined) =>
    units &&
    Object.fromEntries(Object.entries(units).map(([name, count]) => [name, { CapacityUnits: count }]));
  const sum = [table, ...Object.values({ ...local, ...global })].reduce((left, right) => left + right);
  return {
    TableName,
    CapacityUnits: sum,
    Table: { CapacityUnits: table },
    LocalSecondaryIndexes: each(local),
    GlobalSecondaryIndexes: each(global),
  };
}

/** An item in all indexes. */
const everywhere: Item = { l: { S: "l" }, g: { S: "g" }, h: { N: "1" }, a: { S: "a" }, z: { S: "z" } };
const allLocal = { "by-l": 1, "by-l-keys": 1 };
const allGlobal = { "by-g": 1, "by-g-h": 1, "by-g-keys": 1 };

type Row = readonly [
  what: string,
  before: Item | undefined,
  units: Units,
  write: Item | string,
  values?: Item,
];

/** A write is a PutItem of an item, an UpdateItem by an expression, or the DeleteItem. */
const rows: readonly Row[] = [
  ["PutItem into no index", undefined, { table: 1 }, { z: { S: "z" } }],
  ["PutItem into the local indexes", undefined, { table: 1, local: allLocal }, { l: { S: "l" } }],
  ["PutItem into one global index", undefined, { table: 1, global: { "by-g": 1 } }, { g: { S: "g" } }],
  ["PutItem into all indexes", undefined, { table: 1, local: allLocal, global: allGlobal }, everywhere],
  ["PutItem of the same item again", everywhere, { table: 1 }, everywhere],
  [
    "UpdateItem of an attribute that some indexes project",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1 } },
    "SET z = :v",
    { ":v": { S: "other" } },
  ],
  [
    "UpdateItem of an attribute that one more index projects",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1, "by-g-h": 1 } },
    "SET a = :v",
    { ":v": { S: "other" } },
  ],
  [
    "PutItem of the attributes in another order",
    everywhere,
    { table: 1 },
    { z: { S: "z" }, h: { N: "1.0" }, g: { S: "g" }, a: { S: "a" }, l: { S: "l" } },
  ],
  [
    "PutItem that changes what some indexes do not project, in another order",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1 } },
    { z: { B: Uint8Array.of(1) }, h: { N: "1" }, g: { S: "g" }, a: { S: "a" }, l: { S: "l" } },
  ],
  [
    "UpdateItem of an index key, which deletes and inserts",
    { g: { S: "g" } },
    { table: 1, global: { "by-g": 2 } },
    "SET g = :v",
    { ":v": { S: "other" } },
  ],
  [
    "UpdateItem that takes an item out of an index",
    { g: { S: "g" } },
    { table: 1, global: { "by-g": 1 } },
    "REMOVE g",
  ],
  [
    "UpdateItem that changes nothing",
    { g: { S: "g" }, l: { S: "l" } },
    { table: 1 },
    "SET g = :v",
    { ":v": { S: "g" } },
  ],
  ["DeleteItem out of all indexes", everywhere, { table: 1, local: allLocal, global: allGlobal }, "DELETE"],
  ["DeleteItem of an item in no index", { z: { S: "z" } }, { table: 1 }, "DELETE"],
];

async function write({ port, tables }: PortWorld, Key: Item, change: Item | string, values?: Item) {
  const common = { TableName: tables.indexed, ReturnConsumedCapacity: "INDEXES" as const };
  if (typeof change !== "string") return port.putItem({ ...common, Item: { ...change, ...Key } });
  if (change === "DELETE") return port.deleteItem({ ...common, Key });
  return port.updateItem({
    ...common,
    Key,
    UpdateExpression: change,
    ExpressionAttributeValues: values,
  });
}

export const indexCapacityCases: readonly PortCase[] = [
  ...rows.map(
    ([what, before, units, change, values]): PortCase => ({
      name: `${what} takes capacity for each index that it changes`,
      source,
      async run(world) {
        const Key = { pk: { S: world.unique() }, sk: { S: "a" } };
        if (before)
          await world.port.putItem({ TableName: world.tables.indexed, Item: { ...before, ...Key } });
        const { ConsumedCapacity } = await write(world, Key, change, values);
        same(ConsumedCapacity, capacity(world.tables.indexed, units));
      },
    }),
  ),
  {
    name: "the total capacity of a write counts its indexes",
    source,
    async run({ port, tables, unique }) {
      const { ConsumedCapacity } = await port.putItem({
        TableName: tables.indexed,
        Item: { ...everywhere, pk: { S: unique() }, sk: { S: "a" } },
        ReturnConsumedCapacity: "TOTAL",
      });
      same(ConsumedCapacity, { TableName: tables.indexed, CapacityUnits: 6 });
    },
  },
];

import type { Item } from "@tablekeep/core";
import { b, n, pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

interface Units {
  readonly table: number;
  readonly local?: Record<string, number>;
  readonly global?: Record<string, number>;
}

/** The capacity that DynamoDB reports for these units; an index that costs nothing is left out. */
function capacity({ table, local, global }: Units) {
  const each = (units: Record<string, number> | undefined) =>
    units && Object.fromEntries(Object.entries(units).map(([name, count]) => [name, { CapacityUnits: count }]));
  const sum = [table, ...Object.values({ ...local, ...global })].reduce((left, right) => left + right);
  return {
    TableName: "$indexed",
    CapacityUnits: sum,
    Table: { CapacityUnits: table },
    LocalSecondaryIndexes: each(local),
    GlobalSecondaryIndexes: each(global),
  };
}

/** An item in all indexes. */
const everywhere: Item = { l: s("l"), g: s("g"), h: n(1), a: s("a"), z: s("z") };
const allLocal = { "by-l": 1, "by-l-keys": 1 };
const allGlobal = { "by-g": 1, "by-g-h": 1, "by-g-keys": 1 };

type Change = readonly [what: string, before: Item | undefined, units: Units, write: Item | string, values?: Item];

/** A write is a PutItem of an item, an UpdateItem by an expression, or the DeleteItem. */
const rows: readonly Change[] = [
  ["PutItem into no index", undefined, { table: 1 }, { z: s("z") }],
  ["PutItem into the local indexes", undefined, { table: 1, local: allLocal }, { l: s("l") }],
  ["PutItem into one global index", undefined, { table: 1, global: { "by-g": 1 } }, { g: s("g") }],
  ["PutItem into all indexes", undefined, { table: 1, local: allLocal, global: allGlobal }, everywhere],
  ["PutItem of the same item again", everywhere, { table: 1 }, everywhere],
  [
    "UpdateItem of an attribute that some indexes project",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1 } },
    "SET z = :v",
    { ":v": s("other") },
  ],
  [
    "UpdateItem of an attribute that one more index projects",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1, "by-g-h": 1 } },
    "SET a = :v",
    { ":v": s("other") },
  ],
  [
    "PutItem of the attributes in another order",
    everywhere,
    { table: 1 },
    { z: s("z"), h: n("1.0"), g: s("g"), a: s("a"), l: s("l") },
  ],
  [
    "PutItem that changes what some indexes do not project, in another order",
    everywhere,
    { table: 1, local: { "by-l": 1 }, global: { "by-g": 1 } },
    { z: b(1), h: n(1), g: s("g"), a: s("a"), l: s("l") },
  ],
  [
    "UpdateItem of an index key, which deletes and inserts",
    { g: s("g") },
    { table: 1, global: { "by-g": 2 } },
    "SET g = :v",
    { ":v": s("other") },
  ],
  ["UpdateItem that removes an item from an index", { g: s("g") }, { table: 1, global: { "by-g": 1 } }, "REMOVE g"],
  ["UpdateItem that changes nothing", { g: s("g"), l: s("l") }, { table: 1 }, "SET g = :v", { ":v": s("g") }],
  ["DeleteItem out of all indexes", everywhere, { table: 1, local: allLocal, global: allGlobal }, "DELETE"],
  ["DeleteItem of an item in no index", { z: s("z") }, { table: 1 }, "DELETE"],
];

const key = { pk, sk: s("a") };

function write(change: Item | string, values?: Item): Step {
  const common = { ReturnConsumedCapacity: "INDEXES" } as const;
  if (typeof change !== "string") return { putItem: { ...common, Item: { ...change, ...key } } };
  if (change === "DELETE") return { deleteItem: { ...common, Key: key } };
  const expression = { UpdateExpression: change, ExpressionAttributeValues: values };
  return { updateItem: { ...common, Key: key, ...expression } };
}

export const indexCapacityCases: readonly PortCase[] = cases(
  { source: "AWS docs: GSI and LSI, write capacity; public conformance suites", table: "indexed" },
  [
    ...rows.map(
      ([what, before, units, change, values]): Row => ({
        name: `${what} consumes capacity for each index that it changes`,
        given: { indexed: before ? [{ ...before, ...key }] : [] },
        ...write(change, values),
        shows: { ConsumedCapacity: capacity(units) },
      }),
    ),
    {
      name: "the total capacity of a write counts its indexes",
      putItem: { Item: { ...everywhere, ...key }, ReturnConsumedCapacity: "TOTAL" },
      shows: { ConsumedCapacity: { TableName: "$indexed", CapacityUnits: 6 } },
    },
  ],
);

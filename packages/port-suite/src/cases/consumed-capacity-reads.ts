import type { QueryInput } from "@tablekeep/core";
import { fill, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS docs: DynamoDB read and write operations, capacity unit consumption";
const ofPartition = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": pk } };
const total = { ReturnConsumedCapacity: "TOTAL" } as const;
const byTable = "ConsumedCapacity.*.CapacityUnits";
const costs = (units: number) => ({ shows: { "ConsumedCapacity.CapacityUnits": units } });

/** Four items of about 3,000 bytes: 12 KB together, so 3 units of 4 KB read at once and 1 each read one by one. */
const fourItems = { composite: ["a", "b", "c", "d"].map((sk) => ({ pk, sk: s(sk), fill: fill(2_900) })) };
const keys = (...sortKeys: string[]) => sortKeys.map((sk) => ({ pk, sk: s(sk) }));

/** The cost of a query of the four items. */
const queries: readonly (readonly [what: string, units: number, over: Partial<QueryInput>])[] = [
  ["read eventually", 1.5, {}],
  ["read consistently", 3, { ConsistentRead: true }],
  ["filtered to none", 3, { ConsistentRead: true, FilterExpression: "attribute_exists(z)" }],
  ["projected to the key", 3, { ConsistentRead: true, ProjectionExpression: "sk" }],
  ["only counted", 3, { ConsistentRead: true, Select: "COUNT" }],
  ["cut by Limit 1", 1, { ConsistentRead: true, Limit: 1 }],
];

const byG = {
  TableName: "$indexed",
  IndexName: "by-g",
  KeyConditionExpression: "g = :g",
  ExpressionAttributeValues: { ":g": s("$g") },
};
const select = { Statement: 'SELECT * FROM "$simple" WHERE pk = ?', Parameters: [pk] };

export const consumedCapacityReadCases: readonly PortCase[] = cases({ source: api, table: "composite" }, [
  ...queries.map(
    ([what, units, over]): Row => ({
      name: `Query of 12 KB costs ${units} units when ${what}`,
      given: fourItems,
      query: { ...ofPartition, ...total, ...over },
      ...costs(units),
    }),
  ),
  {
    name: "Query of nothing costs half a unit, or one when consistent",
    gap: "costs nothing",
    steps: [
      { query: { ...ofPartition, ...total }, ...costs(0.5) },
      { query: { ...ofPartition, ...total, ConsistentRead: true }, ...costs(1) },
    ],
  },
  {
    name: "Without ReturnConsumedCapacity, or with NONE, no capacity comes back",
    source: "AWS: API_Query, ReturnConsumedCapacity",
    steps: [
      { query: ofPartition, shows: { ConsumedCapacity: undefined } },
      { query: { ...ofPartition, ReturnConsumedCapacity: "NONE" }, shows: { ConsumedCapacity: undefined } },
    ],
  },
  {
    name: "TOTAL returns the table and its units, INDEXES the share of table and index too",
    source: "AWS: API_Query, ReturnConsumedCapacity",
    given: { indexed: [{ pk, sk: s("1"), g: s("$g") }] },
    steps: [
      { query: byG, shows: { Count: 1 } },
      { query: { ...byG, ...total }, shows: { ConsumedCapacity: { TableName: "$indexed", CapacityUnits: 0.5 } } },
      {
        query: { ...byG, ReturnConsumedCapacity: "INDEXES" },
        shows: {
          ConsumedCapacity: {
            TableName: "$indexed",
            CapacityUnits: 0.5,
            Table: { CapacityUnits: 0 },
            GlobalSecondaryIndexes: { "by-g": { CapacityUnits: 0.5 } },
          },
        },
      },
    ],
  },
  {
    name: "Query of a local index that fetches pays for index and table",
    source: "AWS docs: Local secondary indexes, Provisioned throughput considerations",
    given: { indexed: ["1", "2", "3"].map((sk) => ({ pk, sk: s(sk), l: s(sk), fill: fill(3_000) })) },
    query: {
      TableName: "$indexed",
      IndexName: "by-l-keys",
      ...ofPartition,
      Select: "ALL_ATTRIBUTES",
      ConsistentRead: true,
      ReturnConsumedCapacity: "INDEXES",
    },
    shows: {
      ConsumedCapacity: {
        TableName: "$indexed",
        CapacityUnits: 4,
        Table: { CapacityUnits: 3 },
        LocalSecondaryIndexes: { "by-l-keys": { CapacityUnits: 1 } },
      },
    },
  },
  {
    name: "Scan costs what it reads, filtered or not",
    async run({ port, tables, unique }) {
      const item = { pk: s(unique()), sk: s("a"), fill: fill(9_000) };
      await port.putItem({ TableName: tables.composite, Item: item });
      const input = { TableName: tables.composite, Limit: 1, FilterExpression: "attribute_exists(z)", ...total };
      const scan = async (ConsistentRead: boolean) =>
        (await port.scan({ ...input, ConsistentRead })).ConsumedCapacity?.CapacityUnits ?? 0;
      same(await scan(true), (await scan(false)) * 2);
    },
  },
  {
    name: "BatchGetItem rounds each item up on its own, and an absent one costs the least",
    source: `${api}; AWS: API_BatchGetItem`,
    gap: "an absent item costs nothing",
    given: fourItems,
    steps: (
      [
        [false, 2.5],
        [true, 5],
      ] as const
    ).map(([ConsistentRead, units]) => ({
      batchGetItem: { RequestItems: { $composite: { Keys: keys("a", "b", "c", "d", "absent"), ConsistentRead } }, ...total },
      shows: { [byTable]: [units] },
    })),
  },
  {
    name: "BatchGetItem of four items of 3 KB costs four reads",
    given: fourItems,
    batchGetItem: { RequestItems: { $composite: { Keys: keys("a", "b", "c", "d"), ConsistentRead: true } }, ...total },
    shows: { ConsumedCapacity: [{ TableName: "$composite", CapacityUnits: 4 }] },
  },
  {
    name: "TransactGetItems costs twice what consistent reads cost alone",
    given: fourItems,
    transactGetItems: {
      TransactItems: keys("a", "b", "absent").map((Key) => ({ Get: { TableName: "$composite", Key } })),
      ...total,
    },
    shows: { [byTable]: [6] },
  },
  {
    name: "ExecuteStatement and BatchExecuteStatement report their cost",
    source: "public conformance suites",
    gap: "ExecuteStatement does not report it",
    given: { simple: [{ pk }] },
    steps: [
      { executeStatement: { ...select, ...total }, ...costs(0.5) },
      { batchExecuteStatement: { Statements: [{ ...select, ConsistentRead: true }], ...total }, shows: { [byTable]: [1] } },
    ],
  },
]);

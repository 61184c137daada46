import type { AttributeValue, ConsumedCapacity } from "@tablekeep/core";
import { same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

const api = "AWS docs: DynamoDB read and write operations, capacity unit consumption";
const s = (text: string): AttributeValue => ({ S: text });

const total = (capacities: readonly ConsumedCapacity[] | undefined): number =>
  (capacities ?? []).reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0);

export const consumedCapacityWriteCases: readonly PortCase[] = [
  {
    name: "BatchWriteItem rounds each item up to 1 KB, a delete by what it removes",
    source: api,
    async run({ port, tables, unique }) {
      const [small, large, gone] = [s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: gone, fill: s("x".repeat(2_500)) }]);
      const { ConsumedCapacity } = await port.batchWriteItem({
        RequestItems: {
          [tables.simple]: [
            { PutRequest: { Item: { pk: small } } },
            { PutRequest: { Item: { pk: large, fill: s("x".repeat(1_100)) } } },
            { DeleteRequest: { Key: { pk: gone } } },
          ],
        },
        ReturnConsumedCapacity: "TOTAL",
      });
      same(total(ConsumedCapacity), 1 + 2 + 3);
    },
  },
  {
    name: "TransactWriteItems costs twice what the writes cost alone",
    source: api,
    async run({ port, tables, unique }) {
      const { ConsumedCapacity } = await port.transactWriteItems({
        TransactItems: [
          { Put: { TableName: tables.simple, Item: { pk: s(unique()) } } },
          { Put: { TableName: tables.simple, Item: { pk: s(unique()), fill: s("x".repeat(1_500)) } } },
        ],
        ReturnConsumedCapacity: "TOTAL",
      });
      same(total(ConsumedCapacity), 2 + 4);
    },
  },
  {
    name: "A repeated transaction token costs a transactional read",
    ...localGap("does not tell reads and writes apart"),
    source: "AWS docs: Amazon DynamoDB transactions, idempotency",
    async run({ port, tables, unique }) {
      const request = {
        TransactItems: [{ Put: { TableName: tables.simple, Item: { pk: s(unique()) } } }],
        ClientRequestToken: unique().slice(-36),
        ReturnConsumedCapacity: "INDEXES",
      } as const;
      const first = await port.transactWriteItems({ ...request, TransactItems: [...request.TransactItems] });
      const again = await port.transactWriteItems({ ...request, TransactItems: [...request.TransactItems] });
      same(first.ConsumedCapacity?.[0]?.WriteCapacityUnits, 2);
      same(again.ConsumedCapacity?.[0]?.ReadCapacityUnits, 2);
    },
  },
  {
    name: "A batch write pays for every index that the item is in",
    source: "AWS docs: Using global secondary indexes in DynamoDB, Provisioned throughput considerations",
    async run({ port, tables, unique }) {
      const Item = { pk: s(unique()), sk: s("1"), g: s(unique()), l: s("l") };
      const { ConsumedCapacity } = await port.batchWriteItem({
        RequestItems: { [tables.indexed]: [{ PutRequest: { Item } }] },
        ReturnConsumedCapacity: "INDEXES",
      });
      same(ConsumedCapacity, [
        {
          TableName: tables.indexed,
          CapacityUnits: 4,
          Table: { CapacityUnits: 1 },
          LocalSecondaryIndexes: { "by-l": { CapacityUnits: 1 }, "by-l-keys": { CapacityUnits: 1 } },
          GlobalSecondaryIndexes: { "by-g": { CapacityUnits: 1 } },
        },
      ]);
    },
  },
];

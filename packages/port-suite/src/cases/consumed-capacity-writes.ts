import type { TransactWriteItem } from "@tablekeep/core";
import { fill, pk, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const units = "ConsumedCapacity.*.CapacityUnits";
const repeated = {
  TransactItems: [{ Put: { TableName: "$simple", Item: { pk } } }] as TransactWriteItem[],
  ClientRequestToken: "$token",
  ReturnConsumedCapacity: "INDEXES",
} as const;

export const consumedCapacityWriteCases: readonly PortCase[] = cases(
  { source: "AWS docs: DynamoDB read and write operations, capacity unit consumption" },
  [
    {
      name: "BatchWriteItem rounds each item up to 1 KB, a delete by what it removes",
      given: { simple: [{ pk: s("$gone"), fill: fill(2_500) }] },
      batchWriteItem: {
        RequestItems: {
          $simple: [
            { PutRequest: { Item: { pk: s("$small") } } },
            { PutRequest: { Item: { pk: s("$large"), fill: fill(1_100) } } },
            { DeleteRequest: { Key: { pk: s("$gone") } } },
          ],
        },
        ReturnConsumedCapacity: "TOTAL",
      },
      shows: { [units]: [1 + 2 + 3] },
    },
    {
      name: "TransactWriteItems costs twice what the writes cost alone",
      transactWriteItems: {
        TransactItems: [
          { Put: { TableName: "$simple", Item: { pk: s("$one") } } },
          { Put: { TableName: "$simple", Item: { pk: s("$two"), fill: fill(1_500) } } },
        ],
        ReturnConsumedCapacity: "TOTAL",
      },
      shows: { [units]: [2 + 4] },
    },
    {
      name: "A repeated transaction token costs a transactional read",
      gap: "does not distinguish reads and writes",
      source: "AWS docs: Amazon DynamoDB transactions, idempotency",
      steps: [
        { transactWriteItems: repeated, shows: { "ConsumedCapacity.*.WriteCapacityUnits": [2] } },
        { transactWriteItems: repeated, shows: { "ConsumedCapacity.*.ReadCapacityUnits": [2] } },
      ],
    },
    {
      name: "A batch write pays for every index that the item is in",
      source: "AWS docs: Using global secondary indexes in DynamoDB, Provisioned throughput considerations",
      batchWriteItem: {
        RequestItems: { $indexed: [{ PutRequest: { Item: { pk, sk: s("1"), g: s("$g"), l: s("l") } } }] },
        ReturnConsumedCapacity: "INDEXES",
      },
      shows: {
        ConsumedCapacity: [
          {
            TableName: "$indexed",
            CapacityUnits: 4,
            Table: { CapacityUnits: 1 },
            LocalSecondaryIndexes: { "by-l": { CapacityUnits: 1 }, "by-l-keys": { CapacityUnits: 1 } },
            GlobalSecondaryIndexes: { "by-g": { CapacityUnits: 1 } },
          },
        ],
      },
    },
  ],
);

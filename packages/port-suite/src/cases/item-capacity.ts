import type { ConsumedCapacity, DynamoPort, Item, ReturnConsumedCapacity } from "@tablekeep/core";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: ProvisionedThroughput, capacity unit consumption";

/** An item of exactly `bytes` bytes in the table `simple`. */
function sized(key: string, bytes: number): Item {
  return { pk: { S: key }, a: { S: "x".repeat(bytes - "pk".length - key.length - "a".length) } };
}

const putSized = (port: DynamoPort, TableName: string, key: string, bytes: number) =>
  port.putItem({ TableName, Item: sized(key, bytes), ReturnConsumedCapacity: "TOTAL" });

const total = (TableName: string, CapacityUnits: number): ConsumedCapacity => ({ TableName, CapacityUnits });

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

const bySize: readonly PortCase[] = [
  ...writes.map(
    ([bytes, units]): PortCase => ({
      name: `PutItem of ${bytes} bytes takes ${units} write units`,
      source,
      async run({ port, tables, unique }) {
        const { ConsumedCapacity } = await putSized(port, tables.simple, unique(), bytes);
        same(ConsumedCapacity, total(tables.simple, units));
      },
    }),
  ),
  ...reads.map(
    ([bytes, ConsistentRead, units]): PortCase => ({
      name: `GetItem of ${bytes} bytes, ${ConsistentRead ? "consistent" : "eventually consistent"}, takes ${units} read units`,
      source,
      async run({ port, tables, unique }) {
        const key = unique();
        await putSized(port, tables.simple, key, bytes);
        const { ConsumedCapacity } = await port.getItem({
          TableName: tables.simple,
          Key: { pk: { S: key } },
          ConsistentRead,
          ReturnConsumedCapacity: "TOTAL",
        });
        same(ConsumedCapacity, total(tables.simple, units));
      },
    }),
  ),
];

const modes: readonly (readonly [mode: ReturnConsumedCapacity, withTable: boolean | undefined])[] = [
  ["TOTAL", false],
  ["INDEXES", true],
  ["NONE", undefined],
];

const byMode: readonly PortCase[] = modes.map(
  ([mode, withTable]): PortCase => ({
    name: `each operation on one item tells its capacity as ${mode} asks`,
    source: "AWS: API_ConsumedCapacity",
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      const common = { TableName, ReturnConsumedCapacity: mode };
      const expected = (units: number) =>
        withTable === undefined
          ? undefined
          : { ...total(TableName, units), ...(withTable && { Table: { CapacityUnits: units } }) };
      same((await port.putItem({ ...common, Item: Key })).ConsumedCapacity, expected(1), "PutItem");
      same((await port.updateItem({ ...common, Key })).ConsumedCapacity, expected(1), "UpdateItem");
      same((await port.getItem({ ...common, Key })).ConsumedCapacity, expected(0.5), "GetItem");
      same((await port.deleteItem({ ...common, Key })).ConsumedCapacity, expected(1), "DeleteItem");
    },
  }),
);

export const itemCapacityCases: readonly PortCase[] = [
  ...bySize,
  ...byMode,
  {
    name: "GetItem of an absent item takes half a unit, or one if consistent",
    source,
    async run({ port, tables, unique }) {
      const get = async (ConsistentRead: boolean) => {
        const { ConsumedCapacity } = await port.getItem({
          TableName: tables.simple,
          Key: { pk: { S: unique() } },
          ConsistentRead,
          ReturnConsumedCapacity: "TOTAL",
        });
        return ConsumedCapacity?.CapacityUnits;
      };
      same([await get(false), await get(true)], [0.5, 1]);
    },
  },
  {
    name: "GetItem takes capacity for the whole item, whatever it projects",
    source,
    async run({ port, tables, unique }) {
      const key = unique();
      await putSized(port, tables.simple, key, 5000);
      const { ConsumedCapacity } = await port.getItem({
        TableName: tables.simple,
        Key: { pk: { S: key } },
        ProjectionExpression: "pk",
        ReturnConsumedCapacity: "TOTAL",
      });
      same(ConsumedCapacity?.CapacityUnits, 1);
    },
  },
  {
    name: "a write takes capacity for the larger of the old and the new item",
    source,
    async run({ port, tables, unique }) {
      const key = unique();
      const common = { TableName: tables.simple, ReturnConsumedCapacity: "TOTAL" as const };
      const Key = { pk: { S: key } };
      const units = (answer: { ConsumedCapacity?: ConsumedCapacity }) =>
        answer.ConsumedCapacity?.CapacityUnits;
      await putSized(port, tables.simple, key, 3000);
      same(units(await port.putItem({ ...common, Item: Key })), 3, "PutItem of a smaller item");
      same(units(await putSized(port, tables.simple, key, 3000)), 3, "PutItem of a larger item");
      const shrink = { ...common, Key, UpdateExpression: "REMOVE a" };
      same(units(await port.updateItem(shrink)), 3, "UpdateItem that shrinks the item");
      await putSized(port, tables.simple, key, 3000);
      const touch = { UpdateExpression: "SET b = :v", ExpressionAttributeValues: { ":v": { N: "1" } } };
      same(units(await port.updateItem({ ...common, Key, ...touch })), 3, "UpdateItem of a small attribute");
      same(units(await port.deleteItem({ ...common, Key })), 3, "DeleteItem");
      same(units(await port.deleteItem({ ...common, Key })), 1, "DeleteItem of an absent item");
    },
  },
];

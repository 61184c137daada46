import type { AttributeValue, Item } from "@tablekeep/core";
import { cases } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";

/** An item with parts that can be changed in place, created on each call. */
function changeable(pk: AttributeValue): Item {
  return {
    pk,
    bytes: { B: Uint8Array.from([1, 2, 3]) },
    list: { L: [{ S: "first" }] },
    map: { M: { inner: { S: "inner" } } },
    texts: { SS: ["a", "b"] },
  };
}

/** Changes everything that can be changed in place. */
function spoil(item: Item | undefined): void {
  if (item === undefined) throw new Error("there is no item to change");
  item["bytes"]?.B?.fill(9);
  item["list"]?.L?.push({ S: "more" });
  const map = item["map"]?.M;
  if (map !== undefined) map["inner"] = { S: "changed" };
  item["texts"]?.SS?.push("c");
  item["more"] = { S: "more" };
}

async function stored({ port, tables }: PortWorld, pk: AttributeValue): Promise<Item | undefined> {
  return (await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true })).Item;
}

export const ownDataCases: readonly PortCase[] = cases(
  { source: "AWS: DynamoDB is reached over a wire, so no two parties share memory; a port in the process keeps to it" },
  [
    {
      name: "What a caller does to an item after PutItem does not change what is stored",
      async run(world) {
        const pk = { S: world.unique() };
        const item = changeable(pk);
        await world.port.putItem({ TableName: world.tables.simple, Item: item });
        spoil(item);
        same(await stored(world, pk), changeable(pk));
      },
    },
    {
      name: "What a caller does to an item from GetItem does not change what is stored",
      async run(world) {
        const pk = { S: world.unique() };
        await world.port.putItem({ TableName: world.tables.simple, Item: changeable(pk) });
        spoil(await stored(world, pk));
        same(await stored(world, pk), changeable(pk));
      },
    },
    {
      name: "What a caller does to an item from Query does not change what is stored",
      async run(world) {
        const { port, tables, unique } = world;
        const pk = { S: unique() };
        await port.putItem({ TableName: tables.simple, Item: changeable(pk) });
        const { Items } = await port.query({
          TableName: tables.simple,
          KeyConditionExpression: "pk = :p",
          ExpressionAttributeValues: { ":p": pk },
          ConsistentRead: true,
        });
        spoil(Items?.[0]);
        same(await stored(world, pk), changeable(pk));
      },
    },
    {
      name: "What a caller does to the values of an update does not change what is stored",
      async run(world) {
        const { port, tables, unique } = world;
        const pk = { S: unique() };
        const values = { ":m": { M: { inner: { S: "inner" } } }, ":b": { B: Uint8Array.from([1]) } };
        const { Attributes } = await port.updateItem({
          TableName: tables.simple,
          Key: { pk },
          UpdateExpression: "SET m = :m, b = :b",
          ExpressionAttributeValues: values,
          ReturnValues: "ALL_NEW",
        });
        values[":m"].M.inner.S = "changed";
        values[":b"].B.fill(9);
        Attributes?.["b"]?.B?.fill(8);
        same(await stored(world, pk), { pk, m: { M: { inner: { S: "inner" } } }, b: { B: Uint8Array.from([1]) } });
      },
    },
  ],
);

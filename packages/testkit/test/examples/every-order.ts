import assert from "node:assert/strict";
import type { DynamoPort } from "@tablekeep/core";
import { exploreInterleavings } from "@tablekeep/testkit";

/** Two visitors increment a counter and read it. In every order of their four requests, one of them reads 2. */
export async function everyOrder(port: DynamoPort, TableName: string) {
  let runs = 0;
  const visit = async (own: DynamoPort, { Key }: { Key: { pk: { S: string }; sk: { S: string } } }) => {
    await own.updateItem({
      TableName,
      Key,
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    });
    return (await own.getItem({ TableName, Key, ConsistentRead: true })).Item?.["n"]?.N;
  };
  const { orders, complete } = await exploreInterleavings({
    setup: () => ({ port, Key: { pk: { S: "page" }, sk: { S: String(++runs) } } }),
    actors: { a: visit, b: visit },
    check: async (_, { a, b }) =>
      assert.ok([a, b].some((seen) => seen?.status === "fulfilled" && seen.value === "2")),
  });
  assert.deepEqual([orders.length, complete], [6, true]);
}

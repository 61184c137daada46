import assert from "node:assert/strict";
import type { DynamoPort } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";

/** An order and its receipt: whichever request the process crashes at, a receipt never exists without its order. */
export async function stoppingAnywhere(port: DynamoPort, TableName: string) {
  let runs = 0;
  const put = (to: DynamoPort, pk: string, sk: string) =>
    to.putItem({ TableName, Item: { pk: { S: pk }, sk: { S: sk } } });
  const report = await stopAfterNth({
    setup: () => ({ port, pk: `order-${++runs}` }),
    run: (mortal, { pk }) => put(mortal, pk, "order").then(() => put(mortal, pk, "receipt")),
    async check({ pk }) {
      const found = (sk: string) =>
        port.getItem({ TableName, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true });
      if ((await found("receipt")).Item)
        assert.ok((await found("order")).Item, "a receipt without its order");
    },
  });
  assert.deepEqual([report.requests, report.stops.length], [2, 4]);
}

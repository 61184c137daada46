import assert from "node:assert/strict";
import type { DynamoPort } from "@tablekeep/core";
import { pauseAtEvery } from "@tablekeep/testkit";

/** Two claim one name. One of them is paused at each of its requests in turn: there is always one winner. */
export async function aLongPause(port: DynamoPort, TableName: string) {
  let runs = 0;
  const claim =
    (owner: string) =>
    (own: DynamoPort, { name }: { name: string }) =>
      own.putItem({
        TableName,
        Item: { pk: { S: name }, sk: { S: "owner" }, owner: { S: owner } },
        ConditionExpression: "attribute_not_exists(pk)",
      });
  await pauseAtEvery({
    setup: () => ({ port, name: `name-${++runs}` }),
    paused: claim("ann"),
    meanwhile: claim("bob"),
    check: async (_, { paused, meanwhile }) => assert.notEqual(paused.status, meanwhile.status),
  });
}

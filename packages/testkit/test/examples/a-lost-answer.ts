import assert from "node:assert/strict";
import { type DynamoPort, isTablekeepError } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";

/** The second put is applied, but its answer is lost; every third read or so is throttled. */
export async function aLostAnswer(port: DynamoPort, TableName: string) {
  const faulty = faultyPort(
    port,
    "seed=7 faults=[{nth:2,op:PutItem,kind:lost-after-apply},{op:GetItem,kind:throttle,p:.3}]",
  );
  const put = (pk: string) => faulty.putItem({ TableName, Item: { pk: { S: pk }, sk: { S: "0" } } });
  await put("first");
  await assert.rejects(
    put("second"),
    (error) => isTablekeepError(error, "CLIENT_CONNECTION_LOST") && error.ambiguous,
  );
  const { Item } = await port.getItem({ TableName, Key: { pk: { S: "second" }, sk: { S: "0" } } });
  assert.ok(Item, "it is stored, although its writer got no response");
  assert.deepEqual(
    faulty.log.map(({ request, kind }) => [request, kind]),
    [[2, "lost-after-apply"]],
  );
}

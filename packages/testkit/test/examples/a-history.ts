import assert from "node:assert/strict";
import type { DynamoPort } from "@tablekeep/core";
import { faultyPort, historyRecorder, operationsOf } from "@tablekeep/testkit";

/** An operation and its result, as plain data for a checker: a lost answer is `unknown`, never failed. */
export async function aHistory(port: DynamoPort, TableName: string) {
  const faulty = faultyPort(port, "seed=1 faults=[{at:2,kind:lost-after-apply}]");
  const history = historyRecorder<{ put: string }, unknown>();
  for (const pk of ["x", "y", "z"]) {
    const write = () => faulty.putItem({ TableName, Item: { pk: { S: pk }, sk: { S: "0" } } });
    await history.call("writer", { put: pk }, write).catch(() => undefined);
  }
  const ends = operationsOf(history.events).map(({ operation, outcome }) => `${operation.put} ${outcome}`);
  assert.deepEqual(ends, ["x ok", "y unknown", "z ok"]);
}

import assert from "node:assert/strict";
import type { DynamoPort } from "@tablekeep/core";
import {
  type FaultSchedule,
  faultyPort,
  printSchedule,
  randomSchedule,
  shrinkSchedule,
} from "@tablekeep/testkit";

/** A random schedule breaks a client that never retries; shrunk, one fault is left to examine. */
export async function aSmallSchedule(port: DynamoPort, TableName: string) {
  const run = async (schedule: FaultSchedule) => {
    const faulty = faultyPort(port, schedule);
    const put = (pk: string) => faulty.putItem({ TableName, Item: { pk: { S: pk }, sk: { S: "0" } } });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => put(`item-${index}`)));
    return { failed: results.some((result) => result.status === "rejected"), log: faulty.log };
  };
  const random = randomSchedule(5, { kinds: ["throttle", "unreachable", "stale"], swarm: 1 });
  const small = await shrinkSchedule(random, run);
  assert.match(printSchedule(small), /^seed=5 faults=\[\{at:\d+,kind:(throttle|unreachable)[^{}]*\}\]$/);
}

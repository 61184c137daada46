import { wrapPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { counter } from "./counter.ts";
import { engineForEntities, openWorld } from "./entity-world.ts";

const findSnapshot = "Query snapshots";
/** The marks, then the last rows: `journal.recover`. */
const readPosition = ["BatchGetItem events", "Query events"];
/** The marks and the first page, in parallel: `journal.replay`. */
const replay = ["BatchGetItem events", "Query events"];

/** Returns the requests that a fresh host sends for the first read of an entity with this many events. */
async function requestsOfLoad(events: number, options: { snapshotEvery?: number } = {}): Promise<string[]> {
  const engine = await engineForEntities();
  const first = await openWorld([counter], { port: engine, ...options });
  const amounts = Array.from({ length: events }, () => 1);
  if (events > 0) await first.host.of(counter).ask("a", { type: "addAll", amounts });
  await first.host.close();
  const sent: string[] = [];
  const port = wrapPort(engine, (operation, input, call, next) => {
    const { TableName = Object.keys((input as { RequestItems?: object }).RequestItems ?? {})[0] } = input as {
      TableName?: string;
    };
    sent.push(`${operation} ${TableName}`);
    return next(operation, input, call);
  });
  const second = await openWorld([counter], { port });
  sent.length = 0;
  expect(await second.host.of(counter).ask("a", { type: "get" })).toEqual({ total: events, events });
  await second.host.close();
  return sent;
}

test("loads an entity without events in one position read and no replay", async () => {
  expect(await requestsOfLoad(0)).toEqual([findSnapshot, ...readPosition]);
});

test("loads an entity in one position read, one snapshot query and one replay", async () => {
  expect(await requestsOfLoad(50)).toEqual([findSnapshot, ...readPosition, ...replay]);
});

test("does not replay an entity whose snapshot is current", async () => {
  expect(await requestsOfLoad(50, { snapshotEvery: 50 })).toEqual([findSnapshot, ...readPosition]);
});

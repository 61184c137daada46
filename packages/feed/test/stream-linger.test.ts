import { sleep } from "@tablekeep/core";
import { expect, test } from "vitest";
import { openStreamSource } from "../src/index.ts";
import { streamWorld, tableName } from "./stream-world.ts";

const put = (at: number) => ({ TableName: tableName, Item: { pk: { S: "a" }, sk: { N: String(at) } } });

/** Writes an item every ten milliseconds for a second, and returns in how many batches they are read. */
async function batchesOf(lingerMs: number): Promise<number> {
  await using world = await streamWorld();
  const { clock, port } = world;
  return await clock.autoAdvance(async () => {
    const pace = { pollMs: 5, maxPollMs: 5, readsPerSecond: Number.POSITIVE_INFINITY, emptyReadsAtEnd: 1 };
    const source = await openStreamSource(port, { tableName, clock, lingerMs, ...pace });
    const stop = new AbortController();
    const writing = (async () => {
      for (let at = 0; at < 100; at++) {
        await port.putItem(put(at));
        await sleep(clock, 10);
      }
    })();
    let batches = 0;
    let count = 0;
    for await (const { records } of source.read(new Map(), { signal: stop.signal })) {
      if (records.length > 0) batches++;
      count += records.length;
      if (count === 100) stop.abort();
    }
    await writing;
    return batches;
  });
}

test("records that come within the linger time are read together", async () => {
  expect(await batchesOf(0)).toBeGreaterThan(50);
  expect(await batchesOf(100)).toBeLessThanOrEqual(12);
});

test("full pages are followed at once", async () => {
  await using world = await streamWorld();
  const { clock, port } = world;
  for (let at = 0; at < 95; at++) await port.putItem(put(at));
  const readsPerSecond = Number.POSITIVE_INFINITY;
  const options = { tableName, clock, lingerMs: 60_000, pageRecords: 10, readsPerSecond };
  const source = await openStreamSource(port, options);
  const stop = new AbortController();
  const startedAt = clock.monotonic();
  let count = 0;
  // The clock stands still: a wait would never end.
  for await (const { records } of source.read(new Map(), { signal: stop.signal })) {
    count += records.length;
    if (count === 95) stop.abort();
  }
  expect(clock.monotonic()).toBe(startedAt);
});

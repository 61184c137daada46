/** Counts what an idle feed costs on Amazon DynamoDB, and compares it with docs/reference/table-changes.md. */
import { readFileSync } from "node:fs";
import { ensureTable, type MeterSnapshot, metered } from "@tablekeep/client";
import { sleep } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { ensureStream, openFeed, openStreamSource } from "../../src/index.ts";

const hour = 60 * 60 * 1000;
const hoursOfMonth = 730;
/** Dollars in us-east-1, for tables billed on demand. */
const prices = { getRecords: 0.02 / 100_000, writeUnit: 0.625 / 1_000_000, readUnit: 0.125 / 1_000_000 };

/** What one hour costs of a feed of 16 slices over a stream of four shards, with a live reader in another process. */
async function idleHour(): Promise<MeterSnapshot> {
  const clock = fakeClock();
  const behavior = { streams: { shards: 4 } };
  await using engine = await openEngine({ storage: { kind: "memory" }, clock, behavior });
  const { port, meter } = metered(engine, { capacity: true });
  await ensureTable(engine, journalTableSpec());
  return await clock.autoAdvance(async () => {
    await ensureStream(engine, "events", "NEW_IMAGE", { clock });
    const journal = await openJournal(engine, { clock });
    for (const id of ["a", "b", "c", "d"]) unwrap(await journal.append(id, { payload: 1 }));
    // As on AWS: with its limits, and empty pages before records.
    const source = await openStreamSource(port, { tableName: "events", clock });
    const writing = await openFeed(port, { clock, source });
    const reading = await openFeed(port, { clock });
    const stop = new AbortController();
    const { signal } = stop;
    const running = writing.run({ signal });
    await sleep(clock, 5 * 60_000);
    const seen: string[] = [];
    const following = (async () => {
      for await (const { persistenceId } of reading.read({ live: true, signal })) seen.push(persistenceId);
    })();
    await sleep(clock, 5 * 60_000);
    expect(seen.toSorted()).toEqual(["a", "b", "c", "d"]);
    meter.reset();
    await sleep(clock, hour);
    const counted = meter.reset();
    stop.abort();
    await Promise.all([running, following]);
    return counted;
  });
}

test("an idle feed costs less than $3 a month, as documented", async () => {
  const { byOperation, total } = await idleHour();
  const { GetRecords, BatchGetItem, GetItem, PutItem, DescribeStream, ...others } = byOperation;
  expect(others).toEqual({});
  const month = (count = 0, price: number) => count * hoursOfMonth * price;
  const cost = {
    stream: month(GetRecords?.requests, prices.getRecords),
    writes: month(PutItem?.writeUnits, prices.writeUnit),
    reads: month(total.readUnits, prices.readUnit),
  };
  expect(total.readUnits).toBe((BatchGetItem?.readUnits ?? 0) + (GetItem?.readUnits ?? 0));
  const sum = cost.stream + cost.writes + cost.reads;
  expect(sum).toBeLessThan(3);
  const page = readFileSync(new URL("../../../../docs/reference/table-changes.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| an idle feed: [^|]* \|[^|]*\| \$([\d.]+) \|$/gm)].map(
    ([, price]) => price,
  );
  expect(listed).toEqual([cost.stream, cost.writes, cost.reads, sum].map((price) => price.toFixed(2)));
  const feed = readFileSync(new URL("../../../../docs/reference/feed.md", import.meta.url), "utf8");
  expect(feed).toContain(`| [$${sum.toFixed(2)}](table-changes.md#cost)`);
});

/** Counts what a feed costs under load on Amazon DynamoDB, and compares it with docs/reference/feed.md. */
import { readFileSync } from "node:fs";
import { ensureTable, metered } from "@tablekeep/client";
import { sleep } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { ensureStream, openFeed, openStreamSource } from "../../src/index.ts";

const ids = 200;
const seconds = 6;
const stepMs = 100;

interface Load {
  readonly perSecond: number;
  readonly lingerMs: number;
}

/** Returns the write units of a feed per event while a journal gets so many appends a second, over a stream of four shards. */
async function unitsPerEvent({ perSecond, lingerMs }: Load): Promise<number> {
  const clock = fakeClock();
  const behavior = { streams: { shards: 4 } };
  await using engine = await openEngine({ storage: { kind: "memory" }, clock, behavior });
  await ensureTable(engine, journalTableSpec());
  return await clock.autoAdvance(async () => {
    await ensureStream(engine, "events", "NEW_IMAGE", { clock });
    const journal = await openJournal(engine, { clock });
    const writers = await Promise.all(
      Array.from({ length: ids }, (_unused, at) => journal.recover(`account|${at}`)),
    );
    // As on AWS: with its limits.
    const source = await openStreamSource(engine, { tableName: "events", clock, lingerMs });
    const { port, meter } = metered(engine, { capacity: true });
    const feed = await openFeed(port, { clock, source });
    const stop = new AbortController();
    const running = feed.run(stop);
    // Until the stream no longer shows what the first sweep has found.
    await sleep(clock, 3 * 60_000);
    meter.reset();
    let next = 0;
    for (let ms = 0; ms < seconds * 1000; ms += stepMs) {
      const count = (perSecond * stepMs) / 1000;
      for (let at = 0; at < count; at++) {
        const writer = writers[next++ % ids];
        if (writer !== undefined) unwrap(await writer.append({ payload: 1 }));
      }
      await sleep(clock, stepMs);
    }
    await sleep(clock, 5000);
    const { total } = meter.reset();
    stop.abort();
    await running;
    const { findings, writes } = await feed.verify();
    expect(findings).toEqual([]);
    expect(writes).toBe(perSecond * seconds);
    return total.writeUnits / writes;
  });
}

test("a feed costs at most 0.1 write units per event under load, as documented", async () => {
  const loads = [
    { perSecond: 100, lingerMs: 0 },
    { perSecond: 100, lingerMs: 2000 },
    { perSecond: 1000, lingerMs: 0 },
    { perSecond: 1000, lingerMs: 1000 },
  ];
  const counted: string[][] = [];
  for (const { perSecond, lingerMs } of loads) {
    const units = await unitsPerEvent({ perSecond, lingerMs });
    counted.push([perSecond.toLocaleString("en"), lingerMs.toLocaleString("en"), units.toFixed(2)]);
  }
  const [trickle = 0, patient, loaded = 1, both] = counted.map(([, , units]) => Number(units));
  expect(loaded).toBeLessThanOrEqual(0.1);
  expect(patient).toBeLessThan(trickle);
  expect(both).toBeLessThan(loaded);
  const page = readFileSync(new URL("../../../../docs/reference/feed.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|$/gm)].map((row) => row.slice(1));
  expect(listed).toEqual(counted);
  const units = counted.map(([, , each]) => Number(each));
  expect(page).toContain(
    `${Math.min(...units)} to ${Math.max(...units)} write units, up to 1 for a lone event`,
  );
});

import { readFileSync } from "node:fs";
import { type MeterCounts, metered } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { noise, table, unique } from "../../test/snapshot-world.ts";
import { openSnapshots } from "./open-snapshots.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";
import type { Snapshots } from "./snapshots.ts";

const kilobyte = noise(800);
const large = noise(3_000_000);
const text = "0123456789".repeat(100_000);
const now = 1_800_000_000_000;

interface Priced {
  readonly what: string;
  /** Saved before, by number. */
  readonly before?: readonly unknown[];
  readonly options?: SnapshotsOptions;
  readonly run: (snapshots: Snapshots, id: string) => Promise<unknown>;
}

const small = (count: number) => Array.from({ length: count }, () => kilobyte);
const listed = async (snapshots: Snapshots, id: string) => {
  for await (const _ of snapshots.list(id));
};

const prices: readonly Priced[] = [
  { what: "save 1 KB", run: (s, id) => s.save(id, 9, kilobyte) },
  { what: "save 1 KB in place of another", before: small(1), run: (s, id) => s.save(id, 1, kilobyte) },
  { what: "save 150 KB", run: (s, id) => s.save(id, 9, noise(150_000)) },
  { what: "save 1 MB that compresses into one item", run: (s, id) => s.save(id, 9, text) },
  { what: "save 3 MB in chunks", run: (s, id) => s.save(id, 9, large) },
  {
    what: "save 3 MB in place of 3 MB",
    before: [large],
    run: (s, id) => s.save(id, 1, large),
  },
  {
    what: "save 1 KB as the sixth, with `keep: 5`",
    before: small(5),
    options: { keep: 5 },
    run: (s, id) => s.save(id, 6, kilobyte),
  },
  { what: "load where there is none", run: (s, id) => s.load(id) },
  {
    what: "load by Akka's criteria None",
    before: small(1),
    run: (s, id) => s.load(id, { maxSequenceNr: 0, maxTimestamp: 0 }),
  },
  { what: "load the latest of 30 × 1 KB", before: small(30), run: (s, id) => s.load(id) },
  {
    what: "load up to a number, of 30 × 1 KB",
    before: small(30),
    run: (s, id) => s.load(id, { maxSequenceNr: 10 }),
  },
  {
    what: "load up to a time, the fifth from above of 30 × 1 KB",
    before: small(30),
    run: (s, id) => s.load(id, { maxTimestamp: now + 26 }),
  },
  { what: "load 150 KB", before: [noise(150_000)], run: (s, id) => s.load(id) },
  { what: "load 3 MB in chunks", before: [large], run: (s, id) => s.load(id) },
  { what: "list 30 × 1 KB", before: small(30), run: listed },
  { what: "delete one of 1 KB", before: small(1), run: (s, id) => s.delete(id, 1) },
  { what: "delete one of 3 MB in chunks", before: [large], run: (s, id) => s.delete(id, 1) },
  {
    what: "delete 30 × 1 KB up to a number",
    before: small(30),
    run: (s, id) => s.deleteMany(id, { maxSequenceNr: 30 }),
  },
  {
    what: "delete 30 × 1 KB up to a time",
    before: small(30),
    run: (s, id) => s.deleteMany(id, { maxTimestamp: now + 30 }),
  },
  { what: "collect garbage where there is none", before: small(1), run: (s, id) => s.collectGarbage(id) },
];

let port: DynamoPort;
beforeAll(async () => {
  port = await engineWithSnapshots(table);
});
afterAll(() => port.close());

/** The cost of a call, including the cleaning that follows it. */
async function costOf({ before = [], options = {}, run }: Priced): Promise<MeterCounts> {
  let tick = now;
  const clock = { now: () => tick, monotonic: () => performance.now(), after: () => () => {} };
  const id = unique();
  const preparing = await openSnapshots(port, { table, clock });
  for (const [index, state] of before.entries()) {
    tick = now + index + 1;
    await preparing.save(id, index + 1, state);
  }
  await preparing.close();
  const { port: counted, meter } = metered(port, { capacity: true });
  const snapshots = await openSnapshots(counted, { table, clock, ...options });
  await run(snapshots, id);
  await snapshots.close();
  return meter.snapshot().total;
}

test("costs match the documentation", async () => {
  const rows: string[] = [];
  for (const priced of prices) {
    const { requests, readUnits, writeUnits } = await costOf(priced);
    rows.push(`| ${priced.what} | ${requests} | ${readUnits} | ${writeUnits} |`);
  }
  const page = readFileSync(new URL("../../../../docs/reference/snapshots.md", import.meta.url), "utf8");
  const told = page
    .split("\n")
    .filter((line) => /^\|.*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|$/.test(line))
    .map((line) => line.replace(/\s+/g, " "));
  expect(told).toEqual(rows);
});

test("a snapshot in one item costs one request to save, to load and to delete", async () => {
  for (const what of ["save 1 KB", "load the latest of 30 × 1 KB", "delete one of 1 KB", "load 150 KB"]) {
    const priced = prices.find((each) => each.what === what);
    if (priced === undefined) expect.fail(`there is no price for ${what}`);
    expect((await costOf(priced)).requests).toBe(1);
  }
});

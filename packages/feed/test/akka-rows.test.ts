import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type Item, silentLogger, sleep } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type JournalOptions, journalTableSpec, openJournal } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { ensureStream, type Feed, openFeed } from "../src/index.ts";

const TableName = "akka-persistence";

/** A row as the plugin 1.1.2 and later write it. Written from the plugin's rules: nothing is taken from the journal. */
function row(id: string, number: number, batch?: { readonly index: number; readonly size: number }): Item {
  return {
    par: { S: `journal-P-${id}-${Math.floor(number / 100)}` },
    num: { N: String(number % 100) },
    persistence_id: { S: id },
    seq: { N: String(number) },
    event: { B: new Uint8Array(Buffer.from(`e${number}`)) },
    writer_uuid: { S: `writer-of-${id}` },
    ev_ser_id: { N: "20" },
    ...(batch && { idx: { N: String(batch.index) }, cnt: { N: String(batch.size - 1) } }),
  };
}

/** The rows of one `persistAll`. */
function persistAll(id: string, first: number, size: number): Item[] {
  return Array.from({ length: size }, (_unused, index) => row(id, first + index, { index, size }));
}

async function put(port: DynamoPort, items: readonly Item[]): Promise<void> {
  for (const each of items) await port.putItem({ TableName, Item: each });
}

async function fed(feed: Feed): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for await (const { persistenceId, sequenceNr } of feed.read())
    found[persistenceId] = [...(found[persistenceId] ?? []), sequenceNr];
  return found;
}

const numbers = (to: number) => Array.from({ length: to }, (_unused, at) => at + 1);

describe.each([
  ["2.6", "NEW_IMAGE"],
  ["2.6", "KEYS_ONLY"],
  ["none", "NEW_IMAGE"],
] as const)("a feed of a table that an Akka plugin wrote (akka %s, %s)", (akka, view) => {
  async function newWorld() {
    const clock = fakeClock();
    const port = await openEngine({ storage: { kind: "memory" }, clock });
    const options: JournalOptions = { table: TableName, layout: "bucketed", akka };
    await ensureTable(port, journalTableSpec(options));
    return {
      clock,
      port,
      options,
      open: () => openFeed(port, { journal: options, clock, slices: 2, leaseMs: 3000 }),
      [Symbol.asyncDispose]: () => port.close(),
    };
  }

  test("has every event of it, whole batches too", async () => {
    await using world = await newWorld();
    const { clock, port, options } = world;
    await put(port, [row("a", 1), ...persistAll("a", 2, 5), row("a", 7), ...persistAll("b", 1, 120)]);
    await put(port, [{ par: { S: "journal-SH-b-1" }, num: { N: "0" }, seq: { N: "100" } }]);
    // Not whole: it is not replayed, and not fed.
    await put(port, [row("c", 1), ...persistAll("c", 2, 5).slice(0, 3), row("c", 5)]);
    await openJournal(port, { ...options, clock });
    await clock.autoAdvance(async () => {
      await ensureStream(port, TableName, view, { clock });
      const feed = await world.open();
      await feed.catchUp();
      const swept = { a: numbers(7), b: numbers(120), c: [1, 5] };
      expect(await fed(feed)).toEqual(swept);
      // And what the stream shows.
      await put(port, [...persistAll("a", 8, 4), row("b", 121), ...persistAll("d", 1, 2)]);
      await feed.catchUp();
      expect(await fed(feed)).toEqual({ ...swept, a: numbers(11), b: numbers(121), d: numbers(2) });
      expect((await feed.verify()).findings).toEqual([]);
    });
  });

  test("waits for a batch that is under way, and passes one that has died", async () => {
    await using world = await newWorld();
    const { clock, port, options } = world;
    await openJournal(port, { ...options, clock });
    await clock.autoAdvance(async () => {
      await ensureStream(port, TableName, view, { clock });
      const feed = await world.open();
      await feed.catchUp();
      const [first, second, ...others] = persistAll("a", 1, 5) as [Item, Item, ...Item[]];
      await put(port, [first, second, row("b", 1), ...persistAll("b", 2, 3).slice(0, 2)]);
      await feed.catchUp();
      // Its other rows come while the feed is read.
      const reading = fed(feed);
      await sleep(clock, 100);
      await put(port, others);
      expect(await reading).toEqual({ a: [1, 2], b: [1] });
      await feed.catchUp();
      expect(await fed(feed)).toEqual({ a: numbers(5), b: [1] });
      expect((await feed.verify()).findings).toEqual([]);
    });
  });
});

test.each(["enabled before", "enabled by the feed"])(
  "has the event that a plugin has put in the place of another, with a stream that was %s",
  async (how) => {
    const clock = fakeClock();
    await using port = await openEngine({ storage: { kind: "memory" }, clock });
    const options: JournalOptions = { table: TableName, layout: "bucketed", akka: "2.6" };
    await ensureTable(port, journalTableSpec(options));
    await openJournal(port, { ...options, clock });
    await clock.autoAdvance(async () => {
      if (how === "enabled before") await ensureStream(port, TableName, "NEW_AND_OLD_IMAGES", { clock });
      const feed = await openFeed(port, { journal: options, clock, slices: 2, leaseMs: 3000 });
      await feed.catchUp();
      const staged = { staged: { BOOL: true } };
      await put(port, [{ ...row("a", 1), ...staged }, row("a", 2)]);
      await feed.catchUp();
      expect(await fed(feed)).toEqual({ a: [1, 2] });
      // One changes a row, another overwrites one that it does not see.
      const event = { B: new Uint8Array(Buffer.from("other")) };
      await put(port, [
        { ...row("a", 1), seen: { BOOL: true } },
        { ...row("a", 2), writer_uuid: { S: "other" }, event },
      ]);
      await sleep(clock, 10 * 60_000);
      await put(port, [row("b", 1)]);
      await feed.catchUp();
      await sleep(clock, 10 * 60_000);
      await feed.catchUp();
      const payloads: unknown[] = [];
      for await (const { persistenceId, payload } of feed.read())
        if (persistenceId === "a") payloads.push(payload);
      expect(payloads).toEqual(["e1", "other"]);
      expect((await feed.verify()).findings).toEqual([]);
    });
  },
);

test("has the event that a plugin has put in the place of another while the engine reports changes", async () => {
  const clock = fakeClock();
  await using port = await openEngine({ storage: { kind: "memory" }, clock });
  const options: JournalOptions = { table: TableName, layout: "bucketed", akka: "2.6" };
  await ensureTable(port, journalTableSpec(options));
  await openJournal(port, { ...options, clock });
  await clock.autoAdvance(async () => {
    const feed = await openFeed(port, { journal: options, clock, slices: 2, leaseMs: 3000 });
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    // Until the reports continue what was read.
    for (const number of numbers(5)) {
      await put(port, [row("a", number)]);
      await sleep(clock, 3000);
    }
    const event = { B: new Uint8Array(Buffer.from("other")) };
    await put(port, [{ ...row("a", 5), writer_uuid: { S: "other" }, event }]);
    await sleep(clock, 30_000);
    stop.abort();
    await running;
    const payloads: unknown[] = [];
    for await (const { payload } of feed.read()) payloads.push(payload);
    expect(payloads).toEqual(["e1", "e2", "e3", "e4", "other"]);
  });
});

test.each([
  ["NEW_IMAGE", "2.6", 1],
  ["NEW_AND_OLD_IMAGES", "2.6", 0],
  ["NEW_IMAGE", "none", 0],
] as const)("a stream of %s of a table with akka %s is reported %i times", async (view, akka, times) => {
  const clock = fakeClock();
  await using port = await openEngine({ storage: { kind: "memory" }, clock });
  const options: JournalOptions = { table: TableName, layout: "bucketed", akka };
  await ensureTable(port, journalTableSpec(options));
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (_message: string, data?: object) => void warnings.push(data) };
  await clock.autoAdvance(async () => {
    await openJournal(port, { ...options, clock });
    await ensureStream(port, TableName, view, { clock });
    const feed = await openFeed(port, { journal: options, clock, logger });
    await feed.catchUp();
    await feed.catchUp();
  });
  expect(warnings).toEqual(Array.from({ length: times }, () => ({ table: TableName, viewType: view })));
});

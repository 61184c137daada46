import { getEventListeners } from "node:events";
import { DynamoError, type DynamoPort, wrapPort } from "@tablekeep/core";
import type { Checkpoint, Engine } from "@tablekeep/engine";
import { fakeClock, stopAfterNth } from "@tablekeep/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { akkaFixtures } from "../../../test/akka-fixtures.ts";
import { builtOnce } from "../../../test/built-once.ts";
import { comparable } from "../../../test/comparable.ts";
import { inFakeTime } from "../../../test/faults/fault-world.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  layouts,
  makeTable,
  numbersOf,
  range,
  singles,
} from "../../../test/journal-world.ts";
import type { JournalOptions } from "../../context/journal-options.ts";
import { openJournal } from "../../open-journal.ts";
import { openJournalReader } from "../../open-journal-reader.ts";
import { verifyJournal } from "../verify/verify-journal.ts";
import { migrateJournal } from "./migrate-journal.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

/** All that a replay returns of an id, and its position. */
async function essence(port: DynamoPort, options: JournalOptions, id: string) {
  const journal = await openJournalReader(port, options);
  return {
    highest: await journal.highestSequenceNr(id),
    events: comparable(await collect(journal.replay(id))),
  };
}

async function idsOf(port: DynamoPort, options: JournalOptions): Promise<string[]> {
  const journal = await openJournalReader(port, options);
  const ids = await collect(journal.currentPersistenceIds({ source: "scan" }));
  return ids.map(({ persistenceId }) => persistenceId).sort();
}

/** Ids of every sort: long and short, with atomic writes, cut by deletions, deleted altogether. */
async function fill(port: DynamoPort, options: JournalOptions): Promise<void> {
  const journal = await openJournal(port, options);
  await append(journal, "plain", singles(1, 130));
  await append(journal, "batches", [singles(1, 5), singles(6, 125), ...singles(126, 127)]);
  await append(journal, "cut|ü", [singles(1, 10), singles(11, 120)]);
  await journal.deleteTo("cut|ü", 14);
  await append(journal, "gone", singles(1, 105));
  await journal.deleteTo("gone", 105);
  const metadata = { by: "me" };
  await append(journal, "meta", [{ payload: 7n, metadata, manifest: "m", timestamp: 12 }]);
}

const ids = ["batches", "cut|ü", "gone", "meta", "plain"];

describe.each(layouts)("from %s", (fromLayout) => {
  const from = { table: "source", layout: fromLayout, sequenceShards: 10 };
  let port: Engine;
  let filled: Checkpoint;
  beforeAll(async () => {
    port = await engineWith(from);
    await fill(port, from);
    filled = await port.checkpoint();
  });
  afterAll(() => port.close());

  test.each(layouts)(
    "to %s: everything is the same there, nothing is damaged, and writers continue",
    async (toLayout) => {
      const to = { table: "target", layout: toLayout, sequenceShards: 10 };
      await port.restore(filled);
      await makeTable(port, to);
      const places = { from: { port, journal: from }, to: { port, journal: to } };
      expect(await migrateJournal(places)).toEqual({ ids: 5, events: 364, written: 364 });
      for (const id of ids) expect(await essence(port, to, id)).toEqual(await essence(port, from, id));
      expect(await collect(verifyJournal(port, to))).toEqual([]);
      const before = await itemsOf(port, "target");
      expect(await migrateJournal(places)).toEqual({ ids: 5, events: 364, written: 0 });
      expect(await itemsOf(port, "target")).toEqual(before);
      // The source continued, and lost some: a second run catches up.
      const source = await openJournal(port, from);
      await append(source, "plain", [singles(131, 140), ...singles(141, 142)]);
      await source.deleteTo("plain", 30);
      expect(await migrateJournal({ ...places, persistenceId: "plain" })).toMatchObject({ written: 12 });
      expect(await essence(port, to, "plain")).toEqual(await essence(port, from, "plain"));
      await append(await openJournal(port, to), "plain", singles(143, 144));
      expect(await essence(port, to, "plain")).toMatchObject({ highest: 144 });
    },
  );
});

describe.each(akkaFixtures)("the original's table %s", (fixture) => {
  const from = fixtureOptions(fixture);
  let port: Engine;
  let original: Checkpoint;
  let all: readonly string[];
  let essences: ReadonlyMap<string, Awaited<ReturnType<typeof essence>>>;
  beforeAll(async () => {
    port = await engineWithFixture(fixture);
    original = await port.checkpoint();
    all = await idsOf(port, from);
    essences = new Map(
      await Promise.all(all.map(async (id) => [id, await essence(port, from, id)] as const)),
    );
  });
  afterAll(() => port.close());

  test.each(layouts)("is the same in the %s layout", async (layout) => {
    const to = { table: "target", layout, sequenceShards: 10 };
    await port.restore(original);
    await makeTable(port, to);
    await migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
    expect(await idsOf(port, to)).toEqual(all);
    for (const id of all) expect(await essence(port, to, id)).toEqual(essences.get(id));
    expect(await collect(verifyJournal(port, to))).toEqual([]);
  });
});

test.each(["packed", "bucketed"] as const)("softly deleted events stay deleted: %s", async (layout) => {
  const port = await engineWithFixture("akka-0.3");
  open.push(port);
  const to = { table: "target", layout };
  await makeTable(port, to);
  const journal = fixtureOptions("akka-0.3");
  await migrateJournal({ from: { port, journal }, to: { port, journal: to }, persistenceId: "p-5" });
  expect(numbersOf(await collect((await openJournal(port, to)).replay("p-5")))).toEqual(range(13, 30));
  if (layout === "packed") return;
  const rows = (await itemsOf(port, "target")).filter((item) => item["par"]?.S?.startsWith("journal-P-p-5-"));
  expect(rows.filter((item) => item["pay"] !== undefined)).toHaveLength(rows.length - 18);
});

test("a long atomic write may take longer than a writer's call, if the rate requires it", async () => {
  const clock = fakeClock();
  const from = { table: "source", clock };
  const to = { table: "target", layout: "linear" as const, clock };
  const port = await engineWith(from, to);
  open.push(port);
  const journal = await openJournal(port, from);
  await append(journal, "long", [singles(1, 150)]);
  const places = { from: { port, journal: from }, to: { port, journal: to } };
  const migrated = await inFakeTime(clock, 20, () => migrateJournal({ ...places, maxRequestsPerSecond: 2 }));
  expect(migrated).toEqual({ ids: 1, events: 150, written: 150 });
  expect(await essence(port, to, "long")).toEqual(await essence(port, from, "long"));
});

test("ends where the target can be read and not be written", async () => {
  const clock = fakeClock();
  const from = { table: "source", clock };
  const to = { table: "target", clock, fencing: "strict" as const };
  const port = await engineWith(from, to);
  open.push(port);
  await append(await openJournal(port, from), "one", singles(1, 1));
  const throttled = wrapPort(port, (operation, input, call, next) => {
    const error = new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow down" });
    return operation === "UpdateItem" ? Promise.reject(error) : next(operation, input, call);
  });
  const places = { from: { port, journal: from }, to: { port: throttled, journal: to } };
  await inFakeTime(clock, 20, () =>
    expect(migrateJournal(places)).rejects.toMatchObject({ code: "DYNAMO_THROTTLING" }),
  );
});

test.each([
  ["packed", 10],
  ["bucketed", 20],
] as const)(
  "may stop at any request: what is there is whole, and the next run ends it (%s)",
  async (layout, atLeast) => {
    const from = { table: "source", layout: "scattered", sequenceShards: 3 } as const;
    const to = { table: "target", layout };
    const setup = builtOnce(async () => {
      const port = await engineWith(from, to);
      const journal = await openJournal(port, from);
      await append(journal, "a", [...singles(1, 3), singles(4, 6), singles(7, 109), ...singles(110, 111)]);
      await journal.deleteTo("a", 2);
      await append(journal, "b", singles(1, 2));
      return { port, a: await essence(port, from, "a"), b: await essence(port, from, "b") };
    });
    const report = await stopAfterNth({
      setup,
      run: (port) =>
        migrateJournal({ from: { port, journal: from }, to: { port, journal: to }, parallel: 1 }),
      async check({ port, a, b }) {
        const target = await openJournal(port, to);
        const there = numbersOf(await collect(target.replay("a")));
        const ends = [0, 3, 6, 109, 111];
        expect(ends).toContain(there.at(-1) ?? 0);
        expect(there).toEqual(range(3, there.at(-1) ?? 0));
        await migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
        expect(await essence(port, to, "a")).toEqual(a);
        expect(await essence(port, to, "b")).toEqual(b);
        expect(await collect(verifyJournal(port, to))).toEqual([]);
      },
    });
    expect(report.requests).toBeGreaterThan(atLeast);
  },
);

describe("rejects", () => {
  async function two() {
    const from = { table: "source" };
    const to = { table: "target" };
    const port = await engineWith(from, to);
    open.push(port);
    const source = await openJournal(port, from);
    const target = await openJournal(port, to);
    return { port, from, to, source, target };
  }

  test("other events in the target, and writes nothing over them", async () => {
    const { port, from, to, source, target } = await two();
    await append(source, "a", singles(1, 5));
    await append(target, "a", singles(1, 3));
    const before = await itemsOf(port, "target");
    const migration = migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
    await expect(migration).rejects.toMatchObject({
      code: "JOURNAL_COPY_REFUSED",
      kind: "conflict",
      details: { persistenceId: "a", sequenceNr: 1 },
    });
    expect(await itemsOf(port, "target")).toEqual(before);
  });

  test("a target with events after the last of the source, and writes nothing", async () => {
    const { port, from, to, source, target } = await two();
    const places = { from: { port, journal: from }, to: { port, journal: to } };
    await append(source, "a", singles(1, 5));
    await migrateJournal(places);
    await append(target, "a", singles(6, 7));
    await append(target, "of the target", singles(1, 1));
    const before = await itemsOf(port, "target");
    await expect(migrateJournal(places)).rejects.toMatchObject({
      code: "JOURNAL_COPY_REFUSED",
      kind: "conflict",
      details: { persistenceId: "a", sequenceNr: 6, reason: "the target ends at 7, and the source at 5" },
    });
    expect(await itemsOf(port, "target")).toEqual(before);
  });

  test("to copy a journal onto itself, and options that do not exist", async () => {
    const { port, from } = await two();
    const place = { port, journal: from };
    await expect(migrateJournal({ from: place, to: place })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
    });
    await expect(migrateJournal({ from: place, too: place } as never)).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
      details: { option: "too" },
    });
  });
});

test("the original reads what is left of an atomic write whose beginning was deleted", async () => {
  const port = await engineWithFixture("akka-1.3");
  open.push(port);
  await makeTable(port, { table: "target" });
  const journal = fixtureOptions("akka-1.3");
  await migrateJournal({
    from: { port, journal },
    to: { port, journal: { table: "target", layout: "bucketed" } },
    persistenceId: "p-6",
  });
  const rows = (await itemsOf(port, "target")).filter((item) => item["par"]?.S === "journal-P-p-6-0");
  expect(rows.map(({ num, idx, cnt }) => [num?.N, idx?.N, cnt?.N])).toEqual(
    range(0, 5).map((index) => [String(index + 5), String(index), "5"]),
  );
});

test("many ids at once leave the caller's signal below the number of listeners that Node warns of", async () => {
  const from = { table: "source", layout: "bucketed", sequenceShards: 1 } as const;
  const to = { ...from, table: "target" };
  const port = await engineWith(from, to);
  open.push(port);
  const journal = await openJournal(port, from);
  for (const id of range(1, 8)) await append(journal, `id-${id}`, [singles(1, 120)]);
  const { signal } = new AbortController();
  let most = 0;
  const counting = wrapPort(port, async (operation, input, options, next) => {
    const answer = next(operation, input, options);
    most = Math.max(most, getEventListeners(signal, "abort").length);
    return answer;
  });
  const places = { from: { port: counting, journal: from }, to: { port: counting, journal: to } };
  expect(await migrateJournal({ ...places, parallel: 8, signal })).toMatchObject({ ids: 8, written: 960 });
  expect(most).toBeLessThanOrEqual(10);
});

import { Readable } from "node:stream";
import { ensureTable } from "@tablekeep/client";
import { fakeClock, pauseAtEvery } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  createCodecs,
  type JournalOptions,
  loadTail,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
  unwrap,
} from "../src/index.ts";
import {
  compactJournal,
  expireEvents,
  exportEvents,
  importEvents,
  migrateJournal,
  verifyJournal,
} from "../src/tools/index.ts";
import { encryptedFor, keysOn } from "./encryption-world.ts";
import { collect, engineWith, itemsOf, layouts } from "./journal-world.ts";

const start = Date.UTC(2020, 0, 1);
const later = start + 60_000;
const secret = (n: number) => ({ who: "anna", secret: `salary ${n}` });

/** Whether a string occurs anywhere in a table, as text or in bytes. */
async function holds(port: Awaited<ReturnType<typeof engineWith>>, table: string, text: string) {
  const bytes = (await itemsOf(port, table)).flatMap((item) =>
    Object.values(item).map(({ B, S = "" }) => Buffer.from(B ?? S)),
  );
  return Buffer.concat(bytes).includes(text);
}

describe.each(layouts)("events with an expiry in the %s layout", (layout) => {
  const options: JournalOptions = { layout, table: "events" };

  async function world() {
    const clock = fakeClock({ startAt: start });
    const port = await engineWith(options);
    const journal = await openJournal(port, { ...options, clock });
    const writer = await journal.recover("a");
    const metadata = { from: "salary office" };
    unwrap(
      await writer.append([
        { payload: secret(1), expiresAt: later, metadata, id: "e1", tags: ["hr"], serializerManifest: "m" },
        { payload: "stays" },
      ]),
    );
    unwrap(await writer.append({ payload: secret(3), expiresAt: later }));
    unwrap(await writer.append({ payload: "longer", expiresAt: later + 60_000 }));
    return { clock, port, journal, writer };
  }

  const gone = [
    { sequenceNr: 1, id: "e1", payload: undefined, gone: "expired", expiresAt: later, tags: ["hr"] },
    { sequenceNr: 2, payload: "stays" },
    { sequenceNr: 3, payload: undefined, gone: "expired", expiresAt: later, tags: [] },
    { sequenceNr: 4, payload: "longer", expiresAt: later + 60_000 },
  ];

  test("lose their data in a write that was staged too", async () => {
    const clock = fakeClock({ startAt: start });
    const port = await engineWith(options);
    const journal = await openJournal(port, { ...options, clock, maxItemSize: 4096 });
    const long = "x".repeat(2500);
    const write = Array.from({ length: 105 }, (_unused, at) =>
      at % 7 === 0 ? { payload: `secret ${long}`, expiresAt: later } : { payload: `${at} ${long}` },
    );
    unwrap(await (await journal.recover("a")).append(write));
    expect((await itemsOf(port, "events")).some(({ staged }) => staged?.BOOL)).toBe(true);
    await clock.advance(60_000);
    const before = await collect(journal.replay("a"));
    expect(await expireEvents(port, { ...options, clock })).toEqual({ ids: 1, events: 15 });
    expect(await holds(port, "events", "secret")).toBe(false);
    expect(await collect(journal.replay("a"))).toEqual(before);
    expect(await collect(verifyJournal(port, { ...options, clock }))).toEqual([]);
    await port.close();
  });

  test("are returned without their data from then on; numbers and writers are as before", async () => {
    const { clock, journal, writer } = await world();
    await clock.advance(59_999);
    expect(await collect(journal.replay("a"))).toMatchObject([
      { payload: secret(1), metadata: { from: "salary office" }, id: "e1", expiresAt: later },
      { payload: "stays" },
      { payload: secret(3), expiresAt: later },
      { payload: "longer" },
    ]);
    await clock.advance(1);
    const events = await collect(journal.replay("a"));
    expect(events).toMatchObject(gone);
    expect(events.map(({ metadata }) => metadata)).toEqual([undefined, undefined, undefined, undefined]);
    expect(await journal.highestSequenceNr("a")).toBe(4);
    expect(await journal.lowestSequenceNr("a")).toBe(1);
    expect(unwrap(await writer.append({ payload: 5 }))).toEqual({ first: 5, last: 5 });
    const { state } = await journal.load("a", {
      initial: () => [] as unknown[],
      evolve: (all, payload) => [...all, payload],
    });
    expect(state).toEqual(["stays", "longer", 5]);
  });

  test("lose their data by expireEvents, and stay gone whatever the clock shows", async () => {
    const { clock, port, writer } = await world();
    expect(await expireEvents(port, { ...options, clock })).toEqual({ ids: 1, events: 0 });
    await clock.advance(60_000);
    expect(await holds(port, "events", "salary")).toBe(true);
    expect(await expireEvents(port, { ...options, clock })).toEqual({ ids: 1, events: 2 });
    expect(await holds(port, "events", "salary")).toBe(false);
    expect(await expireEvents(port, { ...options, clock })).toEqual({ ids: 1, events: 0 });
    const early = fakeClock({ startAt: start - 1_000_000 });
    for (const each of [clock, early]) {
      const reopened = await openJournal(port, { ...options, clock: each });
      expect(await collect(reopened.replay("a"))).toMatchObject(gone);
    }
    expect(await collect(verifyJournal(port, { ...options, clock }))).toEqual([]);
    expect(unwrap(await writer.append({ payload: 5 }))).toEqual({ first: 5, last: 5 });
    const journal = await openJournal(port, { ...options, clock });
    await journal.deleteTo("a", 3);
    expect((await collect(journal.replay("a"))).map(({ payload }) => payload)).toEqual(["longer", 5]);
  });

  test("are copied with their expiry, even if one side has removed the data", async () => {
    const { clock, port, journal } = await world();
    const target: JournalOptions = {
      layout: layout === "packed" ? "bucketed" : "packed",
      table: "target",
      clock,
    };
    const third: JournalOptions = { layout, table: "third", clock };
    const fourth: JournalOptions = { layout: "packed", table: "fourth", clock };
    for (const each of [target, third, fourth]) {
      const { table } = each;
      const made = await engineWith(each);
      const { Table } = await made.describeTable({ TableName: table ?? "" });
      await port.createTable({
        TableName: table ?? "",
        KeySchema: Table?.KeySchema ?? [],
        AttributeDefinitions: Table?.AttributeDefinitions ?? [],
        BillingMode: "PAY_PER_REQUEST",
      });
    }
    const migrate = (to: JournalOptions) =>
      migrateJournal({ from: { port, journal: { ...options, clock } }, to: { port, journal: to } });
    const copyOut = async (to: JournalOptions) => {
      const lines = await collect(exportEvents(port, { ...options, clock }));
      await importEvents(port, Readable.from(lines), to);
    };
    await migrate(target);
    await copyOut(third);
    const before = await collect(journal.replay("a"));
    for (const each of [target, third])
      expect(await collect((await openJournal(port, each)).replay("a"))).toEqual(before);
    await clock.advance(60_000);
    await expireEvents(port, { ...options, clock });
    // The copies have the data still.
    expect(await migrate(target)).toMatchObject({ written: 0 });
    await copyOut(third);
    await expireEvents(port, target);
    expect(await migrate(target)).toMatchObject({ written: 0 });
    await migrate(fourth);
    await compactJournal(port, fourth);
    for (const each of [target, third, fourth])
      expect(await collect((await openJournal(port, each)).replay("a"))).toMatchObject(gone);
  });

  test("that are encrypted keep their ids", async () => {
    const clock = fakeClock({ startAt: start });
    const port = await engineWith(options);
    const codecs = encryptedFor(await keysOn(port, { clock }));
    const journal = await openJournal(port, { ...options, clock, codecs });
    const metadata = { from: "salary office" };
    unwrap(await journal.append("a", { payload: secret(1), expiresAt: later, metadata, id: "e1" }));
    await clock.advance(60_000);
    const expected = [{ id: "e1", gone: "expired", payload: undefined }];
    expect(await collect(journal.replay("a"))).toMatchObject(expected);
    // Nothing of it is decrypted any more, so its key may be gone.
    const keyless = encryptedFor(await keysOn(port, { clock, table: "no-keys" }));
    const without = await openJournal(port, { ...options, clock, codecs: keyless });
    expect(await collect(without.replay("a"))).toMatchObject(expected);
    // A tool needs no keys.
    expect(await expireEvents(port, { ...options, clock })).toMatchObject({ events: 1 });
    expect(await collect(journal.replay("a"))).toMatchObject(expected);
  });

  test("whose metadata has a codec of the application keep their ids", async () => {
    const clock = fakeClock({ startAt: start });
    const port = await engineWith(options);
    const swapped = (text: string) => Buffer.from(text).reverse();
    const codecs = createCodecs({
      codecs: [
        {
          id: 4711,
          encode: (value) => swapped(JSON.stringify(value)),
          decode: async (bytes) =>
            JSON.parse(swapped(Buffer.from(bytes).toString("latin1")).toString()) as unknown,
        },
      ],
      choose: (value) => (typeof value === "object" ? { serializerId: 4711 } : undefined),
    });
    const journal = await openJournal(port, { ...options, clock, codecs });
    const metadata = { from: "salary office" };
    unwrap(await journal.append("a", { payload: secret(1), expiresAt: later, metadata, id: "e1" }));
    expect(await collect(journal.replay("a"))).toMatchObject([{ id: "e1", metadata }]);
    await clock.advance(60_000);
    const expected = [{ id: "e1", gone: "expired", payload: undefined }];
    expect(await collect(journal.replay("a"))).toMatchObject(expected);
    expect(await expireEvents(port, { ...options, clock, codecs })).toMatchObject({ events: 1 });
    expect(await collect(journal.replay("a"))).toMatchObject(expected);
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 53, "1"])("an expiry of %s is rejected", async (expiresAt) => {
    const journal = await openJournal(await engineWith(options), options);
    expect(await journal.append("a", { payload: 1, expiresAt: expiresAt as number })).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_EVENT_INVALID", details: { field: "expiresAt" } },
    });
  });

  test.each(["append", "delete", "compact", "purge"] as const)(
    "paused anywhere, expireEvents does no harm beside %s",
    async (what) => {
      if (what === "compact" && layout !== "packed") return;
      await pauseAtEvery({
        setup: world,
        paused: async (own, { clock }) => {
          await clock.advance(60_000);
          return expireEvents(own, { ...options, clock });
        },
        meanwhile: async (own, { clock, writer }) => {
          const journal = await openJournal(own, { ...options, clock });
          if (what === "append") unwrap(await writer.append({ payload: "new" }));
          else if (what === "delete") await journal.deleteTo("a", 1);
          else if (what === "compact") await compactJournal(own, { ...options, clock });
          else {
            await journal.purge("a");
            unwrap(await journal.append("a", { payload: "another life" }));
          }
        },
        async check({ port, clock }, { paused, meanwhile }) {
          for (const each of [paused, meanwhile]) if (each.status === "rejected") throw each.reason;
          const journal = await openJournal(port, { ...options, clock });
          const events = await collect(journal.replay("a"));
          if (what === "append") expect(events).toMatchObject([...gone, { payload: "new" }]);
          else if (what === "delete") expect(events).toMatchObject(gone.slice(1));
          else if (what === "compact") expect(events).toMatchObject(gone);
          else expect(events).toMatchObject([{ sequenceNr: 1, payload: "another life" }]);
          // What was changed by the other is removed by the next run.
          await expireEvents(port, { ...options, clock });
          expect(await holds(port, "events", "salary")).toBe(false);
          expect(await collect(journal.replay("a"))).toEqual(events);
        },
      });
    },
  );
});

test("in a table that Akka shares an expiry is rejected, and not copied", async () => {
  const shared: JournalOptions = { layout: "bucketed", table: "shared", akka: "2.6" };
  const port = await engineWith(shared, { table: "events" });
  const journal = await openJournal(port, shared);
  expect(await journal.append("a", { payload: "x", expiresAt: later })).toMatchObject({
    kind: "rejected",
    error: { code: "JOURNAL_EVENT_INVALID", details: { field: "expiresAt" } },
  });
  const own = await openJournal(port, { table: "events" });
  unwrap(await own.append("b", { payload: "x", expiresAt: Date.now() + 1_000_000 }));
  const to = { port, journal: shared };
  await expect(migrateJournal({ from: { port, journal: { table: "events" } }, to })).rejects.toMatchObject({
    code: "JOURNAL_COPY_REFUSED",
  });
});

describe("snapshots with an expiry", () => {
  test("count as absent from then on, and do not count among those to keep", async () => {
    const clock = fakeClock({ startAt: start });
    const port = await engineWith({ table: "events" });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    const snapshots = await openSnapshots(port, { clock, maxItemSize: 4096, compression: "never" });
    await snapshots.save("a", 1, "first");
    await snapshots.save("a", 2, "second");
    await snapshots.save("a", 3, "x".repeat(10_000), { expiresAt: later });
    await snapshots.save("a", 4, "fourth", { expiresAt: later });
    await clock.advance(59_999);
    expect(await snapshots.load("a")).toMatchObject({ sequenceNr: 4 });
    await clock.advance(1);
    expect(await snapshots.load("a")).toMatchObject({ sequenceNr: 2, state: "second" });
    expect((await collect(snapshots.list("a"))).map(({ sequenceNr }) => sequenceNr)).toEqual([1, 2]);
    await snapshots.keepNewest("a", 1);
    expect(await snapshots.load("a")).toMatchObject({ sequenceNr: 2 });
    await snapshots.idle();
    const left = (await itemsOf(port, "snapshots")).map((item) => item["seq"]?.N);
    expect(left).toEqual(["2"]);
    await snapshots.save("a", 5, "fifth", { expiresAt: later + 1000 });
    const [stored] = (await itemsOf(port, "snapshots")).filter((item) => item["seq"]?.N === "5");
    expect(stored).toMatchObject({
      expires: { N: String(later + 1000) },
      ttl: { N: String(later / 1000 + 1) },
    });
    expect(snapshotTableSpec("s", { expiring: true })).toMatchObject({ ttlAttribute: "ttl" });
    await expect(snapshots.save("a", 6, "x", { expiresAt: 1.5 })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
    });
  });

  test("beside the events of a packed journal are not loaded with them", async () => {
    const clock = fakeClock({ startAt: start });
    const options: JournalOptions = { layout: "packed", table: "events", clock };
    const port = await engineWith(options);
    const journal = await openJournal(port, options);
    const snapshots = await openSnapshots(port, { journal: options, clock });
    for (let n = 1; n <= 5; n++) unwrap(await journal.append("a", { payload: n }));
    await snapshots.save("a", 3, "at 3", { expiresAt: later });
    expect(await loadTail(journal, snapshots, "a")).toMatchObject({ snapshot: { state: "at 3" } });
    await clock.advance(60_000);
    // The caller loads one after the other.
    expect(await loadTail(journal, snapshots, "a")).toBe(undefined);
    expect(await snapshots.load("a")).toBe(undefined);
    expect((await collect(journal.replay("a"))).map(({ payload }) => payload)).toEqual([1, 2, 3, 4, 5]);
  });
});

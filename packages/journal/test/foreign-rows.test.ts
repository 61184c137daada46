import { ensureTable } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import {
  type JournalOptions,
  openJournal,
  openSnapshots,
  type SnapshotsOptions,
  snapshotTableSpec,
} from "../src/index.ts";
import {
  expireEvents,
  exportEvents,
  importEvents,
  migrateJournal,
  verifyJournal,
} from "../src/tools/index.ts";
import { collect, engineWith, itemsOf, layouts } from "./journal-world.ts";

/** Tables of an Akka plugin that others have changed: copied rows, added attributes, parts of rows. */
const table = "akka-persistence";
const bucketed: JournalOptions = { layout: "bucketed", table, akka: "none" };
const scattered: JournalOptions = { layout: "scattered", table, akka: "none", sequenceShards: 10 };

const open: (DynamoPort & { close(): Promise<void> })[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

/** A row as the plugin 1.1.2 and later write it. Written from the plugin's rules: nothing is taken from the journal. */
function row(id: string, number: number, more: Item = {}): Item {
  return {
    par: { S: `journal-P-${id}-${Math.floor(number / 100)}` },
    num: { N: String(number % 100) },
    persistence_id: { S: id },
    seq: { N: String(number) },
    event: { B: new Uint8Array(Buffer.from(`${id}:${number}`)) },
    writer_uuid: { S: "w" },
    ev_ser_id: { N: "20" },
    ...more,
  };
}

/** The same as a protobuf message, as the plugins before write it. Ids and numbers are short. */
function message(id: string, number: number): Uint8Array {
  const text = Buffer.from(`${id}:${number}`);
  const payload = [8, 20, 18, text.length, ...text];
  return Uint8Array.of(10, payload.length, ...payload, 16, number, 26, id.length, ...Buffer.from(id));
}

async function world(options: JournalOptions, items: readonly Item[]) {
  const port = await engineWith(options);
  open.push(port);
  for (const each of items) await port.putItem({ TableName: table, Item: each });
  return { port, journal: await openJournal(port, options) };
}

async function payloadsOf(port: DynamoPort, options: JournalOptions, id: string): Promise<string[]> {
  const journal = await openJournal(port, options);
  const events = await collect(journal.replay(id));
  return events.map((event) => `${event.persistenceId} ${event.sequenceNr} ${String(event.payload)}`);
}

/** The events of some ids after a migration into each layout, and after an export and an import. */
async function copies(port: DynamoPort, options: JournalOptions, ids: readonly string[]) {
  const found: string[][][] = [];
  const read = async (target: DynamoPort, journal: JournalOptions) =>
    Promise.all(ids.map((id) => payloadsOf(target, journal, id)));
  for (const layout of layouts) {
    const journal: JournalOptions = { layout, table: "copy", akka: "none" };
    const [migrated, imported] = [await engineWith(journal), await engineWith(journal)];
    open.push(migrated, imported);
    await migrateJournal({ from: { port, journal: options }, to: { port: migrated, journal } });
    await importEvents(imported, exportEvents(port, options), journal);
    found.push(await read(migrated, journal), await read(imported, journal));
  }
  return found;
}

describe("rows of an id that were copied to another id, with the old id in them", () => {
  test.each([
    ["bucketed", bucketed, (at: number) => row("new", at, { persistence_id: { S: "old" } })],
    [
      "bucketed, before 1.1.2",
      bucketed,
      (at: number) => ({
        par: { S: "journal-P-new-0" },
        num: { N: String(at) },
        pay: { B: message("old", at) },
      }),
    ],
  ])("are events of the new id: %s", async (_name, options, copied) => {
    const text = options === bucketed && copied(1)["pay"] === undefined ? "new" : "old";
    const { port } = await world(options, [row("old", 1), row("old", 2), copied(1), copied(2), copied(3)]);
    const ofNew = [1, 2, 3].map((at) => `new ${at} ${text}:${at}`);
    const ofOld = ["old 1 old:1", "old 2 old:2"];
    expect(await payloadsOf(port, options, "new")).toEqual(ofNew);
    for (const copy of await copies(port, options, ["new", "old"])) expect(copy).toEqual([ofNew, ofOld]);
    const findings = await collect(verifyJournal(port, options));
    expect(findings.filter(({ kind }) => kind === "wrong-key").map(({ from }) => from)).toEqual([1, 2, 3]);
  });

  test("in the scattered layout too", async () => {
    const items = [1, 2].flatMap((at): Item[] => [
      { key: { S: `journal-P-new-${at}` }, payload: { B: message("old", at) }, deleted: { S: "false" } },
      { key: { S: `journal-SH-new-${at}` }, sequenceNr: { N: String(at) } },
    ]);
    const { port } = await world(scattered, items);
    const ofNew = ["new 1 old:1", "new 2 old:2"];
    expect(await payloadsOf(port, scattered, "new")).toEqual(ofNew);
    for (const copy of await copies(port, scattered, ["new", "old"])) expect(copy).toEqual([ofNew, []]);
  });
});

describe("an item that is not the event of its key", () => {
  const items: readonly [string, Item, string][] = [
    ["says that it is a later event", row("a", 2, { seq: { N: "4" } }), "seq"],
    ["says that it is an earlier event", row("a", 2, { seq: { N: "1" } }), "seq"],
    [
      "contains the message of another event",
      { par: { S: "journal-P-a-0" }, num: { N: "2" }, pay: { B: message("a", 1) } },
      "pay",
    ],
    ["has only a key", { par: { S: "journal-P-a-0" }, num: { N: "2" } }, "event"],
    [
      "has lost its payload and serializer",
      {
        par: { S: "journal-P-a-0" },
        num: { N: "2" },
        persistence_id: { S: "a" },
        seq: { N: "2" },
        writer_uuid: { S: "w" },
      },
      "event",
    ],
  ];

  test.each(items)("%s: it is named, and hides no other", async (_name, damaged, attribute) => {
    const { port, journal } = await world(bucketed, [row("a", 1), damaged, row("a", 3), row("a", 4)]);
    const corrupt = {
      code: "JOURNAL_ROW_CORRUPT",
      details: { persistenceId: "a", sequenceNr: 2, attribute },
    };
    await expect(collect(journal.replay("a"))).rejects.toMatchObject(corrupt);
    expect((await collect(journal.replay("a", { from: 3 }))).map(({ payload }) => payload)).toEqual([
      "a:3",
      "a:4",
    ]);
    expect(await journal.highestSequenceNr("a")).toBe(4);
    await expect(copies(port, bucketed, ["a"])).rejects.toMatchObject(corrupt);
    const findings = await collect(verifyJournal(port, bucketed));
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ from, to }) => [from, to])).toEqual([[2, 2]]);
  });

  test.each(items)("%s: at the end of an id it stops appends", async (_name, damaged, attribute) => {
    const { journal } = await world(bucketed, [row("a", 1), damaged]);
    const corrupt = { code: "JOURNAL_ROW_CORRUPT", details: { sequenceNr: 2, attribute } };
    await expect(journal.recover("a")).rejects.toMatchObject(corrupt);
    await expect(journal.highestSequenceNr("a")).rejects.toMatchObject(corrupt);
  });
});

describe("attributes that other programs have added to rows of Akka, with the names of ours", () => {
  const added: Item = {
    ts: { S: "2026-01-01T00:00:00Z" },
    tags: { L: [{ S: "red" }] },
    meta: { S: "{}" },
    crc: { S: "5d41402a" },
    expires: { N: "1700000000" },
    ttl: { N: "1700000000" },
    staged: { BOOL: true },
  };

  test("are ignored, as Akka does", async () => {
    const rows = [1, 2, 3].map((at) => row("a", at, added));
    const { port, journal } = await world(bucketed, rows);
    const expected = [1, 2, 3].map((at) => `a ${at} a:${at}`);
    expect(await payloadsOf(port, bucketed, "a")).toEqual(expected);
    for (const copy of await copies(port, bucketed, ["a"])) expect(copy).toEqual([expected]);
    const findings = await collect(verifyJournal(port, bucketed));
    expect(findings.filter(({ kind }) => kind !== "not-registered")).toEqual([]);
    // Nothing of it is removed.
    await expireEvents(port, bucketed);
    expect(await payloadsOf(port, bucketed, "a")).toEqual(expected);
    const stored = (await itemsOf(port, table)).filter(({ event }) => event !== undefined);
    expect(stored).toEqual(rows);
    await (await journal.recover("a")).append({ payload: "ours" });
    expect(await payloadsOf(port, bucketed, "a")).toEqual([...expected, "a 4 ours"]);
  });

  test("do not hide a snapshot", async () => {
    const { port } = await world(bucketed, []);
    const snapshots: SnapshotsOptions = { table: "snapshots", journalName: "journal" };
    await ensureTable(port, snapshotTableSpec("snapshots"));
    const state = { pay_data: { B: new Uint8Array(Buffer.from("state")) }, ser_id: { N: "20" } };
    const key = { par: { S: "journal-P-a" }, seq: { N: "3" } };
    await port.putItem({
      TableName: "snapshots",
      Item: { ...added, ...key, ts: { N: "1700000000000" }, ...state },
    });
    const store = await openSnapshots(port, snapshots);
    expect(await store.load("a")).toMatchObject({ sequenceNr: 3, state: "state" });
  });
});

test.each(["none", "2.6"] as const)("a purge removes rows that no mark names (akka %s)", async (akka) => {
  const batch = (at: number) => ({ idx: { N: String(at - 51) }, cnt: { N: "699" } });
  // 50 events, and what is left of a batch of 700 that died.
  const rows = [1, 2, 3, 50].map((at) => row("a", at));
  const left = [310, 311, 740].map((at) => row("a", at, batch(at)));
  const { port, journal } = await world({ ...bucketed, akka }, [...rows, ...left, row("a-1", 5)]);
  await journal.purge("a");
  const events = (await itemsOf(port, table)).filter(({ event }) => event !== undefined);
  expect(events).toEqual([row("a-1", 5)]);
});

describe("marks of a plugin that has more shards than the journal is opened with", () => {
  const mark = (kind: "SH" | "SL", shard: number, value: number): Item => ({
    par: { S: `journal-${kind}-a-${shard}` },
    num: { N: "0" },
    seq: { N: String(value) },
  });

  test("are found, and nothing is copied without them", async () => {
    // Of 25 shards; events up to 1,550 are deleted.
    const items = [mark("SH", 9, 900), mark("SH", 15, 1500), mark("SL", 15, 1551)];
    const differs = { code: "JOURNAL_SETTINGS_DIFFER", details: { setting: "sequenceShards" } };
    await expect(world(bucketed, items)).rejects.toMatchObject(differs);
    // The plugin began to write after the journal was opened.
    const { port } = await world(bucketed, []);
    for (const each of items) await port.putItem({ TableName: table, Item: each });
    await expect(copies(port, bucketed, ["a"])).rejects.toMatchObject(differs);
    await expect(collect(exportEvents(port, bucketed))).rejects.toMatchObject(differs);
    const findings = await collect(verifyJournal(port, bucketed));
    const unread = findings.filter(({ kind }) => kind === "mark-unread");
    expect(unread.map(({ from }) => from)).toEqual([1500, 1551]);
    const right = await world({ ...bucketed, sequenceShards: 25 }, items);
    expect(await right.journal.highestSequenceNr("a")).toBe(1550);
  });

  test("do no harm if those that are read say more", async () => {
    const items = [mark("SH", 15, 1500), mark("SH", 6, 1600), row("a", 1601)];
    const { port } = await world(bucketed, items);
    for (const copy of await copies(port, bucketed, ["a"])) expect(copy).toEqual([["a 1601 a:1601"]]);
    const findings = await collect(verifyJournal(port, bucketed));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("items that hold no event, where a plugin or another program keeps one item per event", () => {
  const linear: JournalOptions = { layout: "linear", table, akka: "none" };
  const noEvent: readonly [string, JournalOptions, Item, string][] = [
    ["linear", linear, { pid: { S: "a" }, seq: { N: "1" }, data: { S: "{}" } }, "payload"],
    ["scattered", scattered, { key: { S: "journal-P-a-1" }, data: { S: "{}" } }, "payload"],
    ["bucketed", bucketed, { par: { S: "journal-P-a-0" }, num: { N: "1" }, deleted: { S: "true" } }, "event"],
    [
      "scattered, without its payload",
      scattered,
      { key: { S: "journal-P-a-1" }, deleted: { S: "false" }, confirmations: { SS: ["c"] } },
      "payload",
    ],
  ];

  test.each(noEvent)("are not taken for an empty journal (%s)", async (_name, options, item, attribute) => {
    const { journal } = await world(options, [item]);
    const corrupt = { code: "JOURNAL_ROW_CORRUPT", details: { sequenceNr: 1, attribute } };
    await expect(journal.highestSequenceNr("a")).rejects.toMatchObject(corrupt);
    await expect(collect(journal.replay("a"))).rejects.toMatchObject(corrupt);
    await expect(journal.recover("a")).rejects.toMatchObject(corrupt);
  });

  test.each(noEvent)("can be purged (%s)", async (_name, options, item) => {
    const { port, journal } = await world(options, [item]);
    await journal.purge("a");
    expect((await itemsOf(port, table)).filter((each) => each["layout"] === undefined)).toEqual([]);
  });

  test("at a negative number are no commit records", async () => {
    const other = { pid: { S: "a" }, seq: { N: "-7" }, note: { S: "x" } };
    const event = { pid: { S: "a" }, seq: { N: "1" }, payload: { B: message("a", 1) } };
    const { port } = await world(linear, [other, event]);
    const kinds = (await collect(verifyJournal(port, linear))).map(({ kind }) => kind);
    expect(kinds).toEqual(["not-registered"]);
    expect(await payloadsOf(port, linear, "a")).toEqual(["a 1 a:1"]);
  });

  test("a stub that a soft deletion of the plugin 0.x leaves is none", async () => {
    const key = { key: { S: "journal-P-a-1" } };
    for (const stub of [
      { ...key, deleted: { S: "true" } },
      { ...key, confirmations: { SS: ["c"] } },
    ]) {
      const { journal } = await world(scattered, [stub]);
      expect(await collect(journal.replay("a"))).toEqual([]);
      expect(await journal.highestSequenceNr("a")).toBe(0);
    }
  });
});

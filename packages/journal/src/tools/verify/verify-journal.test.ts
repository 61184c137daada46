import { newWriteId } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { akkaFixtures } from "../../../test/akka-fixtures.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  rowLayouts,
  singles,
} from "../../../test/journal-world.ts";
import { resolveJournalOptions } from "../../context/journal-options.ts";
import { layoutOf } from "../../layouts/layout-of.ts";
import { openJournal } from "../../open-journal.ts";
import { openJournalReader } from "../../open-journal-reader.ts";
import { registrySlot } from "../../protocol/registry.ts";
import type { Finding } from "./finding.ts";
import { type VerifyOptions, verifyJournal } from "./verify-journal.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const table = "events";
/** For replays that wait until a missing row is there. */
const clock = fakeClock();

/** A journal with an id `a` of 250 single events, an atomic write of 3 and a staged one of 120, deleted up to 20. */
async function world(layout: (typeof rowLayouts)[number]) {
  const options = { table, layout, sequenceShards: 10 };
  const port = await engineWith(options);
  open.push(port);
  const journal = await openJournal(port, options);
  await append(journal, "a", singles(1, 150));
  await append(journal, "a", [singles(151, 153), singles(154, 273), ...singles(274, 280)]);
  await journal.deleteTo("a", 20);
  const keys = layoutOf(resolveJournalOptions(options));
  const change = async (sequenceNr: number, changed: (item: Item) => Item) => {
    const Key = keys.eventKey("a", sequenceNr);
    const { Item = {} } = await port.getItem({ TableName: table, Key });
    await port.putItem({ TableName: table, Item: changed(Item) });
  };
  const remove = (sequenceNr: number) =>
    port.deleteItem({ TableName: table, Key: keys.eventKey("a", sequenceNr) });
  return { port, options, journal, keys, change, remove };
}

async function findings(port: DynamoPort, options: object, verify: VerifyOptions = {}) {
  return brief(await collect(verifyJournal(port, options, verify)));
}

function brief(all: readonly Finding[]) {
  return all.map(({ kind, persistenceId, from, to }) => [kind, persistenceId, from, to]);
}

describe.each(rowLayouts)("a journal in the %s layout", (layout) => {
  test("without damage has no findings, whichever way its ids are found", async () => {
    const { port, options } = await world(layout);
    const verification = verifyJournal(port, options);
    expect(await collect(verification)).toEqual([]);
    expect(verification.summary).toEqual({ ids: 1, rows: 280, error: 0, warning: 0, info: 0 });
    expect(await findings(port, options, { persistenceId: "a" })).toEqual([]);
    if (layout !== "scattered") expect(await findings(port, options, { source: "registry" })).toEqual([]);
  });

  test("that was only read is as it was", async () => {
    const { port, options } = await world(layout);
    const before = await itemsOf(port, table);
    await collect(verifyJournal(port, options));
    expect(await itemsOf(port, table)).toEqual(before);
  });

  test("shows every kind of damage to a row, where it is", async () => {
    const { port, options, change, remove } = await world(layout);
    await change(30, (item) => ({ ...item, sum: { B: Uint8Array.of(1, 2, 3, 4) } }));
    await change(40, (item) => ({ ...item, idx: { N: "5" }, cnt: { N: "2" } }));
    await remove(50);
    await remove(51);
    await remove(152);
    await remove(200);
    await change(277, (item) => ({ ...item, tomb: { BOOL: true } }));
    const expected = [
      ["checksum-mismatch", "a", 30, 30],
      ["row-corrupt", "a", 40, 40],
      ["gap", "a", 50, 51],
      ["half-batch", "a", 151, 153],
      ["half-batch", "a", 154, 273],
      ["event-missing", "a", 277, 277],
    ];
    expect(await findings(port, options)).toEqual(expected);
    expect(await findings(port, options, { persistenceId: "a" })).toEqual(expected);
  });

  test.each<[name: string, sequenceNr: number, changed: Item | "no wid"]>([
    ["the first row of an atomic write, with another write id", 151, { wid: { S: "another" } }],
    ["an inner row, with another write id", 152, { wid: { S: "another" } }],
    ["an inner row, without a write id", 152, "no wid"],
    ["the last row, with another length", 153, { cnt: { N: "3" } }],
    ["the first row of a staged write, without a write id", 154, "no wid"],
    ["an inner row of a staged write, with another write id", 200, { wid: { S: "another" } }],
    ["an inner row of a staged write, without a write id", 200, "no wid"],
    ["the last row of a staged write, without a write id", 273, "no wid"],
  ])("shows %s, and no replay leaves it out", async (_name, sequenceNr, changed) => {
    const { port, options, change } = await world(layout);
    // Without the checksum that covers it: rows of version 0.2 have none.
    await change(sequenceNr, ({ wid, sum: _, ...item }) =>
      changed === "no wid" ? item : { ...item, ...(wid && { wid }), ...changed },
    );
    const journal = await openJournalReader(port, { ...options, clock });
    await expect(clock.autoAdvance(() => collect(journal.replay("a")))).rejects.toMatchObject({
      code: "JOURNAL_DAMAGED",
    });
    const all = await collect(verifyJournal(port, options));
    expect(all.filter(({ severity }) => severity === "error")).not.toEqual([]);
  });

  test("shows a payload that its serializer cannot read, if asked to", async () => {
    const { port, options } = await world(layout);
    const other = await openJournal(port, options);
    const writer = await other.recover("b");
    await writer.append({ payload: { serializerId: 18, manifest: "", bytes: Uint8Array.of(1) } });
    expect(await findings(port, options)).toEqual([["payload-unreadable", "b", 1, 1]]);
    expect(await findings(port, options, { decode: false })).toEqual([]);
  });

  test("shows a row that is stored at another's key", async () => {
    const { port, options, keys } = await world(layout);
    const { Item = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 60) });
    await port.putItem({ TableName: table, Item: { ...Item, ...keys.eventKey("a", 281) } });
    await port.putItem({ TableName: table, Item: { ...Item, ...keys.eventKey("c", 1) } });
    const all = await findings(port, options);
    // In the linear layout the number is in the key, and nowhere else.
    const ofOwnId = layout === "linear" ? [] : [["wrong-key", "a", 281, 281]];
    expect(all.filter(([kind]) => kind === "wrong-key")).toEqual([...ofOwnId, ["wrong-key", "c", 1, 1]]);
  });

  test("shows what a staged write left, and what a deletion did", async () => {
    const { port, options, keys, journal } = await world(layout);
    const { Item = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 272) });
    const { sum: _, ...left } = Item;
    const wid = { S: newWriteId() };
    const dead = { ...left, wid, idx: { N: "3" }, cnt: { N: "119" }, seq: { N: "285" } };
    const { Item: live = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 25) });
    await journal.deleteTo("a", 25);
    await port.putItem({ TableName: table, Item: live });
    await port.putItem({ TableName: table, Item: { ...dead, ...keys.eventKey("a", 285) } });
    const { Item: tombstone = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 22) });
    await port.putItem({ TableName: table, Item: { ...tombstone, ttl: { N: "1000" } } });
    const all = await findings(port, options);
    expect(all.filter(([kind]) => kind !== "checksum-mismatch" && kind !== "wrong-key")).toEqual([
      ["staged-rows-left", "a", 285, 285],
      ["deleted-rows-left", "a", 25, 25],
      ["tombstones-left", "a", 22, 22],
    ]);
  });

  test("shows a batch that is staged", async () => {
    const { port, options, keys } = await world(layout);
    await port.updateItem({
      TableName: table,
      Key: keys.writerKey("a"),
      UpdateExpression: "SET stage = :stage",
      ExpressionAttributeValues: {
        ":stage": { M: { wid: { S: "w" }, first: { N: "281" }, last: { N: "420" } } },
      },
    });
    expect(await findings(port, options)).toEqual([["stage-open", "a", 281, 420]]);
  });

  test("finds rows beyond the marks", async () => {
    const { port, options, keys } = await world(layout);
    const { Item = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 280) });
    await port.putItem({ TableName: table, Item: { ...Item, ...keys.eventKey("a", 900) } });
    const kinds = (await findings(port, options)).map(([kind]) => kind);
    expect(kinds).toContain("gap");
    if (layout !== "linear") expect(kinds).toContain("high-mark-missing");
  });
});

describe("marks and the registry", () => {
  test("a mark in the wrong shard and a commit record without its batch are found", async () => {
    const { port, options, keys, journal } = await world("bucketed");
    await append(journal, "b", singles(1, 120));
    await port.putItem({
      TableName: table,
      Item: { par: { S: "journal-SH-b-7" }, num: { N: "0" }, seq: { N: "100" } },
    });
    await port.putItem({
      TableName: table,
      Item: { ...keys.commitKey("b", 50), wid: { S: "gone" }, last: { N: "70" } },
    });
    expect(await findings(port, options)).toEqual([
      ["mark-misplaced", "b", 100, 100],
      ["commit-record-left", "b", 50, 70],
    ]);
  });

  const marks = ["journal-SH-b-1", "journal-SL-b-1", "journal-W-b"];
  const values = [{ S: "100" }, { N: "-5" }, { N: "100.5" }];
  test.each(marks.flatMap((par) => values.map((value) => [par, value] as const)))(
    "the mark %s that is %j is found, and no writer takes its id over",
    async (par, value) => {
      const { port, options, journal } = await world("bucketed");
      await append(journal, "b", singles(1, 120));
      const attribute = par === "journal-W-b" ? "low" : "seq";
      const Item = { par: { S: par }, num: { N: "0" }, [attribute]: value };
      await port.putItem({ TableName: table, Item });
      expect(await findings(port, options)).toContainEqual(["row-corrupt", "b", undefined, undefined]);
      const details = { persistenceId: "b", sequenceNr: 0, attribute, reason: "is not a sequence number" };
      await expect(journal.recover("b")).rejects.toMatchObject({ code: "JOURNAL_ROW_CORRUPT", details });
      await expect(journal.load("b")).rejects.toMatchObject({ code: "JOURNAL_ROW_CORRUPT", details });
      const outcome = await journal.append("b", { payload: 1 });
      expect([outcome.kind, outcome.kind !== "ok" && outcome.error]).toMatchObject(["rejected", { details }]);
      expect(await collect(journal.replay("b"))).toHaveLength(120);
    },
  );

  test("a mark above the integers that are exact is found, and hides no finding of another id", async () => {
    const { port, options, journal } = await world("bucketed");
    await append(journal, "b", singles(1, 2));
    await append(journal, "c", singles(1, 3));
    const mark = { par: { S: "journal-SH-b-1" }, num: { N: "0" }, seq: { N: String(2n ** 60n) } };
    await port.putItem({ TableName: table, Item: mark });
    await port.deleteItem({ TableName: table, Key: { par: { S: "journal-P-c-0" }, num: { N: "2" } } });
    expect(await findings(port, options)).toEqual([
      ["row-corrupt", "b", undefined, undefined],
      ["gap", "c", 2, 2],
    ]);
    await expect(collect(journal.replay("b"))).rejects.toMatchObject({ code: "JOURNAL_SEQUENCE_NR_UNSAFE" });
    expect(await collect(journal.replay("a"))).not.toEqual([]);
  });

  test("an id that is not registered, and one that is twice", async () => {
    const { port, options, keys, journal } = await world("bucketed");
    await append(journal, "b", singles(1, 2));
    const place = (id: string, probe: number) => {
      const at = registrySlot(64, id, probe);
      return keys.registryKey?.(at.shard, at.place) ?? {};
    };
    await port.deleteItem({ TableName: table, Key: place("a", 0) });
    await port.putItem({ TableName: table, Item: { ...place("b", 2), persistence_id: { S: "b" } } });
    expect(await findings(port, options)).toEqual([
      ["not-registered", "a", undefined, undefined],
      ["registered-twice", "b", undefined, undefined],
    ]);
  });
});

test.each([
  ["akka-0.3", []],
  ["akka-1.1", [["high-mark-missing", "p-98", 100, 102]]],
  ["akka-1.1-akka-2.6", [["high-mark-missing", "p-98", 100, 102]]],
  ["akka-1.1-then-1.3", [["original-half-batch", "p-98", 100, 102]]],
  ["akka-1.3", []],
  ["akka-1.3-akka-2.6", []],
  [
    "akka-1.3-faults",
    [
      ["original-half-batch", "half-batch", 6, 65],
      ["old-writer", "lost-100", 101, 101],
      ["hole", "lost-event", 100, 100],
      ["old-writer", "lost-mark", 101, 101],
    ],
  ],
] as const satisfies readonly (readonly [(typeof akkaFixtures)[number], readonly unknown[]])[])(
  "finds in %s what the original did wrong, and nothing else",
  async (fixture, expected) => {
    const port = await engineWithFixture(fixture);
    open.push(port);
    const all = await findings(port, fixtureOptions(fixture));
    expect(all.filter(([kind]) => kind !== "not-registered")).toEqual(expected);
  },
);

test("reports its progress, keeps to its rate, and ends at the signal", async () => {
  const { port, options } = await world("bucketed");
  const told: number[] = [];
  const before = performance.now();
  const rated = verifyJournal(port, options, {
    maxRequestsPerSecond: 100,
    onProgress: ({ events, ids, ofIds }) => told.push(events, ids, ofIds ?? -1),
  });
  expect(await collect(rated)).toEqual([]);
  expect(performance.now() - before).toBeGreaterThan(100);
  expect(told.slice(-3)).toEqual([280, 1, 1]);
  const stop = AbortSignal.abort(new Error("enough"));
  await expect(collect(verifyJournal(port, options, { signal: stop }))).rejects.toMatchObject({
    kind: "aborted",
  });
  expect(() => verifyJournal(port, options, { sauce: "scan" } as never)).toThrow(
    expect.objectContaining({
      code: "JOURNAL_OPTION_INVALID",
      details: expect.objectContaining({ option: "sauce" }),
    }),
  );
});

import { newWriteId } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { fixtureItems } from "../../test/akka-fixtures.ts";
import { builtOnce } from "../../test/built-once.ts";
import { comparable } from "../../test/comparable.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  numbersOf,
  range,
  rowLayouts,
  singles,
} from "../../test/journal-world.ts";
import { resolveJournalOptions } from "../context/journal-options.ts";
import { layoutOf } from "../layouts/layout-of.ts";
import { openJournal } from "../open-journal.ts";
import { registrySlot } from "../protocol/registry.ts";
import { repairJournal } from "./repair-journal.ts";
import { verifyJournal } from "./verify/verify-journal.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const table = "events";

/** Everything that can be fixed, at once. */
async function world(layout: (typeof rowLayouts)[number]) {
  const options = { table, layout, sequenceShards: 10 };
  const port = await engineWith(options);
  const journal = await openJournal(port, options);
  await append(journal, "a", [singles(1, 30), singles(31, 60), singles(61, 120)]);
  await append(journal, "b", singles(1, 3));
  const keys = layoutOf(resolveJournalOptions(options));
  const { Item: deleted = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 5) });
  await journal.deleteTo("a", 10);
  const put = (Item: Item) => port.putItem({ TableName: table, Item });
  await put(deleted);
  const { Item: tombstone = {} } = await port.getItem({ TableName: table, Key: keys.eventKey("a", 3) });
  await put({ ...tombstone, ttl: { N: "1000" } });
  const wid = { S: newWriteId() };
  const dead = { wid, staged: { BOOL: true }, event: { B: Uint8Array.of(1) }, ev_ser_id: { N: "4" } };
  const place = { idx: { N: "2" }, cnt: { N: "4" }, ...keys.eventKey("a", 123) };
  await put({
    ...dead,
    ...place,
    ...(layout !== "linear" && { seq: { N: "123" } }),
    writer_uuid: { S: "w" },
  });
  await port.updateItem({
    TableName: table,
    Key: keys.writerKey("b"),
    UpdateExpression: "SET stage = :stage",
    ExpressionAttributeValues: {
      ":stage": { M: { wid: { S: "w" }, first: { N: "4" }, last: { N: "8" } } },
    },
  });
  if (layout !== "scattered") {
    await put({ ...keys.commitKey("b", 50), wid: { S: "gone" }, last: { N: "70" } });
    const at = (id: string, probe: number) => {
      const { shard, place: number } = registrySlot(64, id, probe);
      return keys.registryKey?.(shard, number) ?? {};
    };
    await port.deleteItem({ TableName: table, Key: at("a", 0) });
    await put({ ...at("b", 3), persistence_id: { S: "b" } });
  }
  if (layout === "bucketed")
    await port.deleteItem({ TableName: table, Key: keys.markKeys("a").high[1] ?? {} });
  return { port, options, journal };
}

const healed = {
  bucketed: [
    ["a", "remove-staged-rows"],
    ["a", "drop-deleted"],
    ["a", "drop-deleted"],
    ["a", "raise-high-mark"],
    ["a", "register"],
    ["b", "clear-stage"],
    ["b", "remove-commit-record"],
    ["b", "unregister-duplicates"],
  ],
  linear: [
    ["a", "remove-staged-rows"],
    ["a", "drop-deleted"],
    ["a", "drop-deleted"],
    ["a", "register"],
    ["b", "clear-stage"],
    ["b", "remove-commit-record"],
    ["b", "unregister-duplicates"],
  ],
  scattered: [
    ["a", "remove-staged-rows"],
    ["a", "drop-deleted"],
    ["a", "drop-deleted"],
    ["b", "clear-stage"],
  ],
};

async function replayed(port: DynamoPort, options: object, id: string): Promise<number[]> {
  return numbersOf(await collect((await openJournal(port, options)).replay(id)));
}

describe.each(rowLayouts)("repair in the %s layout", (layout) => {
  test("lists what it would do, and does nothing", async () => {
    const { port, options } = await world(layout);
    open.push(port);
    const before = await itemsOf(port, table);
    const steps = await collect(repairJournal(port, options));
    expect(steps.map(({ finding }) => [finding.persistenceId, finding.repair.action])).toEqual(
      healed[layout],
    );
    expect(new Set(steps.map(({ status }) => status))).toEqual(new Set(["planned"]));
    expect(await itemsOf(port, table)).toEqual(before);
  });

  test("fixes it, and a second time has nothing to do", async () => {
    const { port, options } = await world(layout);
    open.push(port);
    const steps = await collect(repairJournal(port, options, { apply: true }));
    expect(steps.filter(({ status }) => status === "done").length).toBe(steps.length);
    expect(await collect(verifyJournal(port, options))).toEqual([]);
    const after = await itemsOf(port, table);
    expect(await collect(repairJournal(port, options, { apply: true }))).toEqual([]);
    expect(await itemsOf(port, table)).toEqual(after);
    expect(await replayed(port, options, "a")).toEqual(range(11, 120));
    expect(await replayed(port, options, "b")).toEqual(range(1, 3));
  });
});

test("may stop anywhere: nothing is lost, and the next run ends it", async () => {
  const setup = builtOnce(() => world("bucketed"));
  const report = await stopAfterNth({
    setup,
    run: (port, { options }) => collect(repairJournal(port, options, { apply: true })),
    async check({ port, options }) {
      expect(await replayed(port, options, "a")).toEqual(range(11, 120));
      expect(await replayed(port, options, "b")).toEqual(range(1, 3));
      await collect(repairJournal(port, options, { apply: true }));
      expect(await collect(verifyJournal(port, options))).toEqual([]);
      expect(await replayed(port, options, "a")).toEqual(range(11, 120));
    },
  });
  expect(report.requests).toBeGreaterThan(20);
});

test("fixes the victim of the bug that lost high marks: then the original finds its events too", async () => {
  const port = await engineWithFixture("akka-1.1");
  open.push(port);
  const options = fixtureOptions("akka-1.1");
  await collect(repairJournal(port, options, { apply: true, persistenceId: "p-98" }));
  // What the original reads: the marks, and the bucket that the highest of them names.
  const { Item } = await port.getItem({
    TableName: "akka-1.1",
    Key: { par: { S: "journal-SH-p-98-1" }, num: { N: "0" } },
  });
  expect(Item?.["seq"]).toEqual({ N: "100" });
  const findings = await collect(verifyJournal(port, options, { persistenceId: "p-98" }));
  expect(findings).toEqual([]);
  // Of the original's own rows none is changed.
  const textOf = (item: Item) => JSON.stringify(comparable(Object.entries(item).sort()));
  const after = new Set((await itemsOf(port, "akka-1.1")).map(textOf));
  expect(fixtureItems("akka-1.1", "journal").filter((item) => !after.has(textOf(item)))).toEqual([]);
});

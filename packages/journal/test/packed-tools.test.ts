import { newWriteId } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { resolveJournalOptions } from "../src/context/journal-options.ts";
import { openJournal, openJournalReader } from "../src/index.ts";
import { layoutOf } from "../src/layouts/layout-of.ts";
import { discoverJournals, journalStats, repairJournal, verifyJournal } from "../src/tools/index.ts";
import { append, collect, engineWith, numbersOf, range, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const options = { table: "events", layout: "packed" } as const;
const keys = layoutOf(resolveJournalOptions(options));

/** An id `a`: single events 1 to 10, atomic writes of 11 to 20 and of 21 to 30, deleted up to 15. */
async function world() {
  const port = await engineWith(options);
  open.push(port);
  const journal = await openJournal(port, options);
  await append(journal, "a", [...singles(1, 10), singles(11, 20), singles(21, 30)]);
  await journal.deleteTo("a", 15);
  const itemAt = async (number: number): Promise<Item> =>
    (await port.getItem({ TableName: "events", Key: keys.eventKey("a", number) })).Item ?? {};
  const put = (item: Item) => port.putItem({ TableName: "events", Item: item });
  return { port, journal, itemAt, put };
}

async function findings(port: DynamoPort) {
  const all = await collect(verifyJournal(port, options));
  return all.map(({ kind, persistenceId, from, to }) => [kind, persistenceId, from, to]);
}

describe("a packed journal", () => {
  test("without damage has no findings, even where a deletion cuts an item", async () => {
    const { port } = await world();
    const verification = verifyJournal(port, options);
    expect(await collect(verification)).toEqual([]);
    expect(verification.summary).toEqual({ ids: 1, rows: 30, error: 0, warning: 0, info: 0 });
  });

  test("keeps nothing of deleted events in the item that a deletion cuts", async () => {
    const { itemAt, journal } = await world();
    const before = (await itemAt(21))["ev"]?.B?.length ?? 0;
    const cut = await itemAt(11);
    expect(cut).toMatchObject({ events: { N: "10" }, from: { N: "16" } });
    expect(cut["ev"]?.B?.length).toBeLessThan(0.6 * before);
    await journal.deleteTo("a", 18);
    expect(await itemAt(11)).toMatchObject({ events: { N: "10" }, from: { N: "19" } });
    await journal.deleteTo("a", 20);
    expect(await itemAt(11)).toMatchObject({ tomb: { BOOL: true }, last: { N: "20" } });
    expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(21, 30));
  });

  test("shows an item that is damaged, missing, or at another's key", async () => {
    const { port, journal, itemAt, put } = await world();
    await append(journal, "a", [singles(31, 35), singles(36, 40)]);
    const moved = await itemAt(31);
    await put({ ...(await itemAt(21)), crc: { B: Uint8Array.of(1, 2, 3, 4) } });
    await port.deleteItem({ TableName: "events", Key: keys.eventKey("a", 31) });
    await put({ ...moved, ...keys.eventKey("b", 31) });
    expect(await findings(port)).toEqual([
      ["row-corrupt", "a", 21, 30],
      ["gap", "a", 31, 35],
      ["row-corrupt", "b", 31, 35],
    ]);
    await expect(collect(journal.replay("a"))).rejects.toMatchObject({
      code: "JOURNAL_ITEM_CORRUPT",
      details: { persistenceId: "a", sequenceNr: 21 },
    });
  });

  test("is repaired after a deletion that was cut short, and of what a staged write left", async () => {
    const { port, journal, itemAt, put } = await world();
    const whole = await itemAt(21);
    await journal.deleteTo("a", 25);
    await put(whole);
    await port.updateItem({
      TableName: "events",
      Key: keys.writerKey("a"),
      UpdateExpression: "SET stage = :stage",
      ExpressionAttributeValues: {
        ":stage": { M: { wid: { S: newWriteId() }, first: { N: "31" }, last: { N: "40" } } },
      },
    });
    const steps = await collect(repairJournal(port, options, { apply: true }));
    expect(steps.map(({ finding, status }) => [finding.kind, status])).toEqual([
      ["deleted-rows-left", "done"],
      ["stage-open", "done"],
    ]);
    expect(await findings(port)).toEqual([]);
    expect(await itemAt(21)).toMatchObject({ from: { N: "26" } });
    expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(26, 30));
  });

  test("counts its events, not its items", async () => {
    const { port } = await world();
    expect(await journalStats(port, options)).toMatchObject({
      ids: 1,
      events: 15,
      tombstones: 10,
      writerItems: 1,
      registered: 1,
      byFormat: { packed: 15 },
      longest: { persistenceId: "a", events: 15 },
    });
  });
});

describe("a packed journal whose layout is not named", () => {
  test("is opened as it is, to read and to write, and found", async () => {
    const { port } = await world();
    const journal = await openJournal(port, { table: "events" });
    await append(journal, "a", [singles(31, 33)]);
    const reader = await openJournalReader(port, { table: "events" });
    expect(numbersOf(await collect(reader.replay("a")))).toEqual(range(16, 33));
    expect(await collect(verifyJournal(port, { table: "events" }))).toEqual([]);
    expect(await discoverJournals(port)).toMatchObject({ journals: [{ table: "events", layout: "packed" }] });
    await expect(openJournal(port, { table: "events", layout: "bucketed" })).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "layout", stored: "packed", given: "bucketed" },
    });
  });

  test("is not made in a table where an Akka plugin has written under the same name", async () => {
    const port = await engineWith(options);
    open.push(port);
    const row = { par: { S: "journal-P-a-0" }, num: { N: "1" }, event: { B: Uint8Array.of(1) } };
    await port.putItem({ TableName: "events", Item: row });
    await expect(openJournal(port, options)).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "layout", stored: "bucketed", given: "packed" },
    });
    await openJournal(port, { table: "events", akka: "2.6" });
  });
});

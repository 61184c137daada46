import { createTableInput } from "@tablekeep/client";
import { DynamoError, type DynamoPort, type Item, wrapPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { afterEach, describe, expect, test } from "vitest";
import {
  type JournalOptions,
  loadTail,
  openJournal,
  openJournalReader,
  openSnapshots,
  snapshotTableSpec,
} from "../src/index.ts";
import { discoverJournals, verifyJournal } from "../src/tools/index.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  itemsOf,
  numbersOf,
  range,
  singles,
} from "./journal-world.ts";

const table = "events";
const record = { par: { S: "journal-M" }, num: { N: "0" } };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function emptyTable(): Promise<Engine> {
  const port = await engineWith({ table });
  open.push(port);
  return port;
}

/** A table with a journal whose record is lost. */
async function withoutRecord(options: JournalOptions, id = "cart-1", events = 3): Promise<Engine> {
  const port = await emptyTable();
  await append(await openJournal(port, { table, ...options }), id, singles(1, events));
  await port.deleteItem({ TableName: table, Key: record });
  return port;
}

async function storedLayout(port: DynamoPort, name = "journal"): Promise<string | undefined> {
  const Key = { ...record, par: { S: `${name}-M` } };
  return (await port.getItem({ TableName: table, Key })).Item?.["layout"]?.S;
}

async function events(port: DynamoPort, id = "cart-1"): Promise<number[]> {
  return numbersOf(await collect((await openJournalReader(port, { table })).replay(id)));
}

describe("a journal that is opened without a layout", () => {
  test("is packed in an empty table, for writers and for readers", async () => {
    const port = await emptyTable();
    const reader = await openJournalReader(port, { table });
    const journal = await openJournal(port, { table });
    expect([reader.layout, journal.layout, await storedLayout(port)]).toEqual(["packed", "packed", "packed"]);
    await append(journal, "cart-1", singles(1, 3));
    expect(numbersOf(await collect(reader.replay("cart-1")))).toEqual([1, 2, 3]);
  });

  test.each([{ akka: "2.5" }, { akka: "2.6" }, { format: "pay" }, { format: "message" }] as const)(
    "is bucketed with an option for Akka: %j",
    async (options) => {
      const port = await emptyTable();
      const journal = await openJournal(port, { table, ...options });
      expect([journal.layout, await storedLayout(port)]).toEqual(["bucketed", "bucketed"]);
      await expect(openJournal(port, { table, layout: "packed", ...options })).rejects.toMatchObject({
        code: "JOURNAL_OPTION_INVALID",
        details: { option: Object.keys(options)[0] },
      });
    },
  );

  test.each(["packed", "bucketed"] as const)("stays %s if its record says so", async (layout) => {
    const port = await emptyTable();
    await append(await openJournal(port, { table, layout }), "cart-1", singles(1, 3));
    const journal = await openJournal(port, { table });
    expect(journal.layout).toBe(layout);
    await append(journal, "cart-1", singles(4, 5));
    expect(await events(port)).toEqual(range(1, 5));
  });

  test("is bucketed in a table of Akka, whose rows are not changed", async () => {
    const port = await engineWithFixture("akka-1.3");
    open.push(port);
    const before = await itemsOf(port, "akka-1.3");
    const reader = await openJournalReader(port, { table: "akka-1.3" });
    expect(reader.layout).toBe("bucketed");
    expect(await reader.highestSequenceNr("p-1")).toBe(250);
    const verification = verifyJournal(port, { table: "akka-1.3" }, { persistenceId: "p-1" });
    for await (const _finding of verification);
    expect(verification.summary.rows).toBe(250);
    expect(await itemsOf(port, "akka-1.3")).toEqual(before);
    const journal = await openJournal(port, { table: "akka-1.3" });
    expect(journal.layout).toBe("bucketed");
    expect(numbersOf(await collect(journal.replay("p-1")))).toEqual(range(1, 250));
  });

  test.each([
    ["packed", {}],
    ["packed", { maxItemSize: 600 }],
    ["packed", { fencing: "strict" }],
    ["bucketed", { akka: "none" }],
    ["bucketed", { akka: "none", format: "pay" }],
  ] as const)("is %s again after its record was lost (%j)", async (layout, options) => {
    // As keys of the bucketed layout these are event 101 and following of id `cart`.
    const port = await withoutRecord({ layout, ...options });
    expect(await events(port)).toEqual([1, 2, 3]);
    expect((await discoverJournals(port)).journals).toEqual([{ table, layout }]);
    const journal = await openJournal(port, { table, ...("fencing" in options && options) });
    expect([journal.layout, await storedLayout(port)]).toEqual([layout, layout]);
    expect(numbersOf(await collect(journal.replay("cart-1")))).toEqual([1, 2, 3]);
  });

  test("is bucketed after its record was lost and its events were deleted", async () => {
    const port = await emptyTable();
    const journal = await openJournal(port, { table, layout: "bucketed" });
    await append(journal, "cart-1", singles(1, 3));
    await journal.deleteTo("cart-1", 3);
    await port.deleteItem({ TableName: table, Key: record });
    const again = await openJournal(port, { table });
    expect([again.layout, await again.highestSequenceNr("cart-1")]).toEqual(["bucketed", 3]);
  });

  test("is packed beside a bucketed journal of another name, and beside items of other programs", async () => {
    const port = await emptyTable();
    await append(
      await openJournal(port, { table, layout: "bucketed", journalName: "other" }),
      "cart-1",
      singles(1, 3),
    );
    await port.putItem({ TableName: table, Item: { par: { S: "somebody" }, num: { N: "1" } } });
    expect((await openJournal(port, { table })).layout).toBe("packed");
    expect(await storedLayout(port, "other")).toBe("bucketed");
    expect((await openJournal(port, { table, journalName: "other" })).layout).toBe("bucketed");
  });

  test("needs one where others fill the sample, and only the first time", async () => {
    const port = await emptyTable();
    const other = await openJournal(port, { table, layout: "bucketed", journalName: "other" });
    await append(other, "cart-1", singles(1, 150));
    const undecided = { code: "JOURNAL_OPTION_INVALID", details: { option: "layout" } };
    await expect(openJournal(port, { table })).rejects.toMatchObject(undecided);
    await expect(openJournal(port, { table, akka: "none" })).rejects.toMatchObject(undecided);
    // Only an Akka plugin writes no record.
    expect((await openJournalReader(port, { table })).layout).toBe("bucketed");
    expect((await openJournal(port, { table, layout: "packed" })).layout).toBe("packed");
    expect((await openJournal(port, { table })).layout).toBe("packed");
    expect((await openJournalReader(port, { table })).layout).toBe("packed");
  });

  test("needs one where the table may not be scanned", async () => {
    const port = await emptyTable();
    const denied = wrapPort(port, (operation, input, call, next) => {
      if (operation === "Scan")
        throw new DynamoError({ exception: "AccessDeniedException", serviceMessage: "no scans", operation });
      return next(operation, input, call);
    });
    await expect(openJournal(denied, { table })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
      details: { option: "layout" },
    });
    expect((await openJournalReader(denied, { table })).layout).toBe("bucketed");
    await openJournal(denied, { table, layout: "packed" });
    expect((await openJournal(denied, { table })).layout).toBe("packed");
  });
});

describe("a layout that does not fit the items of a journal without a record", () => {
  test.each([
    ["packed", "bucketed"],
    ["bucketed", "packed"],
  ] as const)("is rejected: %s items, %s given", async (stored, given) => {
    const port = await withoutRecord({ layout: stored, akka: "none" });
    const before = await itemsOf(port, table);
    await expect(openJournal(port, { table, layout: given })).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "layout", stored, given },
    });
    expect(await itemsOf(port, table)).toEqual(before);
  });

  test("must be given if there are items of both", async () => {
    const port = await withoutRecord({ layout: "bucketed", akka: "none" });
    const Item: Item = { par: { S: "journal-P-b" }, num: { N: "1" }, ev: { B: Uint8Array.of(1) } };
    await port.putItem({ TableName: table, Item });
    await expect(openJournal(port, { table })).rejects.toMatchObject({ details: { option: "layout" } });
  });
});

describe("snapshots of a journal", () => {
  test.each([
    ["packed", true],
    ["bucketed", false],
    ["linear", false],
    ["scattered", false],
  ] as const)("are stored where its layout says: %s", async (layout, isBeside) => {
    const port = await engineWith({ table, layout });
    open.push(port);
    await port.createTable(createTableInput(snapshotTableSpec()));
    const options = { table, layout, fencing: "strict" } as const;
    const journal = await openJournal(port, options);
    const names = layout === "packed" || layout === "bucketed" ? [{ table }] : [];
    const given = [journal, await openJournalReader(port, options), options, ...names];
    for (const [at, each] of given.entries()) {
      const snapshots = await openSnapshots(port, { journal: each });
      await snapshots.save("a", at + 1, at);
      expect(await snapshots.load("a")).toMatchObject({ sequenceNr: at + 1, state: at });
    }
    const own = (await itemsOf(port, "snapshots")).length;
    expect(own).toBe(isBeside ? 0 : given.length);
    if (isBeside)
      expect((await loadTail(journal, await openSnapshots(port, { journal }), "a"))?.snapshot).toBeDefined();
    // A named table is used.
    await (await openSnapshots(port, { journal, table: "snapshots" })).save("b", 1, "state");
    expect(await itemsOf(port, "snapshots")).toHaveLength(own + 1);
  });

  test("send nothing to be opened if the layout is known", async () => {
    const port = await emptyTable();
    const journal = await openJournal(port, { table });
    const nothing = wrapPort(port, () => expect.fail("a request was sent"));
    await openSnapshots(nothing, { journal });
    await openSnapshots(nothing, { journal: { layout: "packed" } });
    await openSnapshots(nothing, { journal: { akka: "2.6" } });
    await openSnapshots(nothing, { journal: {}, table: "snapshots" });
    await openSnapshots(nothing);
  });
});

describe("several openers of one new journal", () => {
  test("of which some have another default end with one layout", async () => {
    const port = await emptyTable();
    const journals = await Promise.allSettled(
      [undefined, "bucketed", undefined, "packed", "bucketed", undefined].map((layout) =>
        openJournal(port, { table, layout: layout as JournalOptions["layout"] }),
      ),
    );
    const stored = await storedLayout(port);
    for (const each of journals) {
      if (each.status === "fulfilled") expect(each.value.layout).toBe(stored);
      else expect(each.reason).toMatchObject({ code: "JOURNAL_SETTINGS_DIFFER", details: { stored } });
    }
    expect(journals.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(4);
  });

  test.each(["GetItem", "Scan", "PutItem"])(
    "one of which writes its record and an event before the other's %s, use its layout",
    async (before) => {
      for (const layout of ["packed", "bucketed"] as const) {
        const port = await emptyTable();
        let isLate = false;
        const late = wrapPort(port, async (operation, input, call, next) => {
          if (operation === before && !isLate) {
            isLate = true;
            await append(await openJournal(port, { table, layout }), "cart-1", singles(1, 2));
          }
          return next(operation, input, call);
        });
        const journal = await openJournal(late, { table });
        expect([isLate, journal.layout]).toEqual([true, layout]);
        await append(journal, "cart-1", singles(3, 3));
        expect(await events(port)).toEqual([1, 2, 3]);
      }
    },
  );
});

test.each([
  [{ pid: "S", seq: "N" }, "linear"],
  [{ key: "S" }, "scattered"],
  [{ user: "S", at: "N" }, "linear"],
  [{ par: "S", num: "S" }, "par (S) and num (S)"],
  [{ pid: "S", seq_nr: "N" }, "pid (S) and seq_nr (N)"],
  [{ id: "S" }, "id (S)"],
] as const)("a table with the key %j is rejected with what it may be", async (keys, stored) => {
  const port = await engineWith();
  open.push(port);
  const [partition, sort] = Object.entries(keys) as [string, "S" | "N"][];
  await port.createTable(
    createTableInput({
      name: table,
      partitionKey: { name: partition?.[0] ?? "", type: "S" },
      ...(sort && { sortKey: { name: sort[0], type: sort[1] } }),
    }),
  );
  const expected = {
    code: "JOURNAL_SETTINGS_DIFFER",
    details: { setting: "layout", stored, given: "packed" },
  };
  await expect(openJournal(port, { table })).rejects.toMatchObject(expected);
  await expect(openJournalReader(port, { table })).rejects.toMatchObject(expected);
  const snapshots = await openSnapshots(port, { table });
  for (const call of [snapshots.load("a"), snapshots.deleteMany("a"), collect(snapshots.list("a"))])
    await expect(call).rejects.toMatchObject({
      code: "JOURNAL_SETTINGS_DIFFER",
      details: { setting: "table", given: "par (S) and seq (N)" },
    });
});

test("snapshots are rejected by the table of a packed journal, unless the journal is given", async () => {
  const port = await emptyTable();
  const snapshots = await openSnapshots(port, { table });
  await expect(snapshots.save("a", 1, "state")).rejects.toMatchObject({
    code: "JOURNAL_SETTINGS_DIFFER",
    details: { setting: "table", stored: "par (S) and num (N)" },
  });
  const beside = await openSnapshots(port, { journal: await openJournal(port, { table }) });
  await beside.save("a", 1, "state");
  expect(await beside.load("a")).toMatchObject({ state: "state" });
});

test("a linear table with key names of its own opens with them", async () => {
  const keyNames = { persistenceId: "user", sequenceNr: "at" };
  const port = await engineWith({ table, layout: "linear", keyNames });
  open.push(port);
  await expect(openJournal(port, { table, layout: "linear" })).rejects.toMatchObject({
    code: "JOURNAL_SETTINGS_DIFFER",
    details: { setting: "layout", stored: "linear", given: "linear" },
  });
  expect((await openJournal(port, { table, layout: "linear", keyNames })).layout).toBe("linear");
});

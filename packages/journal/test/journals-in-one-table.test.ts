import { afterEach, describe, expect, test } from "vitest";
import { type JournalOptions, openJournal } from "../src/index.ts";
import { append, collect, engineWith, layouts, numbersOf, range, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function tableOf(options: JournalOptions) {
  const port = await engineWith({ table: "shared", ...options });
  open.push(port);
  return (more: JournalOptions) => openJournal(port, { table: "shared", ...options, ...more });
}

describe.each(layouts)("%s: journals in one table", (layout) => {
  const options = { layout, sequenceShards: 3 };

  test("whose names differ have separate ids", async () => {
    const journalNamed = await tableOf({ ...options, akka: "none" });
    const names = ["a", "a-b", "b", "x-M"];
    for (const [at, journalName] of names.entries()) {
      const journal = await journalNamed({ journalName });
      // Ids that look like keys of the others.
      for (const id of ["c", "b-P-c", "b-c", "a-P-c", "-P-"]) await append(journal, id, singles(1, 100 + at));
      await journal.deleteTo("c", 5 + at);
    }
    for (const [at, journalName] of names.entries()) {
      const journal = await journalNamed({ journalName });
      expect(numbersOf(await collect(journal.replay("b-P-c")))).toEqual(range(1, 100 + at));
      expect(numbersOf(await collect(journal.replay("c")))).toEqual(range(6 + at, 100 + at));
      expect(await journal.highestSequenceNr("c")).toBe(100 + at);
      const ids = (await collect(journal.currentPersistenceIds())).map(({ persistenceId }) => persistenceId);
      expect(ids.sort()).toEqual(["-P-", "a-P-c", "b-P-c", "b-c", "c"]);
    }
  });

  test.each(["a-P-b", "a-P", "-P-", "a-SH-b", "a-SL", "a-W-b", "a-C", "a-R-1", "P", "P-a", "SH", "W-x"])(
    "are rejected if their keys could be those of another: %s",
    async (journalName) => {
      const journalNamed = await tableOf(options);
      await expect(journalNamed({ journalName })).rejects.toMatchObject({
        code: "JOURNAL_OPTION_INVALID",
        details: { option: "journalName" },
      });
    },
  );
});

describe("a journal without a name, whose ids could be keys of one with a name,", () => {
  const options = { layout: "linear" } as const;
  const refusal = { code: "JOURNAL_SETTINGS_DIFFER", details: { setting: "journalName" } };

  test("lets none with a name into its table", async () => {
    const journalNamed = await tableOf(options);
    const journal = await journalNamed({});
    await append(journal, "a-P-b", singles(1, 3));
    await expect(journalNamed({ journalName: "a" })).rejects.toMatchObject(refusal);
    await expect(journalNamed({})).resolves.toBeDefined();
  });

  test("does not come into the table of others", async () => {
    const journalNamed = await tableOf(options);
    for (const journalName of ["a", "b", "a"]) await journalNamed({ journalName });
    await expect(journalNamed({})).rejects.toMatchObject(refusal);
  });

  test("is there, or the others are, when all are opened at once", async () => {
    const journalNamed = await tableOf(options);
    const names = ["", "a", "b", "", "a"];
    const opened = await Promise.allSettled(names.map((journalName) => journalNamed({ journalName })));
    const there = names.filter((_name, at) => opened[at]?.status === "fulfilled");
    expect([
      ["", ""],
      ["a", "b", "a"],
    ]).toContainEqual(there);
  });

  test("does not come into a table of the bucketed layout", async () => {
    const journalNamed = await tableOf({ layout: "bucketed" });
    const keyNames = { persistenceId: "par", sequenceNr: "num" };
    await expect(journalNamed({ layout: "linear", keyNames })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
      details: { option: "journalName" },
    });
  });
});

test("of one name in one table there is one journal, whatever its layout", async () => {
  const journalNamed = await tableOf({ layout: "bucketed" });
  const linear = { layout: "linear", keyNames: { persistenceId: "par", sequenceNr: "num" } } as const;
  await append(await journalNamed({ journalName: "a" }), "x-0", singles(1, 3));
  await expect(journalNamed({ ...linear, journalName: "a" })).rejects.toMatchObject({
    code: "JOURNAL_SETTINGS_DIFFER",
    details: { setting: "layout", stored: "bucketed", given: "linear" },
  });
  const other = await journalNamed({ ...linear, journalName: "b" });
  await append(other, "x-0", singles(1, 5));
  expect(numbersOf(await collect(other.replay("x-0")))).toEqual(range(1, 5));
  const first = await journalNamed({ journalName: "a" });
  expect(numbersOf(await collect(first.replay("x-0")))).toEqual(range(1, 3));
});

import { type DynamoPort, type Item, type ScanInput, wrapPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import {
  isJournalError,
  type Journal,
  type JournalReader,
  listIds,
  openJournal,
  openJournalReader,
} from "../src/index.ts";
import { akkaFixtures } from "./akka-fixtures.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  singles,
} from "./journal-world.ts";

type IdReader = Pick<Journal, "currentPersistenceIds">;

/** The ids of the rows in a table of the original, by the text of their keys. */
function idsInKeys(items: readonly Item[]): string[] {
  const keys = items.map((item) => item["par"]?.S ?? item["key"]?.S ?? "");
  const ids = keys.flatMap((key) => /^[^-]+-P-(.*)-\d+$/s.exec(key)?.[1] ?? []);
  return [...new Set(ids)].sort();
}

/** A port whose scans return few items, with the operations that were sent. */
function shortScans(port: DynamoPort, Limit: number): { port: DynamoPort; sent: string[] } {
  const sent: string[] = [];
  const short = wrapPort(port, (operation, input, call, next) => {
    sent.push(operation);
    return next(operation, operation === "Scan" ? { ...(input as ScanInput), Limit } : input, call);
  });
  return { port: short, sent };
}

async function idsOf(journal: IdReader): Promise<string[]> {
  return (await collect(journal.currentPersistenceIds())).map(({ persistenceId }) => persistenceId);
}

/** The ids of all pages, one page after the other. */
async function idsByPages(journal: IdReader, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined, pages = 0; pages < 10_000; pages++) {
    const page = await listIds(journal, { limit, ...(after !== undefined && { after }) });
    expect(page.isScan).toBe(true);
    ids.push(...page.ids.map(({ persistenceId }) => persistenceId));
    after = page.next;
    if (after === undefined) return ids;
  }
  throw new Error("the pages do not end");
}

describe.each(akkaFixtures)("an unchanged table of %s", (fixture) => {
  test.each([11, 1000])("lists every id once, in scans of %d items", async (limit) => {
    await using engine = await engineWithFixture(fixture);
    const expected = idsInKeys(await itemsOf(engine, fixtureOptions(fixture).table ?? ""));
    expect(expected.length).toBeGreaterThan(3);
    const reader: JournalReader = await openJournalReader(
      shortScans(engine, limit).port,
      fixtureOptions(fixture),
    );
    expect((await idsOf(reader)).sort()).toEqual(expected);
    for (const size of [2, 100]) expect((await idsByPages(reader, size)).sort()).toEqual(expected);
  });

  test("lists the ids of both once it is written to", async () => {
    await using engine = await engineWithFixture(fixture);
    const options = fixtureOptions(fixture);
    const before = idsInKeys(await itemsOf(engine, options.table ?? ""));
    const journal = await openJournal(engine, { ...options, akka: "none" });
    await append(journal, "own", singles(1, 2));
    const expected = [...before, "own"].sort();
    expect((await idsOf(journal)).sort()).toEqual(expected);
    expect((await idsByPages(journal, 2)).sort()).toEqual(expected);
    const again = await openJournalReader(engine, { ...options, akka: "none" });
    expect((await idsOf(again)).sort()).toEqual(expected);
  });
});

test("ids of many buckets, whose first events are deleted, are listed once", async () => {
  const options = { layout: "bucketed", table: "events", akka: "2.6" } as const;
  await using engine = await engineWith(options);
  const journal = await openJournal(engine, options);
  const bytes = (from: number, to: number) =>
    singles(from, to).map((event) => ({ ...event, payload: Uint8Array.of(1) }));
  for (const id of ["a", "a-1", "b", "c"]) await append(journal, id, bytes(1, 320));
  await journal.deleteTo("b", 150);
  await journal.deleteTo("c", 99);
  const { port } = shortScans(engine, 37);
  const reader = await openJournalReader(port, options);
  expect((await idsOf(reader)).sort()).toEqual(["a", "a-1", "b", "c"]);
  expect((await idsByPages(reader, 1)).sort()).toEqual(["a", "a-1", "b", "c"]);
});

test.each(["packed", "bucketed", "linear"] as const)(
  "%s: a journal that only this program writes reads its registry, and never scans",
  async (layout) => {
    await using engine = await engineWith({ layout, table: "events" });
    const { port, sent } = shortScans(engine, 3);
    const journal = await openJournal(port, { layout, table: "events", akka: "none" });
    for (const id of ["a", "b", "c"]) await append(journal, id, singles(1, 3));
    for (const opened of [journal, await openJournal(port, { layout, table: "events" })]) {
      sent.length = 0;
      expect((await idsOf(opened)).sort()).toEqual(["a", "b", "c"]);
      const { ids, next, isScan } = await listIds(opened, { prefix: "b" });
      expect([ids.map(({ persistenceId }) => persistenceId), next, isScan]).toEqual([
        ["b"],
        undefined,
        false,
      ]);
      expect(sent).not.toContain("Scan");
    }
  },
);

test("a page without a match ends after a bounded number of scans, with a place to continue", async () => {
  const options = { layout: "bucketed", table: "events", akka: "2.6" } as const;
  await using engine = await engineWith(options);
  const journal = await openJournal(engine, options);
  await append(
    journal,
    "a",
    singles(1, 90).map((event) => ({ ...event, payload: Uint8Array.of(1) })),
  );
  const { port, sent } = shortScans(engine, 5);
  const reader = await openJournalReader(port, options);
  sent.length = 0;
  const first = await listIds(reader, { prefix: "x" });
  expect(first).toMatchObject({ ids: [], next: expect.any(String), isScan: true });
  expect(sent.filter((operation) => operation === "Scan")).toHaveLength(8);
});

test("a cursor of another source or table is rejected", async () => {
  const options = { layout: "bucketed", table: "events", akka: "2.6" } as const;
  await using engine = await engineWith(options);
  const journal = await openJournal(engine, options);
  for (const after of ["3.17", "x", "AQ"]) {
    const failure = await listIds(journal, { after }).catch((error: unknown) => error);
    expect(isJournalError(failure, "JOURNAL_OPTION_INVALID")).toBe(true);
    expect(failure).toMatchObject({ details: { option: "after" } });
  }
  const wrapped = { currentPersistenceIds: journal.currentPersistenceIds };
  await expect(listIds(wrapped)).rejects.toMatchObject({ details: { option: "journal" } });
});

import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { openJournalChanges } from "../src/changes/index.ts";
import { openKeyStore } from "../src/encryption/index.ts";
import { journalTableSpec, openJournal, openJournalReader, openSnapshots } from "../src/index.ts";
import {
  compactJournal,
  discoverJournal,
  discoverJournals,
  expireEvents,
  exportEvents,
  importEvents,
  journalStats,
  migrateJournal,
  openScatteredMessages,
  readExported,
  readStoredSettings,
  repairJournal,
  verifyJournal,
} from "../src/tools/index.ts";

type Engine = Awaited<ReturnType<typeof openEngine>>;

let port: Engine;
beforeAll(async () => {
  port = await openEngine({ storage: { kind: "memory" } });
  for (const table of ["events", "copies"]) await ensureTable(port, journalTableSpec({ table }));
  return () => port.close();
});

async function drain(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _each of list);
}

const invalid = (option: string) => ({ code: "JOURNAL_OPTION_INVALID", details: { option } });

/** Every function whose first parameter is a port. */
const opens: Record<string, (given: Engine) => unknown> = {
  openJournal: (given) => openJournal(given),
  openJournalReader: (given) => openJournalReader(given),
  openJournalChanges: (given) => openJournalChanges(given),
  openSnapshots: (given) => openSnapshots(given),
  openKeyStore: (given) => openKeyStore(given),
  openScatteredMessages: (given) => openScatteredMessages(given),
  readStoredSettings: (given) => readStoredSettings(given),
  discoverJournals: (given) => discoverJournals(given),
  discoverJournal: (given) => discoverJournal(given, "events"),
  compactJournal: (given) => compactJournal(given),
  expireEvents: (given) => expireEvents(given),
  exportEvents: (given) => drain(exportEvents(given)),
  importEvents: (given) => importEvents(given, []),
  journalStats: (given) => journalStats(given),
  repairJournal: (given) => drain(repairJournal(given)),
  verifyJournal: (given) => drain(verifyJournal(given)),
};

describe.each(Object.entries(opens))("%s", (_name, open) => {
  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a string", "http://127.0.0.1:8000"],
    ["an object of something else", { send: () => {} }],
    ["a promise that was not awaited", Promise.resolve({})],
  ])("rejects %s in place of a port", async (_what, given) => {
    const call = async () => open(given as never);
    await expect(call()).rejects.toMatchObject(invalid("port"));
  });
});

describe("migrateJournal", () => {
  const migrate = (options: unknown) => migrateJournal(options as never);
  const to = () => ({ port, journal: { table: "copies" } });

  test("rejects a place that is missing or has no port", async () => {
    await expect(migrate({})).rejects.toMatchObject(invalid("from"));
    await expect(migrate({ from: null, to: to() })).rejects.toMatchObject(invalid("from"));
    await expect(migrate({ from: {}, to: to() })).rejects.toMatchObject(invalid("from.port"));
    await expect(migrate({ from: { port } })).rejects.toMatchObject(invalid("to"));
    await expect(migrate({ from: { port }, to: { port: {} } })).rejects.toMatchObject(invalid("to.port"));
    await expect(migrate({ from: { port, table: "events" }, to: to() })).rejects.toMatchObject(
      invalid("from.table"),
    );
    await expect(migrate({ from: { port, journal: "events" }, to: to() })).rejects.toMatchObject(
      invalid("from.journal"),
    );
    await expect(migrate(undefined)).rejects.toMatchObject(invalid("options"));
  });

  test("accepts two places with ports", async () => {
    expect(await migrate({ from: { port }, to: to() })).toEqual({ ids: 0, events: 0, written: 0 });
  });
});

describe("chunks of an export", () => {
  test.each([undefined, null, 5, {}, Promise.resolve([])])("reject %s", async (given) => {
    await expect(importEvents(port, given as never)).rejects.toMatchObject(invalid("chunks"));
    await expect(importEvents(port, (() => given) as never)).rejects.toMatchObject(invalid("chunks"));
    await expect(readExported(given as never)).rejects.toMatchObject(invalid("chunks"));
  });

  test("reject an element that is neither a string nor bytes", async () => {
    for (const element of [undefined, null, 5, {}, [1]])
      await expect(importEvents(port, [element] as never)).rejects.toMatchObject(invalid("chunks"));
  });
});

describe("discoverJournals", () => {
  test("rejects invalid options", async () => {
    await expect(discoverJournals(port, null as never)).rejects.toMatchObject(invalid("options"));
    await expect(discoverJournals(port, { deadlineMs: 0 })).rejects.toMatchObject(invalid("deadlineMs"));
    await expect(discoverJournal(port, "events", null as never)).rejects.toMatchObject(invalid("options"));
    await expect(discoverJournal(port, undefined as never)).rejects.toMatchObject(invalid("table"));
  });
});

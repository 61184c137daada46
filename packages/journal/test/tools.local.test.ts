import { randomUUID } from "node:crypto";
import { ensureTable, httpPort } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { journalTableSpec } from "../src/context/journal-options.ts";
import { openJournal } from "../src/open-journal.ts";
import { openJournalReader } from "../src/open-journal-reader.ts";
import { migrateJournal } from "../src/tools/copy/migrate-journal.ts";
import { exportEvents } from "../src/tools/export/export-events.ts";
import { importEvents } from "../src/tools/export/import-events.ts";
import { journalStats } from "../src/tools/journal-stats.ts";
import { repairJournal } from "../src/tools/repair-journal.ts";
import { openScatteredMessages } from "../src/tools/scattered/open-scattered-messages.ts";
import { verifyJournal } from "../src/tools/verify/verify-journal.ts";
import { fixtureItems } from "./akka-fixtures.ts";
import { append, collect, itemsOf, layouts, numbersOf, range, singles } from "./journal-world.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("the tools on DynamoDB Local", () => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  let port: ReturnType<typeof httpPort>;
  beforeAll(() => {
    port = httpPort({ endpoint, credentials });
  });
  afterAll(() => port.close());

  async function fresh(layout: (typeof layouts)[number]) {
    const options = { table: `tools-${randomUUID()}`, layout, sequenceShards: 10 };
    await ensureTable(port, journalTableSpec(options));
    return options;
  }

  test.each(layouts)(
    "copy a journal from the %s layout to all others, by migration and by export",
    async (layout) => {
      const from = await fresh(layout);
      const journal = await openJournal(port, from);
      await append(journal, "a|ü", [...singles(1, 3), singles(4, 8), singles(9, 118)]);
      await journal.deleteTo("a|ü", 5);
      await append(journal, "b", singles(1, 2));
      for (const other of layouts) {
        const to = await fresh(other);
        const summary = await migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
        expect(summary).toEqual({ ids: 2, events: 115, written: 115 });
        const copy = await openJournal(port, to);
        expect(await collect(copy.replay("a|ü"))).toEqual(await collect(journal.replay("a|ü")));
        expect(await collect(verifyJournal(port, to))).toEqual([]);
        expect(await importEvents(port, exportEvents(port, from), to)).toMatchObject({ written: 0 });
        expect(await journalStats(port, to)).toMatchObject({ ids: 2, events: 115, otherItems: 0 });
      }
    },
  );

  test.each(["bucketed", "linear", "scattered"] as const)(
    "list the ids of rows in the %s layout once, page by page",
    async (layout) => {
      const options = await fresh(layout);
      const journal = await openJournal(port, options);
      const ids = ["a", "a-1", "b|ü", "c", "d"];
      for (const id of ids) await append(journal, id, [singles(1, 50), singles(51, 130)]);
      await journal.deleteTo("c", 105);
      const reader = await openJournalReader(port, options);
      const found: string[] = [];
      let after: string | undefined;
      for await (const known of reader.currentPersistenceIds({ source: "rows" })) {
        found.push(known.persistenceId);
        if (found.length === 2) after = known.cursor;
      }
      expect([...found].sort()).toEqual(ids);
      const rest = await collect(reader.currentPersistenceIds({ source: "rows", after }));
      expect(rest.map(({ persistenceId }) => persistenceId)).toEqual(found.slice(2));
    },
  );

  test("fix the victim of the lost high mark", async () => {
    const options = await fresh("bucketed");
    const rows = fixtureItems("akka-1.1", "journal").filter((item) => /-p-98-/.test(item["par"]?.S ?? ""));
    for (const Item of rows) await port.putItem({ TableName: options.table, Item });
    const kinds = async () => (await collect(verifyJournal(port, options))).map(({ kind }) => kind).sort();
    expect(await kinds()).toEqual(["high-mark-missing", "not-registered"]);
    await collect(repairJournal(port, options, { apply: true }));
    expect(await kinds()).toEqual([]);
  });

  test("confirm and delete single messages", async () => {
    const options = await fresh("scattered");
    const journal = await openJournal(port, options);
    await append(journal, "a", singles(1, 5));
    const messages = await openScatteredMessages(port, options);
    expect(await messages.confirm("a", 2, "c")).toBe(true);
    expect(await messages.deleteMessage("a", 3)).toBe(true);
    expect(await messages.deleteMessage("a", 4, { permanent: true })).toBe(true);
    expect(await messages.confirm("a", 9, "c")).toBe(false);
    expect(numbersOf(await collect(journal.replay("a")))).toEqual([1, 2, 5]);
    expect(numbersOf(await collect(messages.messages("a")))).toEqual(range(1, 5));
  });

  test("name what other programs have done to a table of Akka", async () => {
    const from = { ...(await fresh("bucketed")), akka: "none" as const };
    const row = (id: string, number: number, more: Item = {}): Item => ({
      par: { S: `journal-P-${id}-${Math.floor(number / 100)}` },
      num: { N: String(number % 100) },
      persistence_id: { S: id },
      seq: { N: String(number) },
      event: { B: new Uint8Array(Buffer.from(String(number))) },
      writer_uuid: { S: "w" },
      ev_ser_id: { N: "20" },
      ...more,
    });
    const foreign: Item = {
      ts: { S: "today" },
      expires: { N: "1700000000" },
      crc: { S: "" },
      meta: { L: [] },
    };
    const copied = { ...foreign, persistence_id: { S: "old" } };
    const items = [
      row("new", 1, copied),
      row("new", 2, copied),
      row("new", 700),
      row("b", 1, { seq: { N: "2" } }),
    ];
    for (const each of items) await port.putItem({ TableName: from.table, Item: each });
    const found = await collect(verifyJournal(port, from, { persistenceId: "new" }));
    expect(found.filter(({ kind }) => kind === "wrong-key").map(({ from: at }) => at)).toEqual([1, 2]);
    const journal = await openJournal(port, from);
    await expect(journal.recover("b")).rejects.toMatchObject({ code: "JOURNAL_ROW_CORRUPT" });
    const hidden = migrateJournal({
      from: { port, journal: from },
      to: { port, journal: await fresh("packed") },
    });
    await expect(hidden).rejects.toMatchObject({ code: expect.stringMatching("JOURNAL_R") });
    await journal.purge("b");
    await port.deleteItem({
      TableName: from.table,
      Key: { par: { S: "journal-P-new-7" }, num: { N: "0" } },
    });
    for (const other of layouts) {
      const to = await fresh(other);
      await migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
      const events = await collect((await openJournal(port, to)).replay("new"));
      expect(events.map(({ persistenceId, payload }) => `${persistenceId} ${payload}`)).toEqual([
        "new 1",
        "new 2",
      ]);
    }
    await port.putItem({ TableName: from.table, Item: row("new", 700) });
    await journal.purge("new");
    const left = (await itemsOf(port, from.table)).filter(({ event }) => event !== undefined);
    expect(left).toEqual([]);
  });
});

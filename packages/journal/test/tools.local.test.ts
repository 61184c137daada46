import { randomUUID } from "node:crypto";
import { ensureTable, httpPort } from "@tablekeep/client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { journalTableSpec } from "../src/context/journal-options.ts";
import { openJournal } from "../src/open-journal.ts";
import { migrateJournal } from "../src/tools/copy/migrate-journal.ts";
import { exportEvents } from "../src/tools/export/export-events.ts";
import { importEvents } from "../src/tools/export/import-events.ts";
import { journalStats } from "../src/tools/journal-stats.ts";
import { repairJournal } from "../src/tools/repair-journal.ts";
import { openScatteredMessages } from "../src/tools/scattered/open-scattered-messages.ts";
import { verifyJournal } from "../src/tools/verify/verify-journal.ts";
import { fixtureItems } from "./akka-fixtures.ts";
import { append, collect, layouts, numbersOf, range, singles } from "./journal-world.ts";

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
});

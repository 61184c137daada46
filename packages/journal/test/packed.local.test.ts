import { randomUUID } from "node:crypto";
import { connect, ensureTable } from "@tablekeep/client";
import { type DynamoPort, unwrap } from "@tablekeep/core";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type JournalOptions, journalTableSpec, loadTail, openJournal, openSnapshots } from "../src/index.ts";
import { snapshotSuite } from "../src/testing/index.ts";
import { compactJournal, verifyJournal } from "../src/tools/index.ts";
import { append, collect, itemsOf, numbersOf, range, singles } from "./journal-world.ts";

const endpoint = inject("dynamoDbLocal");

const openPort = (): DynamoPort =>
  connect({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });

describe.skipIf(endpoint === "")("snapshots beside the events of a packed journal on DynamoDB Local", () => {
  const journal: JournalOptions = { layout: "packed", table: `events-${randomUUID()}` };
  const port = openPort();
  const open = async () => {
    await ensureTable(port, journalTableSpec(journal));
    return openSnapshots(port, { journal });
  };
  register(snapshotSuite({ open }), { test, beforeAll, afterAll });
  afterAll(() => port.close());
});

describe.skipIf(endpoint === "").each(["optimistic", "strict"] as const)(
  "a packed journal on DynamoDB Local, %s",
  (fencing) => {
    const options: JournalOptions = { layout: "packed", table: `events-${randomUUID()}`, fencing };
    const port = openPort();
    beforeAll(() => ensureTable(port, journalTableSpec(options)));
    afterAll(() => port.close());

    test("loads a snapshot with the events after it, before and after a compaction", async () => {
      const journal = await openJournal(port, options);
      const snapshots = await openSnapshots(port, { journal: options });
      await append(journal, "a", [...singles(1, 6), singles(7, 12), ...singles(13, 20)]);
      await snapshots.save("a", 9, { sum: 9 });
      await snapshots.save("a", 15, { sum: 15 });
      const load = async (limit: number) => {
        const loaded = await loadTail(journal, snapshots, "a", { limit });
        return [loaded?.snapshot?.sequenceNr, ...numbersOf(await collect(loaded?.events ?? emptyEvents()))];
      };
      for (const limit of [1, 3, 100]) expect(await load(limit)).toEqual(range(15, 20));
      const before = await collect(journal.replay("a"));
      expect(await compactJournal(port, options)).toMatchObject({ into: 1 });
      expect(await collect(journal.replay("a"))).toEqual(before);
      for (const limit of [1, 3, 100]) expect(await load(limit)).toEqual(range(15, 20));
      expect(await collect(verifyJournal(port, options))).toEqual([]);
    });

    test("appends without a writer if the expected number is the highest, and returns the highest otherwise", async () => {
      const journal = await openJournal(port, options);
      const event = { payload: "x" };
      expect(unwrap(await journal.append("b", [event, event], { expected: "none" }))).toEqual({
        first: 1,
        last: 2,
      });
      expect(unwrap(await journal.append("b", [event], { expected: 2 }))).toEqual({ first: 3, last: 3 });
      expect(await journal.append("b", [event], { expected: 2 })).toMatchObject({
        kind: "conflict",
        error: { details: { highest: 3 } },
      });
      expect(await journal.append("b", [event], { expected: "none" })).toMatchObject({ kind: "conflict" });
    });

    test("is deleted from inside an item, and purged with its snapshots", async () => {
      const journal = await openJournal(port, options);
      const snapshots = await openSnapshots(port, { journal: options });
      await append(journal, "c", [singles(1, 10), singles(11, 12)]);
      await snapshots.save("c", 4, "state");
      await journal.deleteTo("c", 5);
      expect(numbersOf(await collect(journal.replay("c")))).toEqual(range(6, 12));
      await journal.purge("c");
      const left = await itemsOf(port, options.table as string);
      expect(left.filter(({ par }) => par?.S === "journal-P-c")).toEqual([]);
    });
  },
);

async function* emptyEvents(): AsyncGenerator<never> {}

/** Runs the suites of the stores and compares their DynamoDB requests with docs/how-to/production-on-aws.md. */
import { ensureTable, requireTable, type TableSpec } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { defineEntity, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { journalSuite, snapshotSuite } from "@tablekeep/journal/testing";
import { exportEvents, journalStats, repairJournal, verifyJournal } from "@tablekeep/journal/tools";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { mailSuite } from "@tablekeep/mail/testing";
import { openShadowManager, openShadows, shadowTableSpec } from "@tablekeep/shadow";
import { shadowSuite } from "@tablekeep/shadow/testing";
import { faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { readDocs, sectionOf, tableRows } from "../read-docs.ts";
import { watchActions } from "./used-actions.ts";

interface Suite {
  readonly cases: readonly { readonly run: () => Promise<void> }[];
  setup(): Promise<void>;
  teardown(): Promise<void>;
}

interface Store {
  readonly table: TableSpec;
  readonly suite: (port: DynamoPort) => Suite;
}

const counter = defineEntity({
  type: "counter",
  initial: () => 0,
  decide: ({ type }: { type: "count" | "read" }, state: number) =>
    type === "count" ? { events: { type: "counted" }, reply: state + 1 } : { reply: state },
  evolve: (state: number, _event: { type: string }) => state + 1,
});

/** Commands with ids, given twice: with events, and without. */
function ledgerSuite(port: DynamoPort): Suite {
  const run = async () => {
    await ensureTable(port, journalTableSpec());
    for (let process = 1; process <= 2; process++) {
      await using host = await openEntities({
        journal: await openJournal(port),
        ledger: { port, table: ledger.name },
        entities: [counter],
      });
      for (const type of ["count", "read"] as const)
        await host.of(counter).ask("one", { type }, { commandId: type });
    }
  };
  return { cases: [{ run }], setup: async () => {}, teardown: async () => {} };
}

/** The tools that read and repair a whole journal. */
function toolSuite(port: DynamoPort): Suite {
  const run = async () => {
    const journal = await openJournal(port);
    const writer = await journal.recover("one");
    await writer.appendEach([{ payload: 1 }, { payload: 2 }]);
    await journalStats(port, {});
    for await (const _finding of verifyJournal(port, {})) expect.unreachable("a new journal is whole");
    for await (const _repair of repairJournal(port, {}, { apply: true }))
      expect.unreachable("nothing to heal");
    for await (const _line of exportEvents(port, {}));
  };
  return { cases: [{ run }], setup: async () => {}, teardown: async () => {} };
}

/** A feed of events that are there and of new ones: run, read, checked and made again. */
function feedSuite(port: DynamoPort): Suite {
  const run = async () => {
    const journal = await openJournal(port);
    const writer = await journal.recover("account|1");
    await writer.appendEach([{ payload: 1 }, { payload: 2 }]);
    const feed = await openFeed(port, { checkpointMs: 0 });
    await feed.catchUp();
    const stop = new AbortController();
    const running = feed.run({ signal: stop.signal });
    await writer.appendEach([{ payload: 3 }]);
    for await (const { sequenceNr } of feed.read({ live: true, signal: stop.signal }))
      if (sequenceNr === 3) break;
    await feed.status();
    await feed.verify();
    await feed.requestSweep();
    stop.abort();
    await running;
    await feed.catchUp();
    await feed.rebuild();
    await feed.catchUp();
  };
  return { cases: [{ run }], setup: async () => {}, teardown: async () => {} };
}

const random = () => 0.02;
const ledger = ledgerTableSpec("commands");
const stores: { readonly [name: string]: Store } = {
  "ledger of entities": { table: ledger, suite: ledgerSuite },
  journal: {
    table: journalTableSpec(),
    suite: (port) =>
      journalSuite({
        open: () => openJournal(port, { random }),
        openWithFaults: (schedule) => openJournal(faultyPort(port, schedule), { random }),
      }),
  },
  "journal in the bucketed layout": {
    table: journalTableSpec(),
    suite: (port) =>
      journalSuite({
        open: () => openJournal(port, { random, layout: "bucketed" }),
        abilities: { marks: true },
      }),
  },
  "journal with strict fencing": {
    table: journalTableSpec(),
    suite: (port) => journalSuite({ open: () => openJournal(port, { random, fencing: "strict" }) }),
  },
  "feed, on the journal's table": { table: { ...journalTableSpec(), stream: "NEW_IMAGE" }, suite: feedSuite },
  "tools for a whole journal": { table: journalTableSpec(), suite: toolSuite },
  snapshots: {
    table: snapshotTableSpec(),
    suite: (port) => snapshotSuite({ open: () => openSnapshots(port) }),
  },
  mail: {
    table: mailTableSpec(),
    suite: (port) => mailSuite({ open: () => openMail(port, { pollMs: 50 }) }),
  },
  shadows: {
    table: shadowTableSpec(),
    suite: (port) =>
      shadowSuite({
        model: "combined",
        policy: "aws",
        open: async () => ({ shadows: openShadows(port), manager: openShadowManager(port) }),
      }),
  },
};

/** The actions that the suite of a store needs, on a table that is there. */
async function actionsFor({ table, suite }: Store): Promise<string[]> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, table);
  const { port, actions } = watchActions(engine, table.name);
  await requireTable(port, table);
  const { cases, setup, teardown } = suite(port);
  await setup();
  for (const { run } of cases) await run();
  await teardown();
  return [...actions].toSorted();
}

describe("docs/how-to/production-on-aws.md", () => {
  const page = readDocs("docs/how-to/production-on-aws.md");
  const rows = tableRows(sectionOf(page, "## Permissions"));
  const listed = (store: string) => {
    const row = rows.find(([name]) => name === store);
    return (row?.[1] ?? "").split(", ").toSorted();
  };

  test.each(Object.entries(stores))("lists what the store of %s needs, and no more", async (name, store) => {
    expect(await actionsFor(store)).toEqual(listed(name));
  });

  test("has a policy that allows all of them", () => {
    const [, text = "{}"] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
    const { Statement } = JSON.parse(text) as { Statement: { Action: string[] }[] };
    const allowed = Statement.flatMap(({ Action }) => Action);
    const needed = rows.flatMap(([, actions = ""]) => actions.split(", "));
    expect(allowed.toSorted()).toEqual([...new Set(needed)].map((each) => `dynamodb:${each}`).toSorted());
  });
});

/** The requests of entities, as `docs/reference/entities.md` lists them. */
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { type JournalOptions, openJournal, openSnapshots } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { openEntities } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, openWorld, tables } from "./entity-world.ts";

const add = { type: "add", amount: 1 } as const;
const get = { type: "get" } as const;

/** Returns a port that records the operation and the table of each request. */
function recording(port: DynamoPort): { readonly port: DynamoPort; readonly sent: string[] } {
  const sent: string[] = [];
  const recorded = wrapPort(port, (operation, input, call, next) => {
    const { TableName, RequestItems, TransactItems } = input as {
      TableName?: string;
      RequestItems?: object;
      TransactItems?: readonly unknown[];
    };
    const target = TableName ?? Object.keys(RequestItems ?? {})[0] ?? `of ${TransactItems?.length}`;
    sent.push(`${operation} ${target}`);
    return next(operation, input, call);
  });
  return { port: recorded, sent };
}

/** The layouts, and what a load and a read of each send: with a snapshot table, and with snapshots beside the events. */
interface Requests {
  /** Without events. */
  readonly fresh: readonly string[];
  /** 50 events without a snapshot. */
  readonly events: readonly string[];
  /** A snapshot and 10 events after it. */
  readonly tail: readonly string[];
  /** A snapshot of all events. */
  readonly covered: readonly string[];
}

const findSnapshot = "Query snapshots";
/** The marks, then the last rows. */
const position = ["BatchGetItem events", "Query events"];
const page = "Query events";

const bucketed: JournalOptions = { layout: "bucketed", table: "events" };
const packed: JournalOptions = { layout: "packed", table: "events" };

const all = (...requests: string[]): Requests => ({
  fresh: requests,
  events: requests,
  tail: requests,
  covered: requests,
});

const cases: readonly (readonly [
  name: string,
  setting: { readonly journal: JournalOptions; readonly beside?: boolean },
  loads: Requests,
  reads: Requests,
])[] = [
  [
    "bucketed",
    { journal: bucketed },
    {
      fresh: [findSnapshot, ...position],
      events: [findSnapshot, ...position, page],
      tail: [findSnapshot, ...position, page],
      covered: [findSnapshot, ...position],
    },
    // The page of events comes along with the marks.
    all(findSnapshot, ...position),
  ],
  [
    "packed, with a snapshot table",
    { journal: packed },
    // Nothing follows a snapshot of all events: then the item that may reach beyond it and the end are read too.
    { ...all(findSnapshot, page), covered: [findSnapshot, page, page, page] },
    { ...all(findSnapshot, page), covered: [findSnapshot, page, page, page] },
  ],
  ["packed, with its snapshots", { journal: packed, beside: true }, all(page), all(page)],
];

describe.each(cases)("a %s journal", (_name, { journal: options, beside = false }, loads, reads) => {
  const open = async (port: DynamoPort, settings: object = {}) => {
    const journal = await openJournal(port, options);
    const snapshots = await openSnapshots(port, beside ? { journal: options } : { table: tables.snapshots });
    return openEntities({ journal, snapshots, entities: [counter], ...settings });
  };
  const addAll = (count: number) =>
    ({ type: "addAll", amounts: Array.from({ length: count }, () => 1) }) as const;
  const grown: Record<keyof Requests, (port: DynamoPort) => Promise<number>> = {
    fresh: async () => 0,
    async events(port) {
      const host = await open(port);
      await host.of(counter).ask("a", addAll(50));
      await host.close();
      return 50;
    },
    async tail(port) {
      const host = await open(port, { snapshotEvery: 50 });
      await host.of(counter).ask("a", addAll(50));
      await host.idle();
      for (let count = 0; count < 10; count++) await host.of(counter).ask("a", add);
      await host.close();
      return 60;
    },
    async covered(port) {
      const host = await open(port, { snapshotEvery: 50 });
      await host.of(counter).ask("a", addAll(50));
      await host.close();
      return 50;
    },
  };

  test.each(Object.keys(grown) as (keyof Requests)[])(
    "reads the position once and the events once to load or read: %s",
    async (name) => {
      const engine = await engineForEntities(options);
      const total = await grown[name](engine);
      const { port, sent } = recording(engine);
      const host = await open(port);
      sent.length = 0;
      const { state, sequenceNr } = await host.of(counter).read("a");
      expect([state, sequenceNr]).toEqual([{ total, events: total }, total]);
      expect(sent.splice(0)).toEqual(reads[name]);
      expect(host.loaded).toBe(0);
      expect(await host.of(counter).ask("a", get)).toEqual({ total, events: total });
      expect(sent.splice(0)).toEqual(loads[name]);
      await host.close();
    },
  );

  test("reads without superseding the host that has the entity, under strict fencing too", async () => {
    const strict = { ...options, fencing: "strict" } as const;
    const engine = await engineForEntities(options);
    const writing = await openEntities({ journal: await openJournal(engine, strict), entities: [counter] });
    const { port, sent } = recording(engine);
    const reading = await openEntities({ journal: await openJournal(port, strict), entities: [counter] });
    await writing.of(counter).ask("a", add);
    sent.length = 0;
    for (let total = 1; total <= 3; total++) {
      expect(await reading.of(counter).read("a")).toEqual({
        state: { total, events: total },
        sequenceNr: total,
      });
      expect(await writing.of(counter).ask("a", add)).toMatchObject({ total: total + 1 });
    }
    expect(sent.filter((request) => /Put|Update|Delete|Write/.test(request))).toEqual([]);
    await writing.close();
    await reading.close();
  });
});

describe("a command to a loaded entity", () => {
  const loaded = async (options: { verifyReads?: boolean } = {}) => {
    const { port, sent } = recording(await engineForEntities(bucketed));
    const { host } = await openWorld([counter], { port, journalOptions: bucketed, ...options });
    const counters = host.of(counter);
    // The first event of a bucket also writes its high mark.
    for (let count = 0; count < 2; count++) await counters.ask("a", add);
    sent.length = 0;
    return { counters, sent };
  };

  test("with an event takes one put", async () => {
    const { counters, sent } = await loaded();
    await counters.ask("a", add);
    expect(sent).toEqual(["PutItem events"]);
  });

  test("with an event and an id takes one transaction", async () => {
    const { counters, sent } = await loaded();
    await counters.ask("a", add, { commandId: "1" });
    expect(sent).toEqual(["TransactWriteItems of 2"]);
  });

  test("shares one transaction with the others of its group", async () => {
    const { counters, sent } = await loaded();
    await Promise.all([1, 2, 3].map(() => counters.ask("a", add)));
    expect(sent).toEqual(["TransactWriteItems of 3"]);
  });

  test("without events needs no request, or one read of the position with verifyReads", async () => {
    const plain = await loaded();
    await plain.counters.ask("a", get);
    expect(plain.sent).toEqual([]);
    const verified = await loaded({ verifyReads: true });
    await verified.counters.ask("a", get);
    expect(verified.sent).toEqual(position);
  });
});

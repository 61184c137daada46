import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { type JournalOptions, openJournal, openSnapshots } from "@tablekeep/journal";
import { stopAfterNth } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openEntities } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, eventsOf, tables } from "./entity-world.ts";

const add = (amount: number) => ({ type: "add", amount }) as const;
const get = { type: "get" } as const;
const pid = "counter|x";

interface Setting {
  readonly journal: JournalOptions;
  /** Whether snapshots are stored beside the events. */
  readonly beside?: boolean;
}

const settings: readonly Setting[] = [
  { journal: { layout: "packed", table: tables.events }, beside: true },
  { journal: { layout: "packed", table: tables.events, fencing: "strict" } },
  { journal: { layout: "bucketed", table: tables.events } },
];

describe.each(settings)("forget, with %j", ({ journal: options, beside = false }) => {
  const open = async (port: DynamoPort, retention: object = {}) => {
    const journal = await openJournal(port, options);
    const snapshots = await openSnapshots(port, beside ? { journal: options } : { table: tables.snapshots });
    const ledger = { port, table: tables.commands };
    const host = await openEntities({
      journal,
      snapshots,
      ledger,
      entities: [counter],
      snapshotEvery: 2,
      ...retention,
    });
    return { host, counters: host.of(counter), journal, snapshots };
  };

  /** An entity with four events of 100 each, and snapshots at 2 and 4. */
  const grown = async (retention: object = {}) => {
    const port = await engineForEntities(options);
    const world = await open(port, retention);
    for (let turn = 0; turn < 4; turn++) {
      await world.counters.ask("x", add(100), { commandId: `c${turn}` });
      await world.host.idle();
    }
    return { port, ...world };
  };

  test("gives no request more time than the caller's deadline", async () => {
    const { port } = await grown();
    const deadlines: number[] = [];
    const recording = wrapPort(port, (operation, input, call, next) => {
      deadlines.push(call.deadlineMs ?? Number.POSITIVE_INFINITY);
      return next(operation, input, call);
    });
    const { counters } = await open(recording);
    deadlines.length = 0;
    await counters.forget("x", { deadlineMs: 4321 });
    expect(deadlines.length).toBeGreaterThan(3);
    expect(Math.max(...deadlines)).toBeLessThanOrEqual(4321);
  });

  test("removes snapshots, events, sequence numbers and replies of this entity only", async () => {
    const { counters, port, journal, snapshots } = await grown();
    await counters.ask("y", add(7), { commandId: "c0" });
    await counters.forget("x");
    expect(await snapshots.load(pid)).toBeUndefined();
    expect(await journal.highestSequenceNr(pid)).toBe(0);
    const replies = (await port.scan({ TableName: tables.commands, ConsistentRead: true })).Items ?? [];
    expect(replies.map(({ pid: owner }) => owner?.S)).toEqual(["counter|y"]);
    const left = (await port.scan({ TableName: tables.events, ConsistentRead: true })).Items ?? [];
    expect(JSON.stringify(left)).not.toContain(pid);
    expect(await counters.ask("x", get)).toEqual({ total: 0, events: 0 });
    expect(await counters.ask("x", add(5), { commandId: "c0" })).toMatchObject({ total: 5 });
    expect(await counters.ask("y", get)).toEqual({ total: 7, events: 1 });
  });

  test("does nothing for an entity that does not exist", async () => {
    const { counters } = await open(await engineForEntities(options));
    await counters.forget("missing");
    expect(await counters.ask("missing", get)).toEqual({ total: 0, events: 0 });
  });

  test("makes later commands wait and reach a new entity", async () => {
    const { counters } = await grown();
    const asked = [counters.ask("x", add(1)), counters.forget("x"), counters.ask("x", add(2))];
    const replies = await Promise.all(asked);
    const { total } = (await counters.ask("x", get)) as { total: number };
    expect(replies[2]).toMatchObject({ total });
    expect([2, 3]).toContain(total);
  });

  test.runIf(options.fencing === "strict")("stops another host that has the entity in memory", async () => {
    const { counters, port } = await grown();
    const { counters: others } = await open(port);
    expect(await others.ask("x", get)).toEqual({ total: 400, events: 4 });
    expect(await counters.ask("x", get)).toEqual({ total: 400, events: 4 });
    await counters.forget("x");
    expect(await others.ask("x", get)).toEqual({ total: 0, events: 0 });
    expect(await others.ask("x", add(1))).toMatchObject({ total: 1, sequenceNr: 1 });
  });

  test.each([{}, { keepSnapshots: 1, deleteCoveredEvents: true }])(
    "interrupted at any request with %o, leaves the entity unchanged, unreadable or new; a second call completes",
    async (retention) => {
      const seen = new Set<string>();
      const { port: built } = await grown(retention);
      const whole = await built.checkpoint();
      const answer = (asked: Promise<unknown>) =>
        asked.then(JSON.stringify, ({ code }: { code: string }) => code);
      await stopAfterNth({
        async setup() {
          await built.restore(whole);
          return { port: built };
        },
        async run(port) {
          const { counters } = await open(port);
          await counters.forget("x");
        },
        async check({ port }) {
          const { counters, host } = await open(port);
          const state = await answer(counters.ask("x", get));
          expect(await answer((await open(port)).counters.read("x"))).toBe(
            state.startsWith("{") ? expectedRead(state) : state,
          );
          seen.add(state);
          // A command of before gets its reply as long as its events are there, and no longer.
          const repeated = await answer(counters.ask("x", add(100), { commandId: "c1" }));
          if (state === unchanged) expect(JSON.parse(repeated)).toMatchObject({ total: 200 });
          if (state === fresh) expect(JSON.parse(repeated)).toMatchObject({ total: 100, sequenceNr: 1 });
          await host.idle();
          await (await open(port)).counters.forget("x");
          const last = await open(port);
          const again = last.counters.ask("x", add(1), { commandId: "c1" });
          expect(await again).toMatchObject({ total: 1, sequenceNr: 1 });
          // Snapshots are saved after the reply; none may come after the next run has started.
          await last.host.idle();
        },
      });
      expect([...seen].sort()).toEqual([fresh, unchanged, "ENTITY_HISTORY_DELETED"].sort());
    },
  );

  test("a host that saves a snapshot meanwhile deletes no event of the new entity", async () => {
    let requests = 0;
    // Before the first request of the save, and before each one after it.
    for (let nth = 1; ; nth++) {
      const port = await engineForEntities(options);
      const { counters: others } = await open(port, { snapshotEvery: 1000 });
      let armed = false;
      requests = 0;
      let restarted = false;
      const slow = wrapPort(port, async (operation, input, call, next) => {
        if (armed && requests++ === nth && !restarted) {
          restarted = true;
          await others.forget("x");
          for (let turn = 0; turn < 6; turn++) await others.ask("x", add(7));
        }
        return next(operation, input, call);
      });
      const { host, counters } = await open(slow, {
        snapshotEvery: 4,
        keepSnapshots: 1,
        deleteCoveredEvents: true,
      });
      for (let turn = 0; turn < 3; turn++) await counters.ask("x", add(100));
      const asked = counters.ask("x", add(100));
      await asked.then(() => {
        armed = true;
      });
      await host.idle();
      if (!restarted) break;
      const { journal } = await open(port);
      const amounts = (await eventsOf(journal, pid)).map(
        ({ payload }) => (payload as { amount: number }).amount,
      );
      expect([nth, amounts]).toEqual([nth, [7, 7, 7, 7, 7, 7]]);
    }
    expect(requests).toBeGreaterThan(4);
  });
});

const fresh = '{"total":0,"events":0}';
const unchanged = '{"total":400,"events":4}';

function expectedRead(state: string): string {
  const { events } = JSON.parse(state) as { events: number };
  return `{"state":${state},"sequenceNr":${events}}`;
}

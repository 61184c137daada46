import type { Journal, LoadOptions } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { defineEntity, upcastFrom } from "../src/index.ts";
import { counter } from "./counter.ts";
import { engineForEntities, eventsOf, openWorld, storesOn } from "./entity-world.ts";

async function snapshotNumbers(stores: Awaited<ReturnType<typeof storesOn>>, id: string): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { sequenceNr } of stores.snapshots.list(id)) numbers.push(sequenceNr);
  return numbers;
}

/** A host whose counter got `count` times 1, a second apart; a snapshot every 4 events. */
async function counted(count: number, options = {}) {
  const clock = fakeClock({ startAt: 1_000_000 });
  const world = await openWorld([counter], {
    clock,
    journalOptions: { clock },
    snapshotEvery: 4,
    passivateAfterMs: 1e9,
    ...options,
  });
  for (let at = 0; at < count; at++) {
    await world.host.of(counter).ask("a", { type: "add", amount: 1 });
    await world.host.idle();
    await clock.advance(1000);
  }
  return { ...world, clock };
}

describe("snapshots", () => {
  test("are saved every N events, and recovery starts from the newest", async () => {
    const { stores, port } = await counted(10);
    expect(await snapshotNumbers(stores, "counter|a")).toEqual([4, 8]);
    let replayed = 0;
    const fresh = await storesOn(port);
    const journal = {
      ...fresh.journal,
      load: ((id: string, options: LoadOptions = {}) => {
        replayed = options.from ?? 1;
        return fresh.journal.load(id, options);
      }) as Journal["load"],
    };
    const second = await openWorld([counter], { port, journal });
    expect(await second.host.of(counter).ask("a", { type: "get" })).toEqual({ total: 10, events: 10 });
    expect(replayed).toBe(9);
  });

  test("are limited to the newest, and covered events are deleted", async () => {
    const { stores, host } = await counted(14, { keepSnapshots: 2, deleteCoveredEvents: true });
    expect(await snapshotNumbers(stores, "counter|a")).toEqual([8, 12]);
    expect((await eventsOf(stores.journal, "counter|a")).map((event) => event.sequenceNr)).toEqual([
      9, 10, 11, 12, 13, 14,
    ]);
    expect(await host.of(counter).read("a")).toEqual({
      state: { total: 14, events: 14 },
      sequenceNr: 14,
    });
    await expect(host.of(counter).read("a", { snapshot: "none" })).rejects.toMatchObject({
      code: "ENTITY_HISTORY_DELETED",
      details: { lowest: 9 },
    });
  });

  test("are logged when saving fails, and commands continue", async () => {
    const lines: string[] = [];
    const logger = { debug() {}, info() {}, warn: (line: string) => lines.push(line), error() {} };
    const port = await engineForEntities();
    const { snapshots } = await storesOn(port);
    const broken = { ...snapshots, save: () => Promise.reject(new Error("disk full")) };
    const { host } = await openWorld([counter], { port, snapshots: broken, logger, snapshotEvery: 1 });
    expect(await host.of(counter).ask("a", { type: "add", amount: 1 })).toMatchObject({ total: 1 });
    await host.idle();
    expect(lines).toHaveLength(1);
    expect(await host.of(counter).ask("a", { type: "add", amount: 1 })).toMatchObject({ total: 2 });
    await host.close();
  });

  test("of another state version are ignored or upcast", async () => {
    const { stores } = await counted(5);
    const spec = {
      type: "counter",
      initial: () => ({ sum: 0 }),
      decide: (_command: { type: "get" }, state: { sum: number }) => ({ reply: state.sum }),
      evolve: (state: { sum: number }, event: { type: "added"; amount: number }) => ({
        sum: state.sum + event.amount,
      }),
      stateVersion: 2,
    };
    const replaying = defineEntity(spec);
    const upcasting = defineEntity({
      ...spec,
      upcastState: (old, version) => ({ sum: (old as { total: number }).total * 100 * version }),
    });
    const { host } = await openWorld([replaying], { ...stores });
    expect(await host.of(replaying).ask("a", { type: "get" })).toBe(5);
    const other = await openWorld([upcasting], { ...stores });
    expect(await other.host.of(upcasting).ask("a", { type: "get" })).toBe(401);
  });
});

describe("recovery options", () => {
  test.each([
    [{}, 10],
    [{ toSequenceNr: 6 }, 6],
    [{ toSequenceNr: 0 }, 0],
    [{ toSequenceNr: 99 }, 10],
    [{ snapshot: "none" as const, maxEvents: 3 }, 3],
    [{ maxEvents: 1 }, 9],
    [{ snapshot: { maxSequenceNr: 5 }, maxEvents: 2 }, 6],
    [{ snapshot: "none" as const }, 10],
  ])("%j returns the state after event %i", async (options, sequenceNr) => {
    const { host } = await counted(10);
    expect(await host.of(counter).read("a", options)).toEqual({
      state: { total: sequenceNr, events: sequenceNr },
      sequenceNr,
    });
  });

  test("stateAt returns every earlier state, by sequence number and by time", async () => {
    const { host, stores } = await counted(10);
    // Written together; each event still has its own state.
    await Promise.all([1, 2, 3].map(() => host.of(counter).ask("a", { type: "add", amount: 1 })));
    const events = await eventsOf(stores.journal, "counter|a");
    for (const { sequenceNr, timestamp } of events) {
      const state = { total: sequenceNr, events: sequenceNr };
      expect(await host.of(counter).stateAt("a", { sequenceNr })).toEqual({ state, sequenceNr });
      const at = Math.max(...events.filter((each) => each.timestamp === timestamp).map((e) => e.sequenceNr));
      expect(await host.of(counter).stateAt("a", { timestamp })).toMatchObject({ sequenceNr: at });
      expect(await host.of(counter).stateAt("a", { timestamp: timestamp - 1 })).toMatchObject({
        sequenceNr: Math.min(sequenceNr, 11) - 1,
      });
    }
  });

  test("deleteEvents deletes what a snapshot contains, and refuses the rest", async () => {
    const { host, stores } = await counted(10);
    await expect(host.of(counter).deleteEvents("a", 9)).rejects.toMatchObject({
      code: "ENTITY_DELETE_REFUSED",
      details: { covered: 8 },
    });
    await host.of(counter).deleteEvents("a", 8);
    expect((await eventsOf(stores.journal, "counter|a")).map((each) => each.sequenceNr)).toEqual([9, 10]);
    expect(await host.of(counter).ask("a", { type: "add", amount: 1 })).toMatchObject({ total: 11 });
    expect(await host.of(counter).read("a")).toMatchObject({ sequenceNr: 11 });
    await expect(host.of(counter).stateAt("a", { sequenceNr: 2 })).rejects.toMatchObject({
      code: "ENTITY_HISTORY_DELETED",
    });
    expect(await host.of(counter).stateAt("a", { sequenceNr: 4 })).toMatchObject({ sequenceNr: 4 });
  });
});

describe("event versions", () => {
  type NamedV1 = { type: "named"; name: string };
  type NamedV2 = { type: "named"; first: string; last: string };
  type Named = { type: "named"; names: readonly string[] };
  const first = defineEntity({
    type: "person",
    initial: () => "",
    decide: (command: { type: "name"; name: string }) => ({ events: { type: "named", name: command.name } }),
    evolve: (_state: string, event: NamedV1) => event.name,
  });
  const third = defineEntity({
    type: "person",
    initial: (): readonly string[] => [],
    decide: (command: { type: "name"; names: readonly string[] }) => ({
      events: { type: "named", names: command.names },
    }),
    evolve: (_state: readonly string[], event: Named) => event.names,
    upcasters: {
      named: upcastFrom((old: NamedV1): NamedV2 => ({ type: "named", first: old.name, last: "?" })).to(
        (old): Named => ({ type: "named", names: [old.first, old.last] }),
      ),
      "old-name": upcastFrom((old: { alias: string }): Named => ({ type: "named", names: [old.alias] })),
    },
  });

  test("older ones are upcast step by step, current ones are stored with their version", async () => {
    const { host, stores, port } = await openWorld([first]);
    await host.of(first).ask("a", { type: "name", name: "Ann" });
    const later = await openWorld([third], { port });
    expect(await later.host.of(third).read("a")).toEqual({ state: ["Ann", "?"], sequenceNr: 1 });
    await later.host.of(third).ask("a", { type: "name", names: ["Ann", "B", "C"] });
    expect((await eventsOf(stores.journal, "person|a")).map(({ manifest }) => manifest)).toEqual([
      "named",
      "named@3",
    ]);
    expect(await later.host.of(third).read("a")).toMatchObject({ state: ["Ann", "B", "C"] });
  });

  test("an upcast may change the type, and an event of a newer version fails the recovery", async () => {
    const { host, stores } = await openWorld([third]);
    const writer = await stores.journal.recover("person|b");
    await writer.append({ payload: { type: "old-name", alias: "Bee" }, manifest: "old-name" });
    expect(await host.of(third).read("b")).toMatchObject({ state: ["Bee"] });
    await writer.append({ payload: { type: "named" }, manifest: "named@4" });
    await expect(host.of(third).ask("b", { type: "name", names: [] })).rejects.toMatchObject({
      code: "ENTITY_EVENT_UNREADABLE",
      details: { sequenceNr: 2 },
    });
  });
});

import type { Item } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, loadTail, type Snapshots } from "../src/index.ts";
import { compactJournal, exportEvents, migrateJournal, verifyJournal } from "../src/tools/index.ts";
import {
  attempt,
  DamagedWorld,
  flipped,
  keyText,
  damagedOptions as options,
  type Replayed,
} from "./damaged-world.ts";
import { append, collect, itemsOf, numbersOf, range, singles } from "./journal-world.ts";

const { clock } = options;
const copied = { table: "copied", layout: "linear", clock } as const;
const highest = 36;

let world: DamagedWorld;
let engine: Engine;
let journal: Journal;
let snapshots: Snapshots;
let stored: readonly Item[];

/**
 * An id `a`: single events 1 to 3, an atomic write of 4 to 8, a snapshot at 6, an atomic write from 9 on that takes several items, and
 * two single events. An id `b` beside it.
 */
beforeAll(async () => {
  world = await DamagedWorld.open([copied], async (opened, beside) => {
    const long = singles(9, 34).map(({ payload }) => ({
      payload: { ...(payload as object), text: "x".repeat(400) },
    }));
    await append(opened, "a", [...singles(1, 3), singles(4, 8), long, ...singles(35, highest)]);
    await beside.save("a", 6, { sum: 6 });
    await append(opened, "b", singles(1, 3));
  });
  ({ engine, journal, snapshots } = world);
  stored = await eventItems();
});

afterAll(() => engine.close());

async function eventItems(): Promise<Item[]> {
  const all = await itemsOf(engine, "events");
  const ofA = all.filter(
    ({ par, ev, tomb }) => par?.S === "journal-P-a" && (ev !== undefined || tomb !== undefined),
  );
  return ofA.sort((one, other) => firstOf(one) - firstOf(other));
}

const firstOf = ({ num }: Item) => Number(num?.N);
const lastOf = (item: Item) => firstOf(item) + Number(item["events"]?.N ?? 1) - 1;

/** Items that are damaged: a single event, an atomic write, the first, a middle and the last part of the long one, and the newest. */
const victims: readonly [name: string, pick: (items: readonly Item[]) => number][] = [
  ["a single event", () => 1],
  ["an atomic write", () => 3],
  ["the first item of a long write", () => 4],
  ["an inner item of a long write", () => 5],
  ["the last item of a long write", (items) => items.length - 3],
  ["the newest item", (items) => items.length - 1],
];

interface Damage {
  readonly name: string;
  readonly apply: (item: Item) => Item | undefined;
}

const bytesOf = (item: Item, name: string) => item[name]?.B ?? new Uint8Array();

function without(item: Item, name: string): Item {
  const { [name]: _gone, ...rest } = item;
  return rest;
}

/** A change of every kind: of the bytes of the events by place, of every attribute, and of the item as a whole. */
function damagesOf(item: Item): readonly Damage[] {
  const key = ["par", "num"];
  const names = Object.keys(item).filter((name) => !key.includes(name));
  const size = bytesOf(item, "ev").length;
  const places = [0, 1, 2, 3, 4, 5, 6, 7, Math.floor(size / 2), size - 2, size - 1].filter((at) => at < size);
  const set = (name: string, value: Item[string]): Damage => ({
    name: `${name} is ${JSON.stringify(value)}`,
    apply: (each) => ({ ...each, [name]: value }),
  });
  const number = (name: string) => Number(item[name]?.N ?? 0);
  return [
    ...places.map((at) => ({
      name: `byte ${at} of the events`,
      apply: (each: Item) => ({ ...each, ev: { B: flipped(bytesOf(each, "ev"), at) } }),
    })),
    ...[1, Math.floor(size / 2), size - 1].map((kept) => ({
      name: `the events end after ${kept} bytes`,
      apply: (each: Item) => ({ ...each, ev: { B: bytesOf(each, "ev").slice(0, kept) } }),
    })),
    ...[0, 1, 2, 3].map((at) => ({
      name: `byte ${at} of the checksum`,
      apply: (each: Item) => ({ ...each, crc: { B: flipped(bytesOf(each, "crc"), at) } }),
    })),
    ...[-1, 1, 3, 1000].map((by) => set("events", { N: String(Math.max(0, number("events") + by)) })),
    set("from", { N: String(firstOf(item) + 1) }),
    set("from", { N: "1" }),
    set("before", { N: String(number("before") + 1) }),
    set("after", { N: String(number("after") + 1) }),
    set("after", { N: "1000" }),
    set("wid", { S: "another" }),
    set("w", { S: "another" }),
    set("tags", { SS: ["another"] }),
    set("staged", { BOOL: true }),
    set("tomb", { BOOL: true }),
    {
      name: "tomb with its last number",
      apply: (each) => ({ ...each, tomb: { BOOL: true }, last: { N: String(lastOf(each)) } }),
    },
    ...names.map((name) => ({ name: `no ${name}`, apply: (each: Item) => without(each, name) })),
    ...names.flatMap((name) =>
      [{ NULL: true }, { S: "text" }, { N: "-1" }, { N: "1.5" }, { B: Uint8Array.of(1) }, { L: [] }].map(
        (value) => set(name, value),
      ),
    ),
    {
      name: "a row of the bucketed layout",
      apply: ({ par, num }) => ({ par, num, event: { B: Uint8Array.of(1) }, seq: num }) as Item,
    },
    { name: "only its key", apply: ({ par, num }) => ({ par, num }) as Item },
    { name: "no item", apply: () => undefined },
  ];
}

/** The events of a replay. One that fails must report the damage. */
async function replayed(from = 1): Promise<Replayed> {
  const found = await world.replayed(from);
  if (found.failed)
    expect(["JOURNAL_ITEM_CORRUPT", "JOURNAL_DAMAGED", "JOURNAL_ROW_CORRUPT"]).toContain(found.code);
  return found;
}

/** What must hold of a damaged id, whatever is called. */
const calls: Readonly<Record<string, (victim: Item, context: string) => Promise<void>>> = {
  async replay(_victim, context) {
    for (const from of [1, 3, 6, 9, 15, 34, 35, highest]) {
      const { numbers, failed } = await replayed(from);
      expect([context, from, numbers]).toEqual([
        context,
        from,
        range(from, failed ? from + numbers.length - 1 : highest),
      ]);
    }
  },
  async load(_victim, context) {
    const result = await attempt(async () => {
      const { events } = await journal.load("a");
      return numbersOf(await collect(events));
    });
    if ("value" in result) expect([context, result.value]).toEqual([context, range(1, highest)]);
    const tail = await attempt(async () => {
      const loaded = await loadTail(journal, snapshots, "a", { limit: 3 });
      return loaded && [loaded.snapshot?.sequenceNr ?? 0, ...numbersOf(await collect(loaded.events))];
    });
    if ("value" in tail && tail.value !== undefined)
      expect([context, tail.value]).toEqual([context, range(6, highest)]);
  },
  async append(_victim, context) {
    const before = new Map(
      (await itemsOf(engine, "events")).map((item) => [keyText(item), JSON.stringify(item)]),
    );
    const byWriter = await attempt(async () => {
      const writer = await journal.recover("a");
      expect([context, writer.highestSequenceNr]).toEqual([context, highest]);
      return writer.append([{ payload: { n: highest + 1 } }, { payload: { n: highest + 2 } }]);
    });
    const end = "value" in byWriter && byWriter.value.kind === "ok" ? highest + 2 : highest;
    for (const expected of ["none", 2, highest, "any"] as const) {
      const byId = await attempt(() => journal.append("a", [{ payload: { n: end + 1 } }], { expected }));
      if (!("value" in byId) || byId.value.kind !== "ok") continue;
      expect([context, expected, byId.value.value]).toEqual([
        context,
        expected,
        { first: end + 1, last: end + 1 },
      ]);
      break;
    }
    const after = new Map(
      (await itemsOf(engine, "events")).map((item) => [keyText(item), JSON.stringify(item)]),
    );
    const changed = [...before].filter(([at, item]) => after.get(at) !== item).map(([at]) => at);
    expect([context, changed]).toEqual([context, []]);
  },
  async verify(victim, context) {
    const found = await attempt(() => collect(verifyJournal(engine, options)));
    const errors = "value" in found ? found.value.filter(({ severity }) => severity === "error") : [];
    const { failed } = await replayed();
    if (failed) expect([context, errors.length > 0]).toEqual([context, true]);
    for (const { persistenceId, from = 0, to = 0 } of errors) {
      expect([context, persistenceId]).toEqual([context, "a"]);
      expect([context, from <= lastOf(victim) + 1100, to >= firstOf(victim)]).toEqual([context, true, true]);
    }
  },
  async "export and migrate"(_victim, context) {
    const exported = await attempt(() => collect(exportEvents(engine, options, { persistenceId: "a" })));
    const { failed } = await replayed();
    expect([context, "error" in exported]).toEqual([context, failed]);
    const migrated = await attempt(() =>
      migrateJournal({
        from: { port: engine, journal: options },
        to: { port: engine, journal: copied },
        persistenceId: "a",
      }),
    );
    expect([context, "error" in migrated]).toEqual([context, failed]);
  },
  async compact(victim, context) {
    const before = await replayed();
    const item = (await eventItems()).find((each) => keyText(each) === keyText(victim));
    await attempt(() => compactJournal(engine, options, { persistenceId: "a" }));
    const after = await replayed();
    if (!before.failed) return expect([context, after]).toEqual([context, before]);
    const now = (await eventItems()).find((each) => keyText(each) === keyText(victim));
    expect([context, JSON.stringify(now)]).toEqual([context, JSON.stringify(item)]);
    expect([context, after.failed]).toEqual([context, true]);
  },
  async "delete inside"(victim, context) {
    const to = lastOf(victim) - 1;
    if (to < firstOf(victim)) return;
    const itemNow = async () =>
      JSON.stringify((await itemsOf(engine, "events")).find((each) => keyText(each) === keyText(victim)));
    const before = await itemNow();
    await attempt(() => journal.deleteTo("a", to));
    const { numbers, failed } = await replayed(to + 1);
    expect([context, numbers]).toEqual([context, range(to + 1, failed ? to + numbers.length : highest)]);
    // What is still needed of the damaged item stays.
    if (failed) expect([context, await itemNow()]).toEqual([context, before]);
  },
  async "delete past it"(victim, context) {
    const to = Math.min(highest, lastOf(victim) + 1);
    const deleted = await attempt(() => journal.deleteTo("a", to));
    // Only the newest item says where the id ends.
    if ("error" in deleted) return expect([context, lastOf(victim)]).toEqual([context, highest]);
    const { numbers, failed } = await replayed();
    expect([context, numbers]).toEqual([context, range(to + 1, failed ? to + numbers.length : highest)]);
    expect(await clock.autoAdvance(() => journal.highestSequenceNr("b"))).toBe(3);
  },
  async purge(_victim, context) {
    await attempt(() => journal.purge("a"));
    const left = (await itemsOf(engine, "events")).filter(({ par }) => par?.S === "journal-P-a");
    expect([context, left.map(keyText)]).toEqual([context, []]);
  },
};

describe.each(victims)("damage of %s", (_name, pick) => {
  test.each(Object.keys(calls))("neither hides nor overwrites an event: %s", async (call) => {
    const victim = stored[pick(stored)] as Item;
    for (const { name, apply } of damagesOf(victim)) {
      // Of the newest write nothing else says that it was there.
      if (name === "no item" && victim === stored.at(-1)) continue;
      await world.damage(victim, apply(victim));
      await calls[call]?.(victim, `${keyText(victim)}: ${name}`);
    }
  });
});

test("a corrupt item is reported with its id and its sequence number", async () => {
  const victim = stored[3] as Item;
  await world.damage(victim, { ...victim, crc: { B: Uint8Array.of(1, 2, 3, 4) } });
  const failure = await clock.autoAdvance(() =>
    collect(journal.replay("a")).catch((error: unknown) => error),
  );
  expect(failure).toMatchObject({
    code: "JOURNAL_ITEM_CORRUPT",
    details: { persistenceId: "a", sequenceNr: 4 },
  });
});

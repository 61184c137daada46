import { isDeepStrictEqual } from "node:util";
import type { Item } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, loadTail, type Snapshots } from "../src/index.ts";
import { compactJournal, repairJournal, verifyJournal } from "../src/tools/index.ts";
import { attempt, DamagedWorld, flipped, damagedOptions as options } from "./damaged-world.ts";
import { append, collect, numbersOf, range, singles } from "./journal-world.ts";

const lowest = 6;
const firstStaged = 13;
const lastStaged = firstStaged + 109;
const highest = lastStaged + 2;

let world: DamagedWorld;
let engine: Engine;
let journal: Journal;
let snapshots: Snapshots;
let items: readonly Item[];

/**
 * An id with all that lies beside plain events: a deleted prefix up to 5 with its tombstone and low mark, snapshots at 8 and 10, and a
 * staged write of 110 items with its commit record, between single events.
 */
beforeAll(async () => {
  world = await DamagedWorld.open([], async (opened, beside) => {
    const staged = singles(firstStaged, lastStaged).map(({ payload }) => ({
      payload: { ...(payload as object), text: "x".repeat(2500) },
    }));
    await append(opened, "a", [...singles(1, firstStaged - 1), staged, ...singles(lastStaged + 1, highest)]);
    await opened.deleteTo("a", lowest - 1);
    await beside.save("a", 8, { sum: 8 });
    await beside.save("a", 10, { sum: 10 });
  });
  ({ engine, journal, snapshots } = world);
  items = [...(await world.items()).values()].filter(({ par }) => par?.S === "journal-P-a");
});

afterAll(() => engine.close());

const numberOf = (item: Item) => Number(item["num"]?.N);
const isStaged = (item: Item) => item["staged"]?.BOOL === true;
const isPlain = (item: Item) => item["ev"] !== undefined && !isStaged(item);

/** The items to damage, by what they are. */
function victims(): Map<string, Item> {
  const found = new Map<string, Item>();
  for (const item of items) {
    const number = numberOf(item);
    if (isPlain(item)) continue;
    if (!isStaged(item)) found.set(`item ${number}, ${Object.keys(item).sort()}`, item);
    else if ([firstStaged, firstStaged + 50, lastStaged].includes(number))
      found.set(`staged item ${number}`, item);
  }
  return found;
}

/** Changes of every attribute, of the bytes of binary ones, and of the item as a whole. */
function damagesOf(item: Item): Map<string, Item | undefined> {
  const damages = new Map<string, Item | undefined>([["no item", undefined]]);
  for (const [name, value] of Object.entries(item)) {
    if (name === "par" || name === "num") continue;
    const { [name]: _gone, ...rest } = item;
    damages.set(`no ${name}`, rest);
    // Another number that could be there is not damage that can be seen: marks have no checksum.
    for (const other of [{ NULL: true }, { S: "text" }, { N: "-1" }, { B: Uint8Array.of(1) }])
      damages.set(`${name} is ${JSON.stringify(other)}`, { ...item, [name]: other } as Item);
    const bytes = value.B;
    if (bytes === undefined) continue;
    for (const at of [0, 1, bytes.length >> 1, bytes.length - 1])
      damages.set(`byte ${at} of ${name}`, { ...item, [name]: { B: flipped(bytes, at) } });
    damages.set(`half of ${name}`, { ...item, [name]: { B: bytes.slice(0, bytes.length >> 1) } });
  }
  const { par, num } = item as { par: Item[string]; num: Item[string] };
  damages.set("only its key", { par, num });
  damages.set("a tombstone", { par, num, tomb: { BOOL: true } });
  return damages;
}

/** Every item with events is as it was. */
async function expectUnchanged(before: ReadonlyMap<string, Item>, context: string): Promise<void> {
  const after = await world.items();
  const changed = [...before]
    .filter(([key, item]) => item["ev"] !== undefined && !isDeepStrictEqual(after.get(key), item))
    .map(([key]) => key);
  expect([context, changed]).toEqual([context, []]);
}

/** What must hold whatever is called: no event is returned twice, changed or skipped, and none is overwritten. */
const calls: Readonly<Record<string, (context: string) => Promise<void>>> = {
  async replay(context) {
    for (const from of [1, 7, firstStaged + 3, highest]) {
      const { numbers, failed } = await world.replayed(from);
      const start = Math.max(lowest, from);
      const end = failed ? start + numbers.length - 1 : highest;
      expect([context, from, numbers]).toEqual([context, from, range(start, end)]);
    }
  },
  async load(context) {
    const tail = await attempt(async () => {
      const loaded = await loadTail(journal, snapshots, "a", { limit: 200 });
      return loaded && { snapshot: loaded.snapshot, numbers: numbersOf(await collect(loaded.events)) };
    });
    if ("error" in tail || tail.value === undefined) return;
    const { snapshot, numbers } = tail.value;
    if (snapshot !== undefined)
      expect([context, snapshot.state]).toEqual([context, { sum: snapshot.sequenceNr }]);
    const start = snapshot === undefined ? lowest : snapshot.sequenceNr + 1;
    expect([context, numbers]).toEqual([context, range(start, highest)]);
  },
  async snapshots(context) {
    const found = await attempt(() => snapshots.load("a"));
    if ("error" in found || found.value === undefined) return;
    expect([context, found.value.state]).toEqual([context, { sum: found.value.sequenceNr }]);
  },
  async append(context) {
    const before = await world.items();
    const written = await attempt(() => journal.append("a", [{ payload: { n: highest + 1 } }]));
    if ("value" in written && written.value.kind === "ok")
      expect([context, written.value.value]).toEqual([context, { first: highest + 1, last: highest + 1 }]);
    await expectUnchanged(before, context);
  },
  async verify(context) {
    const { failed } = await world.replayed(1);
    const found = await attempt(() => collect(verifyJournal(engine, options)));
    const isReported = "error" in found || found.value.some(({ severity }) => severity === "error");
    if (failed) expect([context, isReported]).toEqual([context, true]);
  },
  async repair(context) {
    const before = await world.items();
    await attempt(() => collect(repairJournal(engine, options, { apply: true })));
    await expectUnchanged(before, context);
  },
  async compact(context) {
    const before = await world.replayed(1);
    await attempt(() => compactJournal(engine, options, { persistenceId: "a" }));
    const after = await world.replayed(1);
    if (!before.failed) expect([context, after]).toEqual([context, before]);
    else expect([context, after.failed]).toEqual([context, true]);
  },
};

describe("damage to items beside events", () => {
  test.each(Object.keys(calls))("neither hides nor invents an event: %s", async (call) => {
    const found = victims();
    // The writer item, the tombstone, the snapshots, the commit record, and three of the staged items.
    expect(found.size).toBeGreaterThanOrEqual(8);
    for (const [what, item] of found) {
      for (const [damage, damaged] of damagesOf(item)) {
        await world.damage(item, damaged);
        await calls[call]?.(`${what}: ${damage}`);
      }
    }
  });
});

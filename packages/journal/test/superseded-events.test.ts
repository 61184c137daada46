import { metered } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsInRange, type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { engineFor } from "./faults/fault-world.ts";
import { collect, numbersOf } from "./journal-world.ts";
import { eventKey, id, OriginalActor, originalItem, plainTable, table } from "./original/original-table.ts";
import { hiddenOf, highestOf, lowestOf, replayOf } from "./original/replay-oracle.ts";

const options: JournalOptions = { layout: "bucketed", table, akka: "none", random: () => 0.02 };
const all = Number.MAX_SAFE_INTEGER;

let engine: Awaited<ReturnType<typeof engineFor>>;
beforeAll(async () => {
  engine = await engineFor(options);
});
afterAll(() => engine.port.close());

/** Two actors of Akka write the same id, each from where the id ended when it was started. */
const turn = fc.oneof(
  fc.record({ by: fc.nat(1), size: fc.integer({ min: 1, max: 6 }), atomic: fc.boolean() }),
  fc.record({ restart: fc.nat(1) }),
  /** One is started again while the other goes on, and then writes over a part of what the other has written. */
  fc.record({
    overtake: fc.nat(1),
    behind: fc.integer({ min: 2, max: 6 }),
    over: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ ours: fc.integer({ min: 1, max: 3 }) }),
);
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

async function play(port: DynamoPort, journal: Journal, turns: readonly Turn[]): Promise<void> {
  const start = () => OriginalActor.start(port, []);
  const actors: [OriginalActor, OriginalActor] = [await start(), await start()];
  for (const each of turns) {
    if ("restart" in each) actors[each.restart === 0 ? 0 : 1] = await start();
    else if ("overtake" in each) {
      const other = actors[each.overtake === 0 ? 1 : 0];
      actors[each.overtake === 0 ? 0 : 1] = await start();
      for (let at = 0; at < each.behind; at++) await other.persist("written", "written");
      const overtaking = actors[each.overtake === 0 ? 0 : 1];
      for (let at = 0; at < each.over; at++) await overtaking.persist("written", "written");
    } else if ("ours" in each) {
      const writer = await journal.recover(id);
      await writer.append(Array.from({ length: each.ours }, () => ({ payload: "ours" })));
      actors.splice(0, 2, await start(), await start());
    } else {
      const actor = actors[each.by === 0 ? 0 : 1];
      if (each.atomic && each.size > 1) await actor.persistAll(each.size, ["written"]);
      else for (let at = 0; at < each.size; at++) await actor.persist("written", "written");
    }
  }
}

/** The events of a live query up to those that are there. */
function followed(journal: Journal, from: number, to: number): Promise<number[]> {
  return collect(journal.eventsById(id, { from, to })).then(numbersOf);
}

test("a read leaves out the same events of superseded writers wherever it begins", {
  timeout: 600_000,
}, async () => {
  let dropped = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 10 }), async (turns) => {
      await engine.reset();
      const journal = await openJournal(engine.port, options);
      await play(engine.port, journal, turns);
      const found = await plainTable(engine.port);
      const whole = replayOf(found, { from: 1, to: all, max: all });
      for (const reason of hiddenOf(found).values()) if (reason === "superseded") dropped++;
      const highest = highestOf(found);
      for (let from = lowestOf(found); from <= highest + 1; from++) {
        const rest = whole.filter((each) => each >= from);
        const replayed = numbersOf(await collect(journal.replay(id, { from })));
        const ranged = await collect(eventsInRange(journal, id, { from, to: all, max: 4 }));
        const live = from > highest ? [] : await followed(journal, from, highest);
        const expected = { from, replayed: rest, ranged: rest.slice(0, 4), live: from > highest ? [] : rest };
        expect({ from, replayed, ranged: numbersOf(ranged), live }).toEqual(expected);
      }
      const from = Math.ceil(highest / 2) || 1;
      const { events } = await journal.load(id, { from });
      expect(numbersOf(await collect(events))).toEqual(whole.filter((each) => each >= from));
    }),
    { numRuns: 60 },
  );
  expect(dropped).toBeGreaterThan(0);
});

/** Writers by sequence number: b took over from a, which wrote twice more. */
const writers = ["a", "a", "b", "b", "a", "b", "a", "b"];

async function putRows(): Promise<Journal> {
  await engine.reset();
  for (const [at, writer] of writers.entries()) {
    const Item = originalItem(at + 1, `event ${at + 1}`, writer);
    await engine.port.putItem({ TableName: table, Item });
  }
  return openJournal(engine.port, options);
}

test("a live query that begins at the end leaves out what a superseded writer adds", async () => {
  const journal = await putRows();
  const live = journal.eventsById(id, { from: 9, max: 1 })[Symbol.asyncIterator]();
  const next = live.next();
  await engine.port.putItem({ TableName: table, Item: originalItem(9, "late", "a") });
  await engine.port.putItem({ TableName: table, Item: originalItem(10, "good", "b") });
  expect((await next).value).toMatchObject({ sequenceNr: 10, payload: "good" });
});

test("an unreadable event before the first one does not keep a read from beginning after it", async () => {
  const journal = await putRows();
  const { Item = {} } = await engine.port.getItem({ TableName: table, Key: eventKey(2) });
  await engine.port.putItem({ TableName: table, Item: { ...Item, event: { S: "not bytes" } } });
  await expect(collect(journal.replay(id))).rejects.toMatchObject({ code: "JOURNAL_ROW_CORRUPT" });
  expect(numbersOf(await collect(journal.replay(id, { from: 5 })))).toEqual([6, 8]);
});

test("a read after a snapshot does not read the whole id", async () => {
  await engine.reset();
  for (let at = 1; at <= 1_000; at++)
    await engine.port.putItem({ TableName: table, Item: originalItem(at, "x".repeat(2_000), "a") });
  const { port, meter } = metered(engine.port, { capacity: true });
  const journal = await openJournal(port, options);
  const costOf = async (from: number) => {
    meter.reset();
    expect(await collect(journal.replay(id, { from }))).toHaveLength(1_001 - from);
    return meter.snapshot().total.readUnits;
  };
  const whole = await costOf(1);
  expect(await costOf(991)).toBeLessThan(whole / 3);
});

test("with the filter fail, a read reports only events of superseded writers that it reaches", async () => {
  await putRows();
  const failing = await openJournal(engine.port, { ...options, replayFilter: "fail" });
  const read = (from: number) => collect(failing.replay(id, { from }));
  await expect(read(6)).rejects.toMatchObject({ code: "JOURNAL_OLD_WRITER", details: { sequenceNr: 7 } });
  expect(numbersOf(await read(8))).toEqual([8]);
});

import type { DynamoPort } from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import { verifyJournal } from "../src/tools/index.ts";
import { engineFor } from "./faults/fault-world.ts";
import { append, collect, numbersOf } from "./journal-world.ts";
import {
  type Fate,
  id,
  ScatteredActor,
  type ScatteredTable,
  scatteredTable,
  shards,
  table,
} from "./original/scattered-original.ts";

/** What one side does to the table. */
type Turn =
  | { readonly do: "persist"; readonly times: number; readonly event: Fate; readonly mark: Fate }
  | { readonly do: "restart" }
  | { readonly do: "deleteSoftly" | "deleteForGood" | "delete"; readonly back: number }
  | { readonly do: "append"; readonly sizes: readonly number[] };

const fate = fc.constantFrom<Fate>("written", "written", "lost");
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("persist" as const),
      times: fc.integer({ min: 1, max: 6 }),
      event: fate,
      mark: fate,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("deleteSoftly" as const, "deleteForGood" as const, "delete" as const),
      back: fc.nat(8),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      sizes: fc.array(fc.constantFrom(1, 1, 2, 5), { minLength: 1, maxLength: 3 }),
    }),
  },
);
const history = fc.array(turn, { minLength: 1, maxLength: 8 });

/** The highest number: that of the marks, or a row at most 99 above. */
function highestOf({ rows, high, low }: ScatteredTable): number {
  const inReach = [...rows.keys()].filter((number) => number >= high && number < high + 100);
  return Math.max(high, low - 1, ...inReach);
}

function eventsIn(found: ScatteredTable): number[] {
  const isLive = (number: number) => number >= found.low && number <= highestOf(found);
  return [...found.rows.values()]
    .filter(({ number, deleted }) => isLive(number) && !deleted)
    .map(({ number }) => number);
}

async function play(port: DynamoPort, journal: Journal, turns: readonly Turn[]): Promise<void> {
  let actor: ScatteredActor | undefined;
  for (const each of turns) {
    const { high } = await scatteredTable(port);
    switch (each.do) {
      case "persist":
        actor ??= await ScatteredActor.start(port);
        for (let time = 0; time < each.times; time++) await actor.persist(each.event, each.mark);
        break;
      case "restart":
        actor = undefined;
        break;
      case "deleteSoftly":
        await (await ScatteredActor.start(port)).deleteSoftly(Math.max(0, high - each.back));
        break;
      case "deleteForGood":
        await (await ScatteredActor.start(port)).deleteForGood(Math.max(0, high - each.back));
        break;
      case "delete":
        actor = undefined;
        await journal.deleteTo(id, Math.max(0, high - each.back));
        break;
      case "append":
        actor = undefined;
        await append(
          journal,
          id,
          each.sizes.map((size) => Array.from({ length: size }, () => ({ payload: Uint8Array.of(1) }))),
        );
    }
  }
}

describe.each(["none", "2.5"] as const)(
  "a table of the plugin 0.x that both have written (akka %s)",
  (akka) => {
    const options: JournalOptions = {
      layout: "scattered",
      table,
      akka,
      sequenceShards: shards,
      random: () => 0.02,
    };
    let engine: Awaited<ReturnType<typeof engineFor>>;
    beforeAll(async () => {
      engine = await engineFor(options);
    });
    afterAll(() => engine.port.close());

    test("is replayed as its rows say, and continued above them", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.nat(30), fc.nat(30), async (turns, from, length) => {
          await engine.reset();
          const journal = await openJournal(engine.port, options);
          await play(engine.port, journal, turns);
          const found = await scatteredTable(engine.port);
          // Our rows that the plugin has removed below others of ours are damage, and not the subject here.
          fc.pre(!turns.some((each) => each.do === "deleteForGood") || !hasOurs(found));
          expect(await journal.highestSequenceNr(id)).toBe(highestOf(found));
          expect(numbersOf(await collect(journal.replay(id)))).toEqual(eventsIn(found));
          const bounds = { from, to: from + length };
          expect(numbersOf(await collect(journal.replay(id, bounds)))).toEqual(
            eventsIn(found).filter((number) => number >= from && number <= from + length),
          );
          const errors = (await collect(verifyJournal(engine.port, options))).filter(
            ({ severity }) => severity === "error",
          );
          expect(errors).toEqual([]);
          await append(journal, id, [{ payload: Uint8Array.of(2) }]);
          expect(numbersOf(await collect(journal.replay(id)))).toEqual([
            ...eventsIn(found),
            highestOf(found) + 1,
          ]);
        }),
        { numRuns: akka === "none" ? 80 : 40 },
      );
    });

    test("a single Tablekeep event that is lost right after its rows is reported", async () => {
      for (const ours of [1, 2, 3]) {
        await engine.reset();
        const actor = await ScatteredActor.start(engine.port);
        for (let time = 0; time < 5; time++) await actor.persist("written", "written");
        const journal = await openJournal(engine.port, options);
        await append(
          journal,
          id,
          Array.from({ length: ours }, () => ({ payload: Uint8Array.of(1) })),
        );
        await engine.port.deleteItem({ TableName: table, Key: { key: { S: "journal-P-p-6" } } });
        await expect(collect(journal.replay(id))).rejects.toMatchObject({
          code: "JOURNAL_DAMAGED",
          details: { sequenceNr: 6 },
        });
        const findings = await collect(verifyJournal(engine.port, options));
        expect(findings).toContainEqual(
          expect.objectContaining({ kind: "gap", severity: "error", from: 6, to: 6 }),
        );
      }
    });
  },
);

function hasOurs({ rows }: ScatteredTable): boolean {
  return [...rows.values()].some(({ ours }) => ours);
}

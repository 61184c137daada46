import type { DynamoPort } from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journal, type JournalOptions, openJournal } from "../src/index.ts";
import {
  exportEvents,
  type Finding,
  type FindingKind,
  migrateJournal,
  verifyJournal,
} from "../src/tools/index.ts";
import { engineFor } from "./faults/fault-world.ts";
import { collect, engineWith, numbersOf } from "./journal-world.ts";
import {
  type AcknowledgedWrite,
  beginAbove,
  type Fate,
  id,
  intactNumbers,
  OriginalActor,
  type PlainRow,
  type PlainTable,
  plainTable,
  putDeadRows,
  spoilHighMark,
  table,
} from "./original/original-table.ts";
import {
  type Bounds,
  type HiddenReason,
  hiddenOf,
  highestOf,
  lowestOf,
  replayOf,
} from "./original/replay-oracle.ts";

const plain: JournalOptions = { layout: "bucketed", table, akka: "none", random: () => 0.02 };
const all = Number.MAX_SAFE_INTEGER;

/** What one side does to the table. */
type Turn =
  | { readonly do: "persist"; readonly times: number; readonly event: Fate; readonly mark: Fate }
  | { readonly do: "persistAll"; readonly size: number; readonly fates: readonly Fate[] }
  | { readonly do: "restart" }
  /** An actor that another has replaced writes once more. */
  | { readonly do: "oldWriter" }
  | { readonly do: "originalDelete"; readonly back: number; readonly rowsLeft: number }
  | { readonly do: "spoilMark"; readonly how: "lost" | "stale" }
  /** Our appends: 1 is a put, up to 99 a transaction, above a staged batch. */
  | { readonly do: "append"; readonly sizes: readonly number[] }
  | { readonly do: "deadRows"; readonly above: number; readonly size: number; readonly kept: number }
  | { readonly do: "delete"; readonly back: number };

const fate = fc.constantFrom<Fate>("written", "written", "lost");
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("persist" as const),
      times: fc.integer({ min: 1, max: 4 }),
      event: fate,
      mark: fate,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("persistAll" as const),
      size: fc.integer({ min: 2, max: 70 }),
      fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("oldWriter" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("originalDelete" as const),
      back: fc.nat(12),
      rowsLeft: fc.nat(2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("spoilMark" as const),
      how: fc.constantFrom("lost" as const, "stale" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      sizes: fc.array(fc.constantFrom(1, 1, 2, 3, 7, 101), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("deadRows" as const),
      above: fc.nat(2),
      size: fc.integer({ min: 2, max: 8 }),
      kept: fc.integer({ min: 1, max: 7 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), back: fc.nat(12) }) },
);

/** An id begins at 1, or above a prefix that the original has deleted, near the end of a bucket. */
const deletedTo = fc.constantFrom(0, 0, 80, 95, 99, 100, 185);
const history = fc.record({ deletedTo, turns: fc.array(turn, { minLength: 1, maxLength: 8 }) });
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** Both sides on one table. */
class Sides {
  readonly port: DynamoPort;
  readonly journal: Journal;
  /** The events that the original has acknowledged. */
  readonly acknowledged: AcknowledgedWrite[] = [];
  #actor: OriginalActor | undefined;
  #replaced: OriginalActor | undefined;

  constructor(port: DynamoPort, journal: Journal) {
    this.port = port;
    this.journal = journal;
  }

  async play({ deletedTo, turns }: History): Promise<PlainTable> {
    await beginAbove(this.port, deletedTo);
    for (const each of turns) await this.#take(each);
    return plainTable(this.port);
  }

  async #take(turn: Turn): Promise<void> {
    switch (turn.do) {
      case "persist":
        for (let time = 0; time < turn.times; time++) await this.#persist(turn.event, turn.mark);
        return;
      case "persistAll": {
        const actor = await this.#original();
        if (!(await this.#isFree(actor.next))) return;
        if (!(await actor.persistAll(turn.size, turn.fates))) this.#actor = undefined;
        return;
      }
      case "restart":
        this.#replaced = this.#actor;
        this.#actor = undefined;
        return;
      case "oldWriter":
        if (this.#replaced !== undefined && (await this.#isFree(this.#replaced.next)))
          await this.#replaced.persist("written", "written");
        return;
      case "originalDelete":
        return (await this.#original()).deleteTo(await this.#below(turn.back), turn.rowsLeft);
      case "spoilMark":
        return spoilHighMark(this.port, turn.how);
      case "append": {
        if (hasRowsAbove(await plainTable(this.port))) return;
        const writer = await this.journal.recover(id);
        const events = turn.sizes.map((size) => Array.from({ length: size }, () => ({ payload: "ours" })));
        for (const outcome of await writer.appendEach(events)) expect(outcome).toMatchObject({ kind: "ok" });
        this.#actor = undefined;
        return;
      }
      case "deadRows": {
        const first = highestOf(await plainTable(this.port)) + 1 + turn.above;
        return putDeadRows(this.port, first, turn.size, turn.kept);
      }
      case "delete":
        return this.journal.deleteTo(id, await this.#below(turn.back));
    }
  }

  async #persist(event: Fate, mark: Fate): Promise<void> {
    const actor = await this.#original();
    if (!(await this.#isFree(actor.next))) return;
    // A row lost right after one of ours is indistinguishable from a lost row of ours.
    const before = [...(await plainTable(this.port)).rows.values()].filter(
      ({ number }) => number < actor.next,
    );
    await actor.persist(before.at(-1)?.wid === undefined ? event : "written", mark);
  }

  async #original(): Promise<OriginalActor> {
    this.#actor ??= await OriginalActor.start(this.port, this.acknowledged);
    return this.#actor;
  }

  /** The original overwrites rows that it does not see. Such damage to our rows is not the subject here. */
  async #isFree(next: number): Promise<boolean> {
    const { rows, commits } = await plainTable(this.port);
    const isOurs = ({ wid, staged, first }: PlainRow) =>
      wid !== undefined && (!staged || commits.get(first) === wid);
    return ![...rows.values()].some((row) => row.number >= next && isOurs(row));
  }

  async #below(back: number): Promise<number> {
    return Math.max(0, highestOf(await plainTable(this.port)) - back);
  }
}

/** Bounds at and beside the edges of what was written, and some others. */
function boundsOf(found: PlainTable): fc.Arbitrary<Bounds> {
  const edges = new Set([1, lowestOf(found), highestOf(found), highestOf(found) + 1]);
  for (const { first, last, number } of found.rows.values())
    if (number === first || number === last) for (const by of [-1, 0, 1]) edges.add(Math.max(1, number + by));
  const edge = fc.constantFrom(...edges);
  return fc.record({
    from: fc.oneof(edge, fc.constant(1)),
    to: fc.oneof(edge, fc.constant(all)),
    max: fc.oneof(fc.constant(all), fc.integer({ min: 0, max: 40 })),
  });
}

describe.each(["none", "2.6"] as const)(
  "a bucketed table that the original and we have written (akka %s)",
  (akka) => {
    const options: JournalOptions = { ...plain, akka };
    const runs = (count: number) => ({ numRuns: akka === "none" ? count : count / 2 });
    let engine: Awaited<ReturnType<typeof engineFor>>;
    beforeAll(async () => {
      engine = await engineFor(options);
    });
    afterAll(() => engine.port.close());

    /** Plays a history on an empty table. */
    async function played(history: History): Promise<{ sides: Sides; found: PlainTable; journal: Journal }> {
      await engine.reset();
      const journal = await openJournal(engine.port, options);
      const sides = new Sides(engine.port, journal);
      return { sides, found: await sides.play(history), journal };
    }

    async function replayed(journal: Journal, bounds: Bounds): Promise<number[]> {
      return numbersOf(await collect(journal.replay(id, bounds)));
    }

    test("replays every event that was acknowledged, whatever the bounds", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.gen(), async (history, gen) => {
          const { sides, found, journal } = await played(history);

          expect(await journal.highestSequenceNr(id)).toBe(highestOf(found));
          expect(await journal.lowestSequenceNr(id)).toBe(lowestOf(found));
          const everything = replayOf(found, { from: 1, to: all, max: all });
          expect(await replayed(journal, { from: 1, to: all, max: all })).toEqual(everything);
          for (let count = 0; count < 12; count++) {
            const bounds = gen(() => boundsOf(found));
            expect({ bounds, given: await replayed(journal, bounds) }).toEqual({
              bounds,
              given: replayOf(found, bounds),
            });
          }

          if (history.turns.some((each) => each.do === "oldWriter")) return;
          const acknowledged = sides.acknowledged.flatMap((write) => intactNumbers(found, write));
          const lost = acknowledged.filter((each) => each <= highestOf(found) && !everything.includes(each));
          expect(lost).toEqual([]);
        }),
        runs(120),
      );
    });

    test("recovers, appends and deletes above all of it", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.nat(20), async (history, back) => {
          const { found, journal } = await played(history);
          fc.pre(!hasRowsAbove(found));
          const before = replayOf(found, { from: 1, to: all, max: all });
          const writer = await journal.recover(id);
          const highest = highestOf(found);
          expect(writer.highestSequenceNr).toBe(highest);
          expect(writer.lowestSequenceNr).toBe(lowestOf(found));
          const outcomes = await writer.appendEach([{ payload: "x" }, [{ payload: "y" }, { payload: "z" }]]);
          expect(outcomes).toMatchObject([{ kind: "ok" }, { kind: "ok" }]);
          const added = [highest + 1, highest + 2, highest + 3];
          expect(await replayed(journal, { from: 1, to: all, max: all })).toEqual([...before, ...added]);
          await journal.deleteTo(id, Math.max(0, highest - back));
          const left = await plainTable(engine.port);
          expect(await replayed(journal, { from: 1, to: all, max: all })).toEqual(
            replayOf(left, { from: 1, to: all, max: all }),
          );
          expect(await journal.highestSequenceNr(id)).toBe(highest + 3);
          expect(await journal.lowestSequenceNr(id)).toBe(Math.max(lowestOf(found), highest - back + 1));
        }),
        runs(60),
      );
    });

    test("is exported, migrated and verified as it is replayed", { timeout: 600_000 }, async () => {
      const copies: readonly JournalOptions[] = [
        { ...options, table: "bucketed-copy" },
        { layout: "linear", table: "linear-copy", akka: "none" },
      ];
      const targets = await engineWith(...copies);
      const empty = await targets.checkpoint();
      await fc.assert(
        fc.asyncProperty(history, async (history) => {
          const { found, journal } = await played(history);
          const events = replayOf(found, { from: 1, to: all, max: all });
          const findings = await collect(verifyJournal(engine.port, options));
          expect(findings.filter(({ severity }) => severity === "error" && !isBeyondEnd(findings))).toEqual(
            [],
          );
          for (const [number, reason] of hiddenOf(found)) {
            const told = findings.filter((each) => covers(each, number)).map(({ kind }) => kind);
            expect({ number, told: told.includes(findingOf[reason]) }).toEqual({ number, told: true });
          }
          const payloads = (await collect(journal.replay(id))).map(({ payload }) => payload);
          const exporting = exported(engine.port, options);
          await targets.restore(empty);
          const migrating = Promise.all(
            copies.map((copy) =>
              migrateJournal({
                from: { port: engine.port, journal: options },
                to: { port: targets, journal: copy },
              }),
            ),
          );
          if (isBeyondEnd(findings)) {
            await expect(exporting).rejects.toMatchObject({ code: "JOURNAL_ROWS_HIDDEN" });
            await expect(migrating).rejects.toMatchObject({ code: "JOURNAL_ROWS_HIDDEN" });
            return;
          }
          expect(await exporting).toEqual(events);
          await migrating;
          for (const copy of copies) {
            const target = await openJournal(targets, copy);
            const given = await collect(target.replay(id));
            expect(numbersOf(given)).toEqual(events);
            expect(given.map(({ payload }) => payload)).toEqual(payloads);
            expect(await target.highestSequenceNr(id)).toBe(highestOf(found));
            expect(await target.lowestSequenceNr(id)).toBe(lowestOf(found));
          }
        }),
        runs(60),
      );
      await targets.close();
    });
  },
);

/** The finding that says why a row is not replayed. */
const findingOf: Readonly<Record<HiddenReason, FindingKind>> = {
  "half-batch": "original-half-batch",
  superseded: "old-writer",
  uncommitted: "staged-rows-left",
};

function covers({ from = 0, to = 0 }: Finding, number: number): boolean {
  return from <= number && number <= to;
}

/** Whether there are events that no mark leads to. */
function isBeyondEnd(findings: readonly Finding[]): boolean {
  return findings.some(({ kind }) => kind === "events-beyond-end");
}

/** Rows that no mark leads to block a large append. */
function hasRowsAbove(found: PlainTable): boolean {
  const highest = highestOf(found);
  return [...found.rows.values()].some(({ number, staged }) => number > highest && !staged);
}

/** The numbers of the events in an export. */
async function exported(port: DynamoPort, options: JournalOptions): Promise<number[]> {
  const lines = (await collect(exportEvents(port, options))).map((line) => JSON.parse(line));
  return lines.flatMap((line: { sequenceNr?: number }) => line.sequenceNr ?? []);
}

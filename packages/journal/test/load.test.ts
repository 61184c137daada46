import { wrapPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { type JournalEvent, openJournal, unwrap } from "../src/index.ts";
import { append, collect, engineWith, layouts, numbersOf, range, singles } from "./journal-world.ts";

describe.each(layouts)("load in the %s layout", (layout) => {
  const options = { layout, table: "events" } as const;
  const open = async () => {
    const port = await engineWith(options);
    return { port, journal: await openJournal(port, options) };
  };

  test("returns no events for a new id, and a writer that begins at 1", async () => {
    const { journal } = await open();
    const { writer, events } = await journal.load("a");
    expect(await collect(events)).toEqual([]);
    expect(unwrap(await writer.append({ payload: 1 }))).toEqual({ first: 1, last: 1 });
  });

  test("returns what the writer appends after, and nothing that is appended later", async () => {
    const { port, journal } = await open();
    await append(journal, "a", [singles(1, 150)]);
    const { writer, events } = await journal.load("a");
    await append(await openJournal(port, options), "a", singles(151, 153));
    expect(numbersOf(await collect(events))).toEqual(range(1, 150));
    expect(numbersOf(await collect(events))).toEqual(range(1, 150));
    expect(await writer.append({ payload: "late" })).toMatchObject({ kind: "conflict" });
  });

  test("reads from a number on, and not below the lowest", async () => {
    const { journal } = await open();
    await append(journal, "a", singles(1, 12));
    expect(numbersOf(await collect((await journal.load("a", { from: 9 })).events))).toEqual(range(9, 12));
    expect(await collect((await journal.load("a", { from: 13 })).events)).toEqual([]);
    await journal.deleteTo("a", 5);
    const { writer, events } = await journal.load("a", { from: 2 });
    expect(writer.lowestSequenceNr).toBe(6);
    expect(numbersOf(await collect(events))).toEqual(range(6, 12));
  });

  test("folds the payloads into a state", async () => {
    const { journal } = await open();
    await append(journal, "a", [{ payload: 3 }, [{ payload: 4 }, { payload: 5 }]]);
    const seen: JournalEvent[] = [];
    const { writer, state } = await journal.load("a", {
      initial: (id) => `${id}:`,
      evolve: (before, payload, event) => {
        seen.push(event);
        return `${before}${String(payload)}`;
      },
    });
    expect(state).toBe("a:345");
    expect(numbersOf(seen)).toEqual([1, 2, 3]);
    expect(unwrap(await writer.append({ payload: 6 })).first).toBe(4);
    const { state: rest } = await journal.load("a", { from: 3, initial: () => 0, evolve: (sum) => sum + 1 });
    expect(rest).toBe(2);
  });

  test("throws what evolve throws, and rejects a fold without a beginning or an end", async () => {
    const { journal } = await open();
    await append(journal, "a", [{ payload: 3 }]);
    const broken = () => {
      throw new RangeError("broken");
    };
    await expect(journal.load("a", { initial: () => 0, evolve: broken })).rejects.toThrow(RangeError);
    for (const wrong of [
      { initial: () => 0 },
      { evolve: () => 0 },
      { initial: 0, evolve: () => 0 },
      { to: 3 },
    ])
      await expect(journal.load("a", wrong as object)).rejects.toMatchObject({
        code: "JOURNAL_OPTION_INVALID",
      });
  });

  test("starts at the new beginning if events are deleted meanwhile, unless they were asked for", async () => {
    const { port, journal } = await open();
    await append(journal, "a", singles(1, 12));
    const { events } = await journal.load("a");
    const asked = await journal.load("a", { from: 3 });
    await (await openJournal(port, options)).deleteTo("a", 7);
    if (layout === "packed") {
      // The load has read them with the position.
      expect(numbersOf(await collect(events))).toEqual(range(1, 12));
      expect(numbersOf(await collect(asked.events))).toEqual(range(3, 12));
      return;
    }
    expect(numbersOf(await collect(events))).toEqual(range(8, 12));
    await expect(collect(asked.events)).rejects.toMatchObject({
      code: "JOURNAL_REPLAY_TRIMMED",
      retryable: true,
      details: { lowest: 8, gaveEvents: false },
    });
    expect(numbersOf(await collect((await journal.load("a", { from: 8 })).events))).toEqual(range(8, 12));
  });

  test("a fold whose first events are deleted meanwhile has the state of the others", async () => {
    const { port, journal } = await open();
    await append(journal, "a", singles(1, 12));
    const other = await openJournal(port, options);
    let deleted = false;
    const racing = wrapPort(port, async (operation, input, call, next) => {
      // Between the recovery and the replay.
      if (!deleted && isReplay(operation, input)) {
        deleted = true;
        await other.deleteTo("a", 7);
      }
      return next(operation, input, call);
    });
    const { state: rest } = await (await openJournal(racing, options)).load("a", {
      initial: () => [] as number[],
      evolve: (numbers, _payload, { sequenceNr }) => [...numbers, sequenceNr],
    });
    expect(deleted).toBe(true);
    expect(rest).toEqual(range(8, 12));
  });
});

/** Whether a request reads events in order; a recovery reads the last one first, or items by key. */
function isReplay(operation: string, input: object): boolean {
  const { ScanIndexForward, Limit, RequestItems } = input as {
    ScanIndexForward?: boolean;
    Limit?: number;
    RequestItems?: Readonly<Record<string, { readonly Keys?: readonly unknown[] }>>;
  };
  if (operation === "Query") return ScanIndexForward !== false && Limit !== 1;
  return operation === "BatchGetItem" && RequestItems?.["events"]?.Keys?.length === 12;
}

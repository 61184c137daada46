import { afterEach, describe, expect, test } from "vitest";
import { append, collect, engineWith, layouts, numbersOf, range } from "../../../test/journal-world.ts";
import type { Journal } from "../../context/journal.ts";
import { openJournal } from "../../open-journal.ts";
import { verifyJournal } from "../verify/verify-journal.ts";
import { exportEvents } from "./export-events.ts";
import { importEvents } from "./import-events.ts";
import { readExported } from "./read-export.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const events = (life: string, count: number) => range(1, count).map((n) => ({ payload: `${life}${n}` }));

describe.each(layouts)("%s: an export that was interrupted at event 5 of an id", (layout) => {
  const source = { table: "source", layout, sequenceShards: 2 };
  const target = { table: "target", layout, sequenceShards: 2 };

  /** A journal, and the lines of its export up to there and from there on, after a change of the journal. */
  async function resumedAfter(change: (journal: Journal) => Promise<unknown>) {
    const port = await engineWith(source, target);
    open.push(port);
    const journal = await openJournal(port, source);
    for (const id of ["a", "b", "c"]) await append(journal, id, events("first", 12));
    const lines = await collect(exportEvents(port, source));
    const kept = lines.slice(0, lines.findIndex((line) => line.includes('"b","sequenceNr":5,')) + 1).join("");
    const resume = await readExported([kept]);
    await change(journal);
    const rest = collect(exportEvents(port, source, { resume }));
    return { port, journal, rest, whole: async () => [kept, ...(await rest)] };
  }

  test.each([2, 5, 8, 12])("continues after a deletion up to %i, and can be imported", async (to) => {
    const { port, journal, whole } = await resumedAfter((each) => each.deleteTo("b", to));
    const file = await whole();
    expect(await importEvents(port, file, target)).toMatchObject({ ids: 3 });
    const copy = await openJournal(port, target);
    for (const id of ["a", "b", "c"]) {
      // What the file has of a deleted beginning is kept, unless events between it and the rest are missing.
      const lowest = id === "b" && to > 5 ? to + 1 : 1;
      expect(numbersOf(await collect(copy.replay(id)))).toEqual(range(lowest, 12));
      expect(await copy.lowestSequenceNr(id)).toBe(lowest);
      expect(await copy.highestSequenceNr(id)).toBe(await journal.highestSequenceNr(id));
    }
    expect(await importEvents(port, file, target)).toMatchObject({ written: 0 });
    expect(await collect(verifyJournal(port, target))).toEqual([]);
  });

  test.each([0, 3, 12])("ends with an error if the id was purged and has %i new events", async (count) => {
    const { rest } = await resumedAfter(async (journal) => {
      await journal.purge("b");
      if (count > 0) await append(journal, "b", events("second", count));
    });
    await expect(rest).rejects.toMatchObject({ code: "JOURNAL_EXPORT_INVALID", details: { line: 21 } });
  });

  test("continues with events that were appended since", async () => {
    const { port, whole } = await resumedAfter((journal) => append(journal, "b", events("more", 2)));
    await importEvents(port, await whole(), target);
    const copy = await openJournal(port, target);
    expect(numbersOf(await collect(copy.replay("b")))).toEqual(range(1, 14));
  });
});

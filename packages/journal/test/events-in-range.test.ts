import { describe, expect, test } from "vitest";
import { eventsInRange, openJournal, openJournalReader } from "../src/index.ts";
import { listedIds } from "./akka-fixtures.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  layouts,
  numbersOf,
  range,
} from "./journal-world.ts";

const unbounded = { from: 1, to: Number.POSITIVE_INFINITY, max: Number.POSITIVE_INFINITY };

// A part of a replay has no event that the whole replay leaves out: of a half batch, or of a superseded writer.
test.each(["akka-1.3", "akka-1.3-faults"] as const)(
  "%s: a bounded range is a part of the whole replay",
  async (fixture) => {
    await using port = await engineWithFixture(fixture);
    const journal = await openJournalReader(port, fixtureOptions(fixture));
    for (const id of Object.keys(listedIds(fixture))) {
      const all = numbersOf(await collect(journal.replay(id)));
      for (const bound of [1, 30, 66, 101, 1000]) {
        const to = numbersOf(await collect(eventsInRange(journal, id, { ...unbounded, to: bound })));
        expect([id, bound, to]).toEqual([id, bound, all.filter((each) => each <= bound)]);
        const max = numbersOf(await collect(eventsInRange(journal, id, { ...unbounded, max: bound })));
        expect([id, bound, max]).toEqual([id, bound, all.slice(0, bound)]);
      }
    }
  },
);

describe.each(layouts)("%s", (layout) => {
  test("a range divides an atomic write, wherever it begins", async () => {
    const options = { table: "events", layout, sequenceShards: 1 };
    await using port = await engineWith(options);
    const journal = await openJournal(port, options);
    const events = (count: number) => range(1, count).map((n) => ({ payload: n }));
    await append(journal, "a", [events(1), events(5), events(1), events(7)]);
    await journal.deleteTo("a", 3);
    for (const from of [1, 5, 8, 10])
      for (const bound of [1, 4, 6, 7, 12, 15]) {
        const asked = range(Math.max(4, from), 14);
        const to = numbersOf(await collect(eventsInRange(journal, "a", { ...unbounded, from, to: bound })));
        expect(to).toEqual(asked.filter((each) => each <= bound));
        const max = numbersOf(await collect(eventsInRange(journal, "a", { ...unbounded, from, max: bound })));
        expect(max).toEqual(asked.slice(0, bound));
      }
  });
});

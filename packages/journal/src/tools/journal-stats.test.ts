import { afterAll, expect, test } from "vitest";
import {
  append,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  rowLayouts,
  singles,
} from "../../test/journal-world.ts";
import { openJournal } from "../open-journal.ts";
import { journalStats } from "./journal-stats.ts";

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const port of open) await port.close();
});

test.each(rowLayouts)("a journal in the %s layout is counted", async (layout) => {
  const options = { table: "events", layout, sequenceShards: 10 };
  const port = await engineWith(options);
  open.push(port);
  const journal = await openJournal(port, options);
  await append(journal, "a", [...singles(1, 3), { payload: 7n, timestamp: 1000 }]);
  await append(journal, "b", [singles(1, 120)]);
  await journal.deleteTo("a", 2);
  const stats = await journalStats(port, options);
  expect(stats).toMatchObject({
    ids: 2,
    events: 122,
    staged: 120,
    softlyDeleted: 0,
    unreadable: 0,
    tombstones: 2,
    oldest: 1000,
    longest: { persistenceId: "b", events: 120 },
    bySerializer: { 18: 1, 742001: 121 },
    commitRecords: 1,
    registered: layout === "scattered" ? 0 : 2,
    otherItems: 0,
  });
  const format = layout === "scattered" ? "message" : "event";
  expect(stats.byFormat[format]).toBe(122);
  expect(stats.eventBytes).toBeGreaterThan(122 * 50);
  expect(await journalStats(port, options, { persistenceId: "a" })).toMatchObject({
    ids: 1,
    events: 2,
    tombstones: 2,
  });
  const none = await journalStats(port, { ...options, journalName: "other" });
  expect(none).toMatchObject({ ids: 0, events: 0 });
  expect(none.otherItems).toBeGreaterThan(100);
});

test("the original's rows are counted by their formats", async () => {
  const port = await engineWithFixture("akka-1.1-then-1.3");
  open.push(port);
  const stats = await journalStats(port, fixtureOptions("akka-1.1-then-1.3"));
  expect(stats).toMatchObject({ ids: 17, events: 645, otherItems: 0, writerItems: 0 });
  expect(stats.byFormat.pay + stats.byFormat.event).toBe(645);
  expect(stats.byFormat.event).toBeGreaterThan(10);
});

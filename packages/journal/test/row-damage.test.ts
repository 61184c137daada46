import type { DynamoPort, Item } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { eventsInRange, openJournalReader } from "../src/index.ts";
import { openJournal } from "../src/open-journal.ts";
import { exportEvents, migrateJournal, verifyJournal } from "../src/tools/index.ts";
import { append, collect, engineWith, itemsOf, makeTable, rowLayouts, singles } from "./journal-world.ts";

const table = "events";
const clock = fakeClock();
const later = clock.now() + 3_600_000;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

/** Two single events, an atomic write of four from 3 on, and two more of which the last expires. */
async function world(layout: (typeof rowLayouts)[number]) {
  const options = { table, layout, clock };
  const port = await engineWith(options);
  open.push(port);
  const last = { payload: { n: 8 }, tags: ["t"], expiresAt: later };
  await append(await openJournal(port, options), "a", [
    ...singles(1, 2),
    singles(3, 6),
    ...singles(7, 7),
    last,
  ]);
  return { port, options };
}

async function change(port: DynamoPort, text: string, changed: (item: Item) => Item): Promise<void> {
  for (const item of await itemsOf(port, table)) {
    const stored = item["event"]?.B ?? item["pay"]?.B ?? item["payload"]?.B;
    if (stored === undefined || !Buffer.from(stored).includes(text)) continue;
    await port.putItem({ TableName: table, Item: changed(item) });
  }
}

const changes: [name: string, sequenceNr: number, changed: (item: Item) => Item][] = [
  [
    "the last row of an atomic write that says that another follows",
    6,
    (item) => ({ ...item, cnt: { N: "4" } }),
  ],
  ["an inner row with another place", 4, (item) => ({ ...item, idx: { N: "2" } })],
  ["an inner row without a place", 5, ({ idx: _, cnt: __, ...item }) => item],
  ["a single event as the first of a write", 2, (item) => ({ ...item, idx: { N: "0" }, cnt: { N: "4" } })],
  ["a single event as the last of a write", 7, (item) => ({ ...item, idx: { N: "4" }, cnt: { N: "4" } })],
  ["an event that expired", 8, (item) => ({ ...item, expires: { N: "1" } })],
  ["an event that expires no more", 8, ({ expires: _, ...item }) => item],
  ["a single event that expired", 1, (item) => ({ ...item, expires: { N: "1" } })],
];

describe.each(rowLayouts)("in the %s layout", (layout) => {
  test("undamaged, every way to read it passes", async () => {
    const { port, options } = await world(layout);
    const reader = await openJournalReader(port, options);
    expect(await collect(reader.replay("a"))).toHaveLength(8);
    expect(await collect(verifyJournal(port, options))).toEqual([]);
  });

  test.each(changes)("every way to read it reports %s", async (_name, sequenceNr, changed) => {
    const { port, options } = await world(layout);
    await change(port, `{"n":${sequenceNr}}`, changed);
    const reader = await openJournalReader(port, options);
    const target = { table: "target", layout: "packed" as const };
    await makeTable(port, target);
    const ways: (() => Promise<unknown>)[] = [
      () => collect(reader.replay("a")),
      () => collect(reader.replay("a", { from: sequenceNr })),
      () => collect(eventsInRange(reader, "a", { from: 1, to: 8, max: 8 })),
      () => collect(exportEvents(port, options)),
      () => migrateJournal({ from: { port, journal: options }, to: { port, journal: target } }),
    ];
    for (const read of ways)
      await expect(clock.autoAdvance(read)).rejects.toMatchObject({
        code: "JOURNAL_CHECKSUM_MISMATCH",
        details: { persistenceId: "a", sequenceNr },
      });
    const found = await collect(verifyJournal(port, options));
    expect(found).toContainEqual(
      expect.objectContaining({
        kind: "checksum-mismatch",
        severity: "error",
        from: sequenceNr,
        to: sequenceNr,
      }),
    );
  });
});

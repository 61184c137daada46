import { describe, expect, test } from "vitest";
import { type NewEvent, openJournal, unwrap } from "../src/index.ts";
import { exportEvents, importEvents, migrateJournal } from "../src/tools/index.ts";
import { collect, engineWith, layouts } from "./journal-world.ts";

const ids = { id: "e-1", correlationId: "request-17", causationId: "command-3" };

const events: readonly NewEvent[] = [
  { payload: 1 },
  { payload: 2, ...ids },
  { payload: 3, ...ids, id: "e-3", metadata: { user: "ann" } },
  { payload: 4, correlationId: "request-18" },
  { payload: 5, metadata: { user: "ben" } },
  { payload: 6, metadata: { "tablekeep:ids": { id: "not an id" }, metadata: "of the caller" } },
  { payload: 7, metadata: ["a", "list"] },
];

const formats = [
  ...layouts.map((layout) => ({ layout })),
  { layout: "bucketed", format: "pay" },
  { layout: "bucketed", format: "message" },
] as const;

describe.each(formats)("ids and metadata of events, %o", (options) => {
  const open = async () => {
    const port = await engineWith({ ...options, table: "events" });
    const journal = await openJournal(port, { ...options, table: "events" });
    unwrap(await journal.append("a", events));
    return { port, journal };
  };
  const shown = async (journal: Awaited<ReturnType<typeof openJournal>>) =>
    (await collect(journal.replay("a"))).map(({ id, correlationId, causationId, metadata, payload }) => ({
      payload,
      id,
      correlationId,
      causationId,
      metadata,
    }));

  test("are returned as they were given, and an id is always there", async () => {
    const { journal } = await open();
    const read = await shown(journal);
    expect(read).toMatchObject(events);
    for (const [at, { id, ...rest }] of read.entries()) {
      const { id: given = id, ...event } = events[at] as NewEvent;
      expect(id).toBe(given);
      expect(rest).toEqual({ ...rest, ...event });
    }
    expect(new Set(read.map(({ id }) => id)).size).toBe(events.length);
    expect(await shown(journal)).toEqual(read);
  });

  test.each(layouts)("are the same in a copy in the %s layout, migrated or imported", async (layout) => {
    const { port, journal } = await open();
    const read = await shown(journal);
    const target = { layout, table: "copy" };
    const copies = await engineWith(target);
    await migrateJournal({
      from: { port, journal: { ...options, table: "events" } },
      to: { port: copies, journal: target },
    });
    expect(await shown(await openJournal(copies, target))).toEqual(read);
    const lines = exportEvents(port, { ...options, table: "events" });
    const imported = await engineWith(target);
    await importEvents(imported, lines, target);
    expect(await shown(await openJournal(imported, target))).toEqual(read);
  });

  test("that are not well-formed strings are rejected", async () => {
    const { journal } = await open();
    for (const field of ["id", "correlationId", "causationId"])
      for (const wrong of ["", 7, null, "\ud800"])
        expect(await journal.append("b", { payload: 1, [field]: wrong })).toMatchObject({
          kind: "rejected",
          error: { code: "JOURNAL_EVENT_INVALID", details: { field } },
        });
    expect(await journal.highestSequenceNr("b")).toBe(0);
  });

  test("stand beside no other members: what would not be stored is rejected", async () => {
    const { journal } = await open();
    const writer = await journal.recover("d");
    for (const name of ["type", "tag", "correlationID", "sequenceNr"]) {
      const event = { payload: 1, [name]: "x" };
      const error = { code: "JOURNAL_EVENT_INVALID", details: { field: name } };
      expect(await journal.append("d", event)).toMatchObject({ kind: "rejected", error });
      expect(await writer.append([{ payload: 0 }, event])).toMatchObject({ kind: "rejected", error });
    }
    expect(await journal.highestSequenceNr("d")).toBe(0);
    expect(await journal.append("d", { payload: 1, type: undefined } as NewEvent)).toMatchObject({
      kind: "ok",
    });
  });

  test("stand beside tags, which are an array of non-empty strings", async () => {
    const { journal } = await open();
    for (const tags of ["red", new Set(["red"]), { red: true }, [""], [7], ["\ud800"]] as unknown[])
      expect(await journal.append("c", { payload: 1, tags } as never)).toMatchObject({
        kind: "rejected",
        error: { code: "JOURNAL_EVENT_INVALID" },
      });
    expect(await journal.highestSequenceNr("c")).toBe(0);
  });
});

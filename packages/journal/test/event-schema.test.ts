import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openJournal, openJournalReader, unwrap } from "../src/index.ts";
import { collect, engineWith, layouts } from "./journal-world.ts";

const cartEvents = z.discriminatedUnion("type", [
  z.object({ type: z.literal("added"), sku: z.string(), quantity: z.number().default(1) }),
  z.object({ type: z.literal("paid"), cents: z.number() }),
]);

describe.each(layouts)("a journal with a schema of events, in the %s layout", (layout) => {
  const options = { layout, table: "events" } as const;

  test("validates what is appended, and stores what the schema returns", async () => {
    const port = await engineWith(options);
    const journal = await openJournal(port, { ...options, events: cartEvents });
    const writer = await journal.recover("a");
    const added = { type: "added", sku: "x" } as unknown as z.infer<typeof cartEvents>;
    unwrap(await writer.append({ payload: added }));
    const wrong = { type: "paid", cents: "3" } as unknown as z.infer<typeof cartEvents>;
    expect(await writer.append([{ payload: added }, { payload: wrong }])).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_EVENT_INVALID", kind: "invalid", details: { field: "payload" } },
    });
    expect(
      await writer.appendEach([{ payload: wrong }, { payload: { type: "paid", cents: 3 } }]),
    ).toMatchObject([{ kind: "rejected" }, { kind: "ok", value: { first: 2, last: 2 } }]);
    const untyped = await openJournal(port, options);
    expect((await collect(untyped.replay("a"))).map(({ payload }) => payload)).toEqual([
      { type: "added", sku: "x", quantity: 1 },
      { type: "paid", cents: 3 },
    ]);
  });

  test("validates what is read", async () => {
    const port = await engineWith(options);
    const untyped = await openJournal(port, options);
    unwrap(
      await untyped.append("a", [{ payload: { type: "added", sku: "x" } }, { payload: { type: "other" } }]),
    );
    const { events } = await (await openJournal(port, { ...options, events: cartEvents })).load("a");
    const reader = await openJournalReader(port, { ...options, events: cartEvents });
    for (const source of [events, reader.replay("a"), reader.eventsById("a")]) {
      const read: unknown[] = [];
      const reading = async () => {
        for await (const { payload } of source) read.push(payload);
      };
      await expect(reading()).rejects.toMatchObject({
        code: "JOURNAL_EVENT_UNEXPECTED",
        kind: "corrupt",
        retryable: false,
        details: { persistenceId: "a", sequenceNr: 2 },
      });
      expect(read).toEqual([{ type: "added", sku: "x", quantity: 1 }]);
    }
  });
});

test("a schema that is none is rejected", async () => {
  const port = await engineWith({ table: "events" });
  for (const events of [{}, "x", null, { "~standard": {} }])
    await expect(openJournal(port, { events: events as never })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
      details: { option: "events" },
    });
});

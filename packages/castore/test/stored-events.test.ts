import { readFileSync } from "node:fs";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { type JournalEvent, journalTableSpec } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { castoreAdapterErrorKinds, goneEventType, TablekeepEventStorageAdapter } from "../src/index.ts";
import { engineAdapter } from "./engine-adapter.ts";

const context = { eventStoreId: "carts" };

async function collect(events: AsyncIterable<JournalEvent>): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("a reader of the journal sees type and payload, the time, and the metadata", async () => {
  const { adapter, journal } = await engineAdapter();
  const timestamp = "2024-05-06T07:08:09.010Z";
  const content = { type: "ADDED", payload: { item: "apple" } };
  await adapter.pushEvent(
    { aggregateId: "a", version: 1, ...content, timestamp, metadata: { by: 1 } },
    context,
  );
  expect(await collect(journal.replay("carts#a"))).toMatchObject([
    {
      persistenceId: "carts#a",
      sequenceNr: 1,
      payload: content,
      timestamp: Date.parse(timestamp),
      metadata: { by: 1 },
    },
  ]);
});

test.each([
  "2024-05-06T07:08:09Z",
  "2024-05-06T09:08:09.010+02:00",
  "1969-01-01T00:00:00.000Z",
  "yesterday",
  "",
])("keeps the timestamp %j as it is", async (timestamp) => {
  const { adapter } = await engineAdapter();
  const event = { aggregateId: "a", version: 1, type: "ADDED", timestamp };
  await adapter.pushEvent(event, context);
  expect((await adapter.getEvents("a", context)).events).toEqual([event]);
});

test("an event without a timestamp has the time of the clock", async () => {
  const { journal } = await engineAdapter();
  const adapter = new TablekeepEventStorageAdapter(journal, { clock: fakeClock({ startAt: 1_000 }) });
  const { event } = await adapter.pushEvent({ aggregateId: "a", version: 1, type: "ADDED" }, context);
  expect(event.timestamp).toBe("1970-01-01T00:00:01.000Z");
});

test("an event of another writer is an error, not skipped", async () => {
  const { adapter, journal } = await engineAdapter();
  await journal.append("carts#a", { payload: { added: "apple" } });
  await expect(adapter.getEvents("a", context)).rejects.toMatchObject({
    code: "CASTORE_EVENT_UNEXPECTED",
    details: { ...context, aggregateId: "a", version: 1 },
  });
});

test("an expired event keeps its version and its timestamp", async () => {
  const { adapter, journal } = await engineAdapter();
  const timestamp = "2021-01-01T00:00:00.000Z";
  await adapter.pushEvent({ aggregateId: "a", version: 1, type: "ADDED", timestamp }, context);
  const expired = { timestamp: Date.parse(timestamp), expiresAt: Date.parse(timestamp) + 1 };
  await journal.append("carts#a", { payload: { type: "ADDED", payload: "secret" }, ...expired });
  const { events } = await adapter.getEvents("a", context);
  expect(events.at(-1)).toEqual({ aggregateId: "a", version: 2, type: goneEventType, timestamp });
  await adapter.pushEvent({ aggregateId: "a", version: 3, type: "ADDED", timestamp }, context);
});

test("deleted events are gone, and an aggregate without events is not listed", async () => {
  const { adapter, journal } = await engineAdapter();
  const at = (year: number) => `${year}-01-01T00:00:00.000Z`;
  for (const aggregateId of ["a", "b"])
    for (const version of [1, 2])
      await adapter.pushEvent(
        { aggregateId, version, type: "ADDED", timestamp: at(2020 + version) },
        context,
      );
  await journal.deleteTo("carts#a", 1);
  await journal.deleteTo("carts#b", 2);
  expect((await adapter.getEvents("a", context)).events.map(({ version }) => version)).toEqual([2]);
  expect(await adapter.listAggregateIds(context)).toEqual({
    aggregateIds: [{ aggregateId: "a", initialEventTimestamp: at(2022) }],
  });
});

test("an adapter on a port opens its journal when it is used, and again after a failure", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  const adapter = new TablekeepEventStorageAdapter({ port, table: "carts" });
  await expect(adapter.getEvents("a", context)).rejects.toThrow();
  await ensureTable(port, journalTableSpec({ table: "carts" }));
  await adapter.pushEvent({ aggregateId: "a", version: 1, type: "ADDED" }, context);
  expect((await adapter.getEvents("a", context)).events).toHaveLength(1);
});

test("docs/reference/errors.md lists every code with its kind, and no other", () => {
  const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8");
  const section = page.split(/^## /m).find((text) => text.startsWith("@tablekeep/castore")) ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)`\s*\| ([\w-]+)\s*\| \S/gm)];
  expect(Object.fromEntries(rows.map(([, code, kind]) => [code, kind]))).toEqual(castoreAdapterErrorKinds);
});

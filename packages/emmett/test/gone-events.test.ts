import type { Event } from "@event-driven-io/emmett";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { encryptedCodecs, keyTableSpec, openKeyStore } from "@tablekeep/journal/encryption";
import { expect, test } from "vitest";
import { getTablekeepEventStore } from "../src/index.ts";

type Moved = Event<"Moved", { customer: string; to: string }>;

test("forgotten events are left out, and count in the version", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec({ table: "events" }));
  await ensureTable(port, keyTableSpec("keys"));
  const keys = openKeyStore(port, { table: "keys" });
  const subjectOf = ({ content }: { content?: unknown }) => (content as Moved).data.customer;
  const codecs = encryptedCodecs({ keys, subjectOf });
  const store = getTablekeepEventStore(await openJournal(port, { table: "events", codecs }));
  const moved = (customer: string, to: string): Moved => ({ type: "Moved", data: { customer, to } });
  await store.appendToStream("moves", [moved("a", "x"), moved("b", "y"), moved("a", "z")]);
  await keys.forget("a");
  const { events, currentStreamVersion } = await store.readStream<Moved>("moves");
  expect(events.map(({ data, metadata }) => [data.to, metadata.streamPosition])).toEqual([["y", 2n]]);
  expect(currentStreamVersion).toBe(3n);
  const evolve = (count: number) => count + 1;
  expect(await store.aggregateStream<number, Moved>("moves", { initialState: () => 0, evolve })).toEqual({
    state: 1,
    currentStreamVersion: 3n,
    streamExists: true,
  });
  const next = await store.appendToStream("moves", [moved("b", "w")], { expectedStreamVersion: 3n });
  expect(next.nextExpectedStreamVersion).toBe(4n);
  // A reader of pages ends at one with fewer events than it asked for.
  const pages = [];
  for (let from = 1n, isLast = false; !isLast; ) {
    const page = (await store.readStream<Moved>("moves", { from, maxCount: 1n })).events;
    pages.push(page.map(({ data }) => data.to));
    from = (page.at(-1)?.metadata.streamPosition ?? 0n) + 1n;
    isLast = page.length === 0;
  }
  expect(pages).toEqual([["y"], ["w"], []]);
  const read = { maxCount: 1n };
  expect(
    await store.aggregateStream<number, Moved>("moves", { initialState: () => 0, evolve, read }),
  ).toMatchObject({ state: 1, currentStreamVersion: 2n });
});

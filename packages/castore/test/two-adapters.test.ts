import { type GroupedEvent, isEventAlreadyExistsError } from "@castore/core";
import type { DynamoPort } from "@tablekeep/core";
import { type Journal, openJournal } from "@tablekeep/journal";
import { type FakeClock, fakeClock, faultyPort, randomSchedule } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { isCastoreAdapterError, TablekeepEventStorageAdapter } from "../src/index.ts";
import { engineAdapter } from "./engine-adapter.ts";

type Result = "stored" | "not stored" | "unknown";

const context = { eventStoreId: "carts" };
const aggregateId = "a";
const options = { layout: "packed" } as const;

/** Pushes one group of two after another at the version that was read, and returns what each push was reported as. */
async function pushPairs(adapter: TablekeepEventStorageAdapter, name: string): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  for (let n = 0; n < 12; n++) {
    const pair = `${name}-${n}`;
    try {
      const { events } = await adapter.getEvents(aggregateId, context, { reverse: true, limit: 1 });
      const version = (events[0]?.version ?? 0) + 1;
      const grouped = (part: number): GroupedEvent => {
        const event = { aggregateId, version: version + part, type: "ADDED", payload: { pair, part } };
        return Object.assign(adapter.groupEvent(event), { context });
      };
      results.set(pair, "not stored");
      await adapter.pushEventGroup({}, grouped(0), grouped(1));
      results.set(pair, "stored");
    } catch (error) {
      if (isCastoreAdapterError(error, "CASTORE_OUTCOME_UNKNOWN")) results.set(pair, "unknown");
      else if (!isEventAlreadyExistsError(error)) expect(error).toMatchObject({ ambiguous: false });
    }
  }
  return results;
}

/** Opens a journal, and again if a fault stops it. */
async function opened(port: DynamoPort, clock: FakeClock): Promise<Journal> {
  for (;;) {
    try {
      return await openJournal(port, { ...options, clock });
    } catch (error) {
      expect(error).toMatchObject({ code: expect.any(String) });
    }
  }
}

const seen = new Set<Result>();

test.each(Array.from({ length: 16 }, (_unused, seed) => seed))(
  "two adapters under faults report only what is true, seed %d",
  async (seed) => {
    const { port, adapter } = await engineAdapter(options);
    const clock = fakeClock();
    const run = async (own: number, name: string) => {
      const schedule = randomSchedule(own, { calmAfter: 120, maxRate: 0.2 });
      const journal = await opened(faultyPort(port, schedule, { clock }), clock);
      return pushPairs(new TablekeepEventStorageAdapter(journal, { clock }), name);
    };
    const reported = await clock.autoAdvance(async () => {
      const both = await Promise.all([run(2 * seed, "one"), run(2 * seed + 1, "other")]);
      return both.flatMap((results) => [...results]);
    });
    const { events } = await adapter.getEvents(aggregateId, context);
    expect(events.map(({ version }) => version)).toEqual(events.map((_event, at) => at + 1));
    for (const [pair, result] of reported) {
      const found = events.filter(({ payload }) => (payload as { pair: string }).pair === pair);
      // Both events of a pair, one after the other, or none.
      const versions = found.map(({ version }) => version);
      expect(versions).toEqual(found.length === 0 ? [] : [versions[0], (versions[0] ?? 0) + 1]);
      if (result !== "unknown") expect([pair, found.length]).toEqual([pair, result === "stored" ? 2 : 0]);
    }
    for (const [, result] of reported) seen.add(result);
  },
);

test("every result was seen", () => {
  expect([...seen].toSorted()).toEqual(["not stored", "stored", "unknown"]);
});

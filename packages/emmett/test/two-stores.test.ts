import { type Event, ExpectedVersionConflictError } from "@event-driven-io/emmett";
import type { DynamoPort } from "@tablekeep/core";
import { type Journal, openJournal } from "@tablekeep/journal";
import { type FakeClock, fakeClock, faultyPort, randomSchedule } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { getTablekeepEventStore, isEmmettStoreError, type TablekeepEventStore } from "../src/index.ts";
import { engineStore } from "./engine-store.ts";

type Numbered = Event<"Numbered", { n: number }, { messageId: string }>;
type Result = "stored" | "not stored" | "unknown";

const stream = "cart-1";
const options = { layout: "packed" } as const;

/** Appends one pair of events after another at the version that was read, and returns what each append was reported as. */
async function appendPairs(store: TablekeepEventStore, name: string): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  for (let n = 0; n < 12; n++) {
    const messageId = `${name}-${n}`;
    const event = (part: string): Numbered => ({
      type: "Numbered",
      data: { n },
      metadata: { messageId: `${messageId}${part}` },
    });
    try {
      const { currentStreamVersion } = await store.readStream(stream);
      const pair = [event("a"), event("b")];
      results.set(messageId, "not stored");
      const expectedStreamVersion = currentStreamVersion;
      const { nextExpectedStreamVersion } = await store.appendToStream(stream, pair, {
        expectedStreamVersion,
      });
      expect(nextExpectedStreamVersion).toBe(currentStreamVersion + 2n);
      results.set(messageId, "stored");
    } catch (error) {
      if (isEmmettStoreError(error, "EMMETT_OUTCOME_UNKNOWN")) results.set(messageId, "unknown");
      else if (!(error instanceof ExpectedVersionConflictError))
        expect(error).toMatchObject({ ambiguous: false });
    }
  }
  return results;
}

const seen = new Set<Result>();

test.each(Array.from({ length: 16 }, (_unused, seed) => seed))(
  "two stores under faults report only what is true, seed %d",
  async (seed) => {
    const { port, store } = await engineStore(options);
    const clock = fakeClock();
    const open = async (own: number) => {
      const schedule = randomSchedule(own, { calmAfter: 120, maxRate: 0.2 });
      return getTablekeepEventStore(await opened(faultyPort(port, schedule, { clock }), clock));
    };
    const reported = await clock.autoAdvance(async () => {
      const stores = [await open(2 * seed), await open(2 * seed + 1)] as const;
      const [one, other] = await Promise.all([
        appendPairs(stores[0], "one"),
        appendPairs(stores[1], "other"),
      ]);
      return new Map([...one, ...other]);
    });
    const { events } = await store.readStream<Numbered>(stream);
    const ids = events.map(({ metadata }) => metadata.messageId);
    expect(events.map(({ metadata }) => metadata.streamPosition)).toEqual(
      ids.map((_id, at) => BigInt(at + 1)),
    );
    for (const [id, result] of reported) {
      const found = ids.filter((each) => each.slice(0, -1) === id);
      // Both events of a pair, next to each other, or none.
      if (found.length > 0)
        expect(ids.slice(ids.indexOf(`${id}a`), ids.indexOf(`${id}a`) + 2)).toEqual(found);
      if (result !== "unknown") expect([id, found.length], result).toEqual([id, result === "stored" ? 2 : 0]);
    }
    for (const result of reported.values()) seen.add(result);
  },
);

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

test("every result was seen", () => {
  expect([...seen].toSorted()).toEqual(["not stored", "stored", "unknown"]);
});

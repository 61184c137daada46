import { randomUUID } from "node:crypto";
import {
  CommandHandler,
  DeciderCommandHandler,
  type Event,
  type EventStore,
  type ExpectedStreamVersion,
  ExpectedVersionConflictError,
  isExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  STREAM_DOES_NOT_EXIST,
  STREAM_EXISTS,
  WrapEventStore,
} from "@event-driven-io/emmett";
import { describe, expect, test } from "vitest";
import {
  added,
  apples,
  type Cart,
  type CartEvent,
  decider,
  discounted,
  evolve,
  evolveRecorded,
  initialState,
} from "./cart.ts";

/** Opens a store on any backend; a hook is called after each append. */
export type OpenStore = (onAfterCommit?: (events: unknown[]) => void) => Promise<EventStore>;

/** What emmett expects of an event store. The cases pass with emmett's own in-memory store as well. */
export function eventStoreCases(open: OpenStore): void {
  readingCases(open);
  appendingCases(open);
  versionCases(open);
  commandCases(open);
}

const three = (): CartEvent[] => [added(), added(), discounted(10)];

function readingCases(open: OpenStore): void {
  describe("reads", () => {
    test.each([
      ["events", evolve],
      ["events with metadata", evolveRecorded as typeof evolve],
    ])("aggregates %s up to a position", async (_name, evolveEvent) => {
      const store = await open();
      const stream = randomUUID();
      for (const event of three()) await store.appendToStream(stream, [event]);
      const stateAt = (to: bigint) =>
        store.aggregateStream<Cart, CartEvent>(stream, { evolve: evolveEvent, initialState, read: { to } });
      const expected = (currentStreamVersion: bigint, lines: number, cents: number) => ({
        currentStreamVersion,
        state: { lines: Array.from({ length: lines }, () => apples), cents },
        streamExists: true,
      });
      expect(await stateAt(1n)).toEqual(expected(1n, 1, 60));
      expect(await stateAt(2n)).toEqual(expected(2n, 2, 120));
      expect(await stateAt(3n)).toEqual(expected(3n, 2, 108));
    });

    test("aggregates a whole stream, and one that does not exist", async () => {
      const store = await open();
      const stream = randomUUID();
      const aggregate = () => store.aggregateStream<Cart, CartEvent>(stream, { evolve, initialState });
      const nothing = { currentStreamVersion: 0n, state: { lines: [], cents: 0 }, streamExists: false };
      expect(await aggregate()).toEqual(nothing);
      await store.appendToStream(stream, three());
      expect(await aggregate()).toMatchObject({ currentStreamVersion: 3n, state: { cents: 108 } });
    });

    test("returns events with their positions and message ids", async () => {
      const store = await open();
      const stream = randomUUID();
      await store.appendToStream(stream, three());
      const { events, currentStreamVersion, streamExists } = await store.readStream(stream);
      expect({ currentStreamVersion, streamExists }).toEqual({
        currentStreamVersion: 3n,
        streamExists: true,
      });
      expect(events).toMatchObject(
        three().map((event, at) => ({
          ...event,
          kind: "Event",
          metadata: { streamName: stream, streamPosition: BigInt(at + 1), messageId: expect.any(String) },
        })),
      );
      expect(new Set(events.map(({ metadata }) => metadata.messageId)).size).toBe(3);
    });

    test("returns nothing of a stream that does not exist", async () => {
      const store = await open();
      expect(await store.readStream(randomUUID())).toEqual({
        currentStreamVersion: 0n,
        events: [],
        streamExists: false,
      });
    });

    test("returns the first events, and the version of the whole stream", async () => {
      const store = await open();
      const stream = randomUUID();
      await store.appendToStream(stream, three());
      for (const options of [{ to: 2n }, { maxCount: 2n }])
        expect(await store.readStream(stream, options)).toMatchObject({
          currentStreamVersion: 3n,
          events: three().slice(0, 2),
        });
    });

    test("finds whether a stream exists", async () => {
      const store = await open();
      const [one, other, missing] = [randomUUID(), randomUUID(), randomUUID()];
      expect(await store.streamExists(one)).toBe(false);
      await store.appendToStream(one, [added()]);
      await store.appendToStream(other, [added()]);
      expect(await Promise.all([one, other, missing].map((stream) => store.streamExists(stream)))).toEqual([
        true,
        true,
        false,
      ]);
    });

    test("upcasts what was downcast", async () => {
      type Priced = Event<"Priced", { cents: bigint }>;
      type StoredPriced = Event<"Priced", { cents: string }>;
      const store = await open();
      const stream = randomUUID();
      const event: Priced = { type: "Priced", data: { cents: 12n } };
      await store.appendToStream<Priced, StoredPriced>(stream, [event], {
        schema: {
          versioning: { downcast: ({ type, data }) => ({ type, data: { cents: `${data.cents}` } }) },
        },
      });
      expect((await store.readStream<StoredPriced>(stream)).events[0]?.data).toEqual({ cents: "12" });
      const schema = {
        versioning: {
          upcast: ({ type, data }: StoredPriced): Priced => ({ type, data: { cents: BigInt(data.cents) } }),
        },
      };
      expect((await store.readStream<Priced, StoredPriced>(stream, { schema })).events[0]?.data).toEqual({
        cents: 12n,
      });
      const { state } = await store.aggregateStream<bigint, Priced, StoredPriced>(stream, {
        initialState: () => 0n,
        evolve: (sum: bigint, { data }: Priced) => sum + data.cents,
        read: { schema },
      });
      expect(state).toBe(12n);
    });
  });
}

function appendingCases(open: OpenStore): void {
  describe("appends", () => {
    test("returns the next expected version, and whether the stream is new", async () => {
      const store = await open();
      const stream = randomUUID();
      expect(await store.appendToStream(stream, three())).toEqual({
        nextExpectedStreamVersion: 3n,
        createdNewStream: true,
      });
      expect(await store.appendToStream(stream, [added()])).toEqual({
        nextExpectedStreamVersion: 4n,
        createdNewStream: false,
      });
    });

    test("keeps the metadata of an event", async () => {
      type Traced = Event<"Traced", { at: number }, { tenant: string; correlationId: string }>;
      const store = await open();
      const stream = randomUUID();
      const metadata = { tenant: "t", correlationId: "c" };
      await store.appendToStream<Traced>(stream, [{ type: "Traced", data: { at: 1 }, metadata }]);
      expect((await store.readStream<Traced>(stream)).events).toMatchObject([{ metadata }]);
    });

    test("passes the recorded events to the hook after each append that succeeds", async () => {
      const seen: unknown[][] = [];
      const store = await open((events) => {
        seen.push(events);
      });
      const stream = randomUUID();
      await store.appendToStream(stream, three());
      await expect(
        store.appendToStream(stream, [added()], { expectedStreamVersion: 1n }),
      ).rejects.toBeInstanceOf(ExpectedVersionConflictError);
      expect(seen).toEqual([(await store.readStream(stream)).events]);
    });

    test("passes through emmett's test wrapper", async () => {
      const store = WrapEventStore(await open());
      const stream = randomUUID();
      await store.setup(stream, [added()]);
      await store.appendToStream(stream, [discounted(5)]);
      expect([...store.appendedEvents.values()]).toEqual([[stream, [discounted(5)]]]);
      expect((await store.readStream(stream)).currentStreamVersion).toBe(2n);
    });
  });
}

function versionCases(open: OpenStore): void {
  type Case = readonly [existing: number, expected: ExpectedStreamVersion<bigint>, matches: boolean];
  const cases: readonly Case[] = [
    [0, NO_CONCURRENCY_CHECK, true],
    [0, STREAM_DOES_NOT_EXIST, true],
    [0, STREAM_EXISTS, false],
    [0, 0n, true],
    [0, 1n, false],
    [2, NO_CONCURRENCY_CHECK, true],
    [2, STREAM_DOES_NOT_EXIST, false],
    [2, STREAM_EXISTS, true],
    [2, 0n, false],
    [2, 1n, false],
    [2, 2n, true],
    [2, 3n, false],
    [2, -1n, false],
    [2, 2n ** 60n, false],
  ];
  describe("expected versions", () => {
    test.each(cases)("with %d events, %s matches: %s", async (existing, expectedStreamVersion, matches) => {
      const store = await open();
      const stream = randomUUID();
      if (existing > 0) await store.appendToStream(stream, three().slice(0, existing));
      const calls = {
        read: async () => store.readStream(stream, { expectedStreamVersion }),
        aggregate: async () =>
          store.aggregateStream<Cart, CartEvent>(stream, {
            evolve,
            initialState,
            read: { expectedStreamVersion },
          }),
        append: async () => store.appendToStream(stream, [added()], { expectedStreamVersion }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const error = await call().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (matches) expect(error, name).toBeUndefined();
        else {
          expect(isExpectedVersionConflictError(error), name).toBe(true);
          expect(error).toBeInstanceOf(ExpectedVersionConflictError);
          expect(error).toMatchObject({ current: `${existing}`, expected: `${expectedStreamVersion}` });
        }
      }
      const { events } = await store.readStream(stream);
      expect(events).toHaveLength(existing + (matches ? 1 : 0));
    });
  });
}

function commandCases(open: OpenStore): void {
  const handle = CommandHandler<Cart, CartEvent>({ evolve, initialState });
  describe("commands", () => {
    test("are handled one after the other", async () => {
      const store = await open();
      const id = randomUUID();
      expect(await handle(store, id, () => added())).toMatchObject({
        newState: { cents: 60 },
        newEvents: [added()],
        nextExpectedStreamVersion: 1n,
        createdNewStream: true,
      });
      expect(await handle(store, id, [() => added(), () => discounted(50)])).toMatchObject({
        newState: { cents: 60 },
        nextExpectedStreamVersion: 3n,
        createdNewStream: false,
      });
      expect(await handle(store, id, () => [])).toMatchObject({ nextExpectedStreamVersion: 3n });
    });

    test("are tried once without a retry policy", async () => {
      const store = await open();
      let tried = 0;
      const failing = handle(store, randomUUID(), () => {
        tried++;
        throw new ExpectedVersionConflictError(0n, 1n);
      });
      await expect(failing).rejects.toBeInstanceOf(ExpectedVersionConflictError);
      expect(tried).toBe(1);
    });

    test("conflict if another append came between reading and writing, and succeed with a retry", async () => {
      const store = await open();
      const id = randomUUID();
      await handle(store, id, () => added());
      const interrupted = (times: number) => {
        let left = times;
        return async () => {
          if (left-- > 0) await store.appendToStream<CartEvent>(id, [discounted(50)]);
          return added();
        };
      };
      await expect(handle(store, id, interrupted(1))).rejects.toMatchObject({ current: "2", expected: "1" });
      const retry = {
        onVersionConflict: { retries: 3, minTimeout: 1, shouldRetryError: isExpectedVersionConflictError },
      };
      const result = await handle(store, id, interrupted(2), { retry });
      expect(result).toMatchObject({ nextExpectedStreamVersion: 5n, newState: { cents: 67.5 } });
    });

    test("of a decider", async () => {
      const store = await open();
      const id = randomUUID();
      const decide = DeciderCommandHandler<Cart, Parameters<typeof decider.decide>[0], CartEvent>(decider);
      await expect(decide(store, id, { type: "Discount", data: { percent: 10 } })).rejects.toThrow(
        "empty cart",
      );
      expect(await store.streamExists(id)).toBe(false);
      const result = await decide(store, id, [
        { type: "AddLine", data: { line: apples } },
        { type: "Discount", data: { percent: 10 } },
      ]);
      expect(result).toMatchObject({ nextExpectedStreamVersion: 2n, newState: { cents: 54 } });
    });
  });
}

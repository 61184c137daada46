import { randomUUID } from "node:crypto";
import {
  type EventDetail,
  type EventStorageAdapter,
  GroupedEvent,
  isEventAlreadyExistsError,
} from "@castore/core";
import { describe, expect, test } from "vitest";

/** A year apart, so that the aggregates of a list have an order. */
const times = [2021, 2022, 2023, 2024].map((year) => `${year}-01-01T00:00:00.000Z`) as [
  string,
  string,
  string,
  string,
];

/** What castore's DynamoDB adapter does in another way. */
export interface Differences {
  /** It takes the limit of `getEvents` for the size of a page, and returns all. */
  readonly eventLimit?: "ignored";
  /** It returns a token as long as a page is full. */
  readonly lastPageToken?: "if full";
  /** It stores a group whose events have several timestamps. */
  readonly groupTimestamps?: "not compared";
}

type OpenAdapter = () => Promise<EventStorageAdapter>;

/** What castore expects of an adapter. The cases pass with castore's own DynamoDB adapter as well, except for its differences. */
export function adapterCases(open: OpenAdapter, differences: Differences = {}): void {
  eventCases(open, differences);
  listCases(open, differences);
  groupCases(open, differences);
}

/** Ids that no other case has: adapters may share a table. */
const fresh = () => ({ eventStoreId: `store-${randomUUID()}`, aggregateId: randomUUID() });

const happened = (aggregateId: string, version: number, more: Partial<EventDetail> = {}): EventDetail => ({
  aggregateId,
  version,
  type: "HAPPENED",
  timestamp: times[0],
  ...more,
});

function eventCases(open: OpenAdapter, { eventLimit }: Differences): void {
  describe("getEvents and pushEvent", () => {
    test("an aggregate without events has none", async () => {
      const { eventStoreId, aggregateId } = fresh();
      expect(await (await open()).getEvents(aggregateId, { eventStoreId })).toStrictEqual({ events: [] });
    });

    test("returns events as they were pushed", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      const events = [
        happened(aggregateId, 1),
        happened(aggregateId, 2, { timestamp: times[1], payload: { a: [1, "two", { three: null }] } }),
        happened(aggregateId, 3, { type: "OTHER", metadata: { by: "ann" }, payload: "text" }),
      ];
      for (const event of events)
        expect(await adapter.pushEvent(event, { eventStoreId })).toStrictEqual({ event });
      expect(await adapter.getEvents(aggregateId, { eventStoreId })).toStrictEqual({ events });
    });

    test("rejects a version that exists, and keeps what is stored", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      await adapter.pushEvent(happened(aggregateId, 1), { eventStoreId });
      const error = await adapter
        .pushEvent(happened(aggregateId, 1, { type: "OTHER" }), { eventStoreId })
        .catch((thrown: unknown) => thrown);
      expect(isEventAlreadyExistsError(error)).toBe(true);
      expect(error).toMatchObject({ eventStoreId, aggregateId, version: 1 });
      const { events } = await adapter.getEvents(aggregateId, { eventStoreId });
      expect(events).toStrictEqual([happened(aggregateId, 1)]);
    });

    test("adds a timestamp to an event without one", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      const { event } = await adapter.pushEvent(
        { aggregateId, version: 1, type: "HAPPENED" },
        { eventStoreId },
      );
      expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
      expect((await adapter.getEvents(aggregateId, { eventStoreId })).events).toStrictEqual([event]);
    });

    test("returns ranges of versions, in both directions", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      for (const version of [1, 2, 3, 4, 5])
        await adapter.pushEvent(happened(aggregateId, version), { eventStoreId });
      const versions = async (options: Parameters<EventStorageAdapter["getEvents"]>[2]) =>
        (await adapter.getEvents(aggregateId, { eventStoreId }, options)).events.map(
          ({ version }) => version,
        );
      expect(await versions({ maxVersion: 2 })).toEqual([1, 2]);
      expect(await versions({ minVersion: 4 })).toEqual([4, 5]);
      expect(await versions({ minVersion: 2, maxVersion: 4 })).toEqual([2, 3, 4]);
      expect(await versions({ minVersion: 6 })).toEqual([]);
      expect(await versions({ reverse: true })).toEqual([5, 4, 3, 2, 1]);
      expect(await versions({ reverse: true, minVersion: 2, maxVersion: 4 })).toEqual([4, 3, 2]);
      expect(await versions({ maxVersion: undefined })).toEqual([1, 2, 3, 4, 5]);
      if (eventLimit === "ignored") return;
      expect(await versions({ limit: 2 })).toEqual([1, 2]);
      expect(await versions({ limit: 9 })).toEqual([1, 2, 3, 4, 5]);
      expect(await versions({ limit: 2, minVersion: 3 })).toEqual([3, 4]);
      expect(await versions({ limit: 2, reverse: true })).toEqual([5, 4]);
      expect(await versions({ limit: 2, reverse: true, maxVersion: 3 })).toEqual([3, 2]);
      expect(await versions({ limit: 4, reverse: true, minVersion: 4 })).toEqual([5, 4]);
    });

    test("keeps the aggregates of two event stores apart", async () => {
      const adapter = await open();
      const { aggregateId, eventStoreId } = fresh();
      const other = fresh().eventStoreId;
      await adapter.pushEvent(happened(aggregateId, 1), { eventStoreId });
      await adapter.pushEvent(happened(aggregateId, 1, { type: "OTHER" }), { eventStoreId: other });
      const typesOf = async (store: string) =>
        (await adapter.getEvents(aggregateId, { eventStoreId: store })).events.map(({ type }) => type);
      expect([await typesOf(eventStoreId), await typesOf(other)]).toEqual([["HAPPENED"], ["OTHER"]]);
    });
  });
}

function listCases(open: OpenAdapter, { lastPageToken }: Differences): void {
  describe("listAggregateIds", () => {
    async function listed() {
      const adapter = await open();
      const { eventStoreId } = fresh();
      const all = times.map((initialEventTimestamp) => ({
        aggregateId: randomUUID(),
        initialEventTimestamp,
      }));
      // In another order than that of the list.
      for (const at of [2, 0, 3, 1]) {
        const { aggregateId, initialEventTimestamp } = all[at] as (typeof all)[number];
        await adapter.pushEvent(happened(aggregateId, 1, { timestamp: initialEventTimestamp }), {
          eventStoreId,
        });
        await adapter.pushEvent(happened(aggregateId, 2), { eventStoreId });
      }
      await adapter.pushEvent(happened(randomUUID(), 1), fresh());
      const list = (options?: Parameters<EventStorageAdapter["listAggregateIds"]>[1]) =>
        adapter.listAggregateIds({ eventStoreId }, options);
      return { list, all };
    }

    test("lists the aggregates of one event store by their first timestamp", async () => {
      const { list, all } = await listed();
      expect(await list()).toStrictEqual({ aggregateIds: all });
      expect(await list({ reverse: true })).toStrictEqual({ aggregateIds: all.toReversed() });
    });

    test("lists those within a time, which includes its bounds", async () => {
      const { list, all } = await listed();
      expect((await list({ initialEventAfter: times[1] })).aggregateIds).toEqual(all.slice(1));
      expect((await list({ initialEventBefore: times[1] })).aggregateIds).toEqual(all.slice(0, 2));
      const between = { initialEventAfter: times[1], initialEventBefore: times[2] };
      expect((await list(between)).aggregateIds).toEqual(all.slice(1, 3));
      expect((await list({ initialEventAfter: "2025" })).aggregateIds).toEqual([]);
    });

    test("lists pages, and a token keeps the options", async () => {
      const { list, all } = await listed();
      const first = await list({ limit: 2 });
      expect(first.aggregateIds).toEqual(all.slice(0, 2));
      expect((await list({ pageToken: first.nextPageToken })).aggregateIds).toEqual(all.slice(2));
      const options = {
        limit: 1,
        reverse: true,
        initialEventAfter: "2021-02-01T00:00:00.000Z",
        initialEventBefore: "2023-02-01T00:00:00.000Z",
      };
      const newest = await list(options);
      expect(newest.aggregateIds).toEqual([all[2]]);
      expect(JSON.parse(newest.nextPageToken ?? "")).toMatchObject(options);
      const next = await list({ pageToken: newest.nextPageToken });
      expect(next.aggregateIds).toEqual([all[1]]);
      if (lastPageToken === undefined) expect(next.nextPageToken).toBeUndefined();
    });

    test("rejects a token that is not one", async () => {
      const { list } = await listed();
      await expect(list({ pageToken: "nothing" })).rejects.toThrow();
    });
  });
}

function groupCases(open: OpenAdapter, { groupTimestamps }: Differences): void {
  describe("groups", () => {
    const grouped = (adapter: EventStorageAdapter, eventStoreId: string, ...events: EventDetail[]) =>
      events.map(
        (event) => new GroupedEvent({ event, eventStorageAdapter: adapter, context: { eventStoreId } }),
      ) as [GroupedEvent, ...GroupedEvent[]];

    test("groupEvent returns an event with its adapter", async () => {
      const adapter = await open();
      const event = happened("a", 1);
      const group = adapter.groupEvent(event);
      expect(group).toBeInstanceOf(GroupedEvent);
      expect(group.event).toEqual(event);
      expect(group.eventStorageAdapter).toBe(adapter);
    });

    test("pushes consecutive events of one aggregate", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      const events = [1, 2, 3].map((version) => happened(aggregateId, version, { payload: version }));
      expect(await adapter.pushEventGroup({}, ...grouped(adapter, eventStoreId, ...events))).toStrictEqual({
        eventGroup: events.map((event) => ({ event })),
      });
      expect(await adapter.getEvents(aggregateId, { eventStoreId })).toStrictEqual({ events });
      expect((await adapter.getEvents(aggregateId, { eventStoreId }, { maxVersion: 2 })).events).toHaveLength(
        2,
      );
      const { aggregateIds } = await adapter.listAggregateIds({ eventStoreId });
      expect(aggregateIds).toEqual([{ aggregateId, initialEventTimestamp: times[0] }]);
    });

    test("gives events without a timestamp the same one", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      const events = [1, 2].map((version) => ({ aggregateId, version, type: "HAPPENED" }) as EventDetail);
      const { eventGroup } = await adapter.pushEventGroup({}, ...grouped(adapter, eventStoreId, ...events));
      const [one, two] = eventGroup.map(({ event }) => event.timestamp);
      expect(one).toBe(two);
      const stored = await adapter.getEvents(aggregateId, { eventStoreId });
      expect(stored.events).toStrictEqual(eventGroup.map(({ event }) => event));
    });

    test("stores nothing of a group of which one version exists", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      await adapter.pushEvent(happened(aggregateId, 1), { eventStoreId });
      const group = grouped(adapter, eventStoreId, happened(aggregateId, 1), happened(aggregateId, 2));
      const error = await adapter.pushEventGroup({}, ...group).catch((thrown: unknown) => thrown);
      expect(isEventAlreadyExistsError(error)).toBe(true);
      expect((await adapter.getEvents(aggregateId, { eventStoreId })).events).toHaveLength(1);
    });

    test("rejects a group without a context, with another adapter or with two timestamps", async () => {
      const adapter = await open();
      const { eventStoreId, aggregateId } = fresh();
      const [first] = grouped(adapter, eventStoreId, happened(aggregateId, 1));
      const [second] = grouped(adapter, eventStoreId, happened(aggregateId, 2));
      const [late] = grouped(adapter, eventStoreId, happened(aggregateId, 3, { timestamp: times[1] }));
      const [foreign] = grouped({} as EventStorageAdapter, eventStoreId, happened(aggregateId, 2));
      const bare = new GroupedEvent({ event: happened(aggregateId, 2), eventStorageAdapter: adapter });
      const groups: [GroupedEvent, ...GroupedEvent[]][] = [
        [first, foreign],
        [first, bare],
        ...(groupTimestamps === undefined
          ? [[first, second, late] as [GroupedEvent, ...GroupedEvent[]]]
          : []),
      ];
      for (const group of groups) await expect(adapter.pushEventGroup({}, ...group)).rejects.toThrow();
      expect((await adapter.getEvents(aggregateId, { eventStoreId })).events).toEqual([]);
    });
  });
}

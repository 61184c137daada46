import {
  CommandHandler,
  ExpectedVersionConflictError,
  isExpectedVersionConflictError,
} from "@event-driven-io/emmett";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { getTablekeepEventStore } from "../src/index.ts";
import { added, type Cart, type CartEvent, discounted, evolve, initialState } from "./cart.ts";
import { engineStore } from "./engine-store.ts";

const stream = "cart-1";

describe("positions", () => {
  test("from and to are inclusive, and maxCount counts from the first that is read", async () => {
    const { store } = await engineStore();
    await store.appendToStream(
      stream,
      Array.from({ length: 5 }, (_unused, at) => discounted(at + 1)),
    );
    const read = async (options: Parameters<typeof store.readStream>[1]) =>
      (await store.readStream(stream, options)).events.map(({ metadata }) => Number(metadata.streamPosition));
    expect(await read({ from: 0n })).toEqual([1, 2, 3, 4, 5]);
    expect(await read({ from: 2n, to: 4n })).toEqual([2, 3, 4]);
    expect(await read({ from: 2n, maxCount: 2n })).toEqual([2, 3]);
    expect(await read({ from: 2n, to: 3n, maxCount: 9n })).toEqual([2, 3]);
    expect(await read({ maxCount: 0n })).toEqual([]);
    expect(await read({ to: 0n })).toEqual([]);
    expect(await read({ from: 4n, to: 2n ** 70n })).toEqual([4, 5]);
    expect(await read({ from: 2n ** 70n })).toEqual([]);
  });

  test("a state has the version of its last event", async () => {
    const { store } = await engineStore();
    await store.appendToStream(
      stream,
      Array.from({ length: 5 }, () => added()),
    );
    const version = async (read: Parameters<typeof store.readStream>[1]) => {
      const options = { evolve, initialState, read: read as Record<never, never> };
      return (await store.aggregateStream<Cart, CartEvent>(stream, options)).currentStreamVersion;
    };
    expect(await version({ from: 3n })).toBe(5n);
    expect(await version({ from: 6n })).toBe(5n);
    expect(await version({ from: 2n, maxCount: 2n })).toBe(3n);
    expect(await version({ from: 3n, maxCount: 0n })).toBe(2n);
    expect(await version({ to: 9n })).toBe(5n);
    expect(await version({ to: 0n })).toBe(0n);
  });

  test("a stream keeps its version when its events are deleted, and ends when it is purged", async () => {
    const { store, journal } = await engineStore();
    await store.appendToStream(stream, [added(), added(), added()]);
    await journal.deleteTo(stream, 2);
    expect(await store.readStream(stream)).toMatchObject({ currentStreamVersion: 3n, streamExists: true });
    await journal.deleteTo(stream, 3);
    const empty = { currentStreamVersion: 3n, streamExists: true, events: [] };
    expect(await store.readStream(stream)).toEqual(empty);
    expect(await store.appendToStream(stream, [added()], { expectedStreamVersion: 3n })).toEqual({
      nextExpectedStreamVersion: 4n,
      createdNewStream: false,
    });
    await journal.purge(stream);
    expect(await store.streamExists(stream)).toBe(false);
  });
});

describe("appends", () => {
  test("of nothing check the version and write nothing", async () => {
    const { store } = await engineStore();
    const nothing = { nextExpectedStreamVersion: 0n, createdNewStream: false };
    expect(await store.appendToStream(stream, [])).toEqual(nothing);
    await expect(store.appendToStream(stream, [], { expectedStreamVersion: 1n })).rejects.toBeInstanceOf(
      ExpectedVersionConflictError,
    );
  });

  test("write items of the caller in the same transaction", async () => {
    const { port, store } = await engineStore({ table: "events" });
    const key = { par: { S: "names" }, num: { N: "0" } };
    const alsoWrite = [
      {
        Put: {
          TableName: "events",
          Item: { ...key, of: { S: stream } },
          ConditionExpression: "attribute_not_exists(par)",
        },
      },
    ];
    const handle = CommandHandler<Cart, CartEvent>({ evolve, initialState });
    await handle(store, stream, () => added(), { alsoWrite });
    expect((await port.getItem({ TableName: "events", Key: key })).Item).toBeDefined();
    await expect(handle(store, "cart-2", () => added(), { alsoWrite })).rejects.toMatchObject({
      code: "JOURNAL_ALSO_WRITE_REJECTED",
    });
    expect(await store.streamExists("cart-2")).toBe(false);
  });

  test("of many at once lose nothing", async () => {
    const { store } = await engineStore();
    const handle = CommandHandler<Cart, CartEvent>({ evolve, initialState });
    const retry = {
      onVersionConflict: {
        retries: 50,
        minTimeout: 1,
        maxTimeout: 5,
        shouldRetryError: isExpectedVersionConflictError,
      },
    };
    await Promise.all(Array.from({ length: 12 }, () => handle(store, stream, () => added(), { retry })));
    const { state, currentStreamVersion } = await store.aggregateStream<Cart, CartEvent>(stream, {
      evolve,
      initialState,
    });
    expect({ cents: state.cents, currentStreamVersion }).toEqual({ cents: 720, currentStreamVersion: 12n });
  });
});

describe("wrong input", () => {
  test.each([undefined, null, "events", {}, { port: {} }])("%j is not a journal", (source) => {
    expect(() => getTablekeepEventStore(source as never)).toThrow(
      expect.objectContaining({
        code: "EMMETT_OPTION_INVALID",
        details: expect.objectContaining({ option: "port" }),
      }),
    );
  });

  test.each<[string, unknown]>([
    ["events", added()],
    ["events[1]", [added(), null]],
    ["events[0].type", [{ data: {} }]],
    ["events[1].type", [added(), { type: 7, data: {} }]],
    ["events[0].metadata", [{ ...added(), metadata: "tenant" }]],
    ["events[0].metadata", [{ ...added(), metadata: ["tenant"] }]],
  ])("in %s is rejected, because it would make the stream unreadable", async (option, events) => {
    const { store } = await engineStore();
    await store.appendToStream(stream, [added()]);
    await expect(store.appendToStream(stream, events as never)).rejects.toMatchObject({
      code: "EMMETT_OPTION_INVALID",
      details: { option },
    });
    expect((await store.readStream(stream)).events).toHaveLength(1);
  });

  test("is rejected with the option's name", async () => {
    const { store, journal } = await engineStore();
    const code = "EMMETT_OPTION_INVALID";
    for (const [option, value] of [
      ["from", 1],
      ["to", -1n],
      ["maxCount", "3"],
      ["expectedStreamVersion", 1],
    ] as const)
      await expect(store.readStream(stream, { [option]: value })).rejects.toMatchObject({
        code,
        details: { option },
        errorCode: 400,
      });
    await expect(
      store.appendToStream(stream, [added()], { expectedStreamVersion: 0 as never }),
    ).rejects.toMatchObject({ code, details: { option: "expectedStreamVersion" } });
    expect(() => getTablekeepEventStore(journal, { projections: [] } as never)).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ option: "projections" }) }),
    );
    expect(() => getTablekeepEventStore(journal, { hooks: { onBeforeCommit: () => 1 } } as never)).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ option: "hooks.onBeforeCommit" }) }),
    );
  });

  test("a stream name that cannot be an id is rejected by the journal", async () => {
    const { store } = await engineStore();
    for (const call of [store.readStream(""), store.streamExists(""), store.appendToStream("", [added()])])
      await expect(call).rejects.toMatchObject({ code: "JOURNAL_OPTION_INVALID" });
  });
});

test("a store on a port opens its journal when it is used, and again after a failure", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  const store = getTablekeepEventStore({ port, table: "carts" });
  await expect(store.streamExists(stream)).rejects.toThrow();
  await ensureTable(port, journalTableSpec({ table: "carts" }));
  await store.appendToStream(stream, [added()]);
  expect(await store.streamExists(stream)).toBe(true);
  const wrong = getTablekeepEventStore({ port, tabel: "carts" } as never);
  await expect(wrong.streamExists(stream)).rejects.toMatchObject({ code: "JOURNAL_OPTION_INVALID" });
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { type DynamoPort, isDynamoError, type Key, sleep } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { newTable } from "../../test/new-table.ts";
import {
  type Actor,
  exploreInterleavings,
  fakeClock,
  isTestkitError,
  type PauseScenario,
  pauseAtEvery,
} from "../index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("interleavings", () => {
  const port = localPort(endpoint);
  let TableName = "";
  beforeAll(async () => {
    TableName = await newTable(port);
  });
  afterAll(() => port.close());

  /** A separate counter for every run, all in one table. */
  interface Counter {
    readonly port: DynamoPort;
    readonly Key: Key;
  }
  let counters = 0;
  const setup = async (): Promise<Counter> => {
    const Key = { pk: { S: "counter" }, sk: { S: String(++counters) } };
    await port.putItem({ TableName, Item: { ...Key, n: { N: "0" } } });
    return { port, Key };
  };
  const read = async (from: DynamoPort, Key: Key) => {
    const { Item } = await from.getItem({ TableName, Key, ConsistentRead: true });
    return Number(Item?.["n"]?.N);
  };
  /** Reads and writes back: loses updates unless the write is on condition. */
  const increment =
    (how: "blind" | "conditional"): Actor<Counter> =>
    async (own, { Key }) => {
      const n = await read(own, Key);
      const condition = {
        ConditionExpression: "n = :n",
        ExpressionAttributeValues: { ":n": { N: String(n) } },
      };
      const Item = { ...Key, n: { N: String(n + 1) } };
      await own.putItem({ TableName, Item, ...(how === "conditional" ? condition : {}) });
    };
  const countsEveryOk = async ({ Key }: Counter, results: readonly PromiseSettledResult<unknown>[]) => {
    const acked = results.filter((result) => result.status === "fulfilled").length;
    const n = await read(port, Key);
    if (n !== acked) throw new Error(`${acked} increments were acked, ${n} are there`);
    for (const result of results) {
      if (result.status === "rejected" && !isDynamoError(result.reason, "ConditionalCheckFailedException")) {
        throw result.reason;
      }
    }
  };

  describe("pauseAtEvery", () => {
    const race = (how: "blind" | "conditional"): PauseScenario<Counter> => ({
      setup,
      paused: increment(how),
      meanwhile: increment(how),
      check: (world, { paused, meanwhile }) => countsEveryOk(world, [paused, meanwhile]),
    });

    test("pauses at every request on both of its sides", async () => {
      const { pauses } = await pauseAtEvery(race("conditional"));
      expect(pauses.map((pause) => `${pause.n} ${pause.operation} ${pause.variant}`)).toEqual([
        "1 GetItem before",
        "1 GetItem after",
        "2 PutItem before",
        "2 PutItem after",
      ]);
    });

    test("work that fails before its first request fails the run: nothing was checked", async () => {
      const paused = () => Promise.reject(new TypeError("not even begun"));
      await expect(pauseAtEvery({ ...race("conditional"), paused })).rejects.toThrow("not even begun");
    });

    test("finds the lost update, names the pause, and replays it", async () => {
      const failure = await pauseAtEvery(race("blind")).catch((error: unknown) => error);
      if (!isTestkitError(failure, "TESTKIT_PAUSE_FAILED")) throw failure;
      expect(failure.details.pause).toMatchObject({ n: 1, variant: "after", operation: "GetItem" });
      expect(failure.message).toContain("2 increments were acked, 1 are there");
      await expect(pauseAtEvery(race("blind"), { only: { n: 1, variant: "after" } })).rejects.toThrow(
        "2 incr",
      );
      await expect(pauseAtEvery(race("blind"), { only: { n: 1, variant: "before" } })).resolves.toBeDefined();
    });
  });

  describe("exploreInterleavings", () => {
    const race = (how: "blind" | "conditional", names: readonly string[] = ["a", "b"]) => ({
      setup,
      actors: Object.fromEntries(names.map((name) => [name, increment(how)])),
      check: (world: Counter, results: Readonly<Record<string, PromiseSettledResult<unknown>>>) =>
        countsEveryOk(world, Object.values(results)),
    });

    test("runs every order of two times two requests, each once", async () => {
      const { orders, complete } = await exploreInterleavings(race("conditional"));
      expect(complete).toBe(true);
      expect([...orders].sort()).toEqual(["a a b b", "a b a b", "a b b a", "b a a b", "b a b a", "b b a a"]);
    });

    test("runs all 90 orders of three actors, and fewer with a bound", async () => {
      const all = await exploreInterleavings(race("conditional", ["a", "b", "c"]));
      expect([new Set(all.orders).size, all.orders.length, all.complete]).toEqual([90, 90, true]);
      const bounded = await exploreInterleavings(race("conditional", ["a", "b", "c"]), { maxPreemptions: 0 });
      expect([...bounded.orders].sort()).toHaveLength(6);
      expect(bounded.orders).toContain("c c b b a a");
      const cut = await exploreInterleavings(race("conditional"), { exhaustive: 4 });
      expect([cut.orders.length, cut.complete]).toEqual([4, false]);
    });

    test("finds the lost update, names the order, and replays it", async () => {
      const failure = await exploreInterleavings(race("blind")).catch((error: unknown) => error);
      if (!isTestkitError(failure, "TESTKIT_INTERLEAVING_FAILED")) throw failure;
      const { order } = failure.details;
      expect(["a b a b", "a b b a", "b a a b", "b a b a"]).toContain(order);
      await expect(exploreInterleavings(race("blind"), { only: order })).rejects.toThrow(
        "2 increments were acked",
      );
      expect((await exploreInterleavings(race("blind"), { only: "a a b b" })).orders).toEqual(["a a b b"]);
    });

    test("random walks repeat with their seed and reach different orders", async () => {
      const walk = (seed: number) => exploreInterleavings(race("conditional"), { walks: 12, seed });
      const first = await walk(1);
      expect(await walk(1)).toEqual(first);
      expect(new Set(first.orders).size).toBeGreaterThan(2);
      await expect(exploreInterleavings(race("blind"), { walks: 12, seed: 1 })).rejects.toMatchObject({
        details: { seed: expect.stringMatching(/^1\//) },
      });
    });

    test("actors that wait by a fake clock continue when no actor has a request", async () => {
      const clock = fakeClock();
      const waiting: Actor<Counter> = async (own, world) => {
        await sleep(clock, 60_000);
        await increment("conditional")(own, world);
      };
      const { orders } = await exploreInterleavings({
        ...race("conditional"),
        actors: { a: increment("conditional"), b: waiting },
        clock: () => clock,
      });
      expect(orders).toEqual(["a a b b"]);
    });

    test("reports actors that wait for each other", async () => {
      const stuck = exploreInterleavings({
        ...race("conditional"),
        actors: { a: increment("conditional"), b: () => new Promise(() => {}) },
      });
      await expect(stuck).rejects.toMatchObject({
        code: "TESTKIT_ACTORS_STUCK",
        details: { actors: ["b"], order: "a a" },
      });
    });

    test("does not take a process that stood still for actors that wait for each other", async () => {
      const slow: Actor<Counter> = async (own, { Key }) => {
        await read(own, Key);
        // As on a busy machine, where the process does not get the processor for longer than actors may be quiet.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        await read(own, Key);
      };
      const { orders } = await exploreInterleavings({ setup, actors: { a: slow }, check: async () => {} });
      expect(orders).toEqual(["a a"]);
    });
  });
});

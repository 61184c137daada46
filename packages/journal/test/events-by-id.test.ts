import { ClientError } from "@tablekeep/client";
import { DynamoError, type Item } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import type { JournalOptions } from "../src/index.ts";
import { append, collect, itemsOf, layouts, numbersOf, range, singles } from "./journal-world.ts";
import { type LiveWorld, liveWorld } from "./live-world.ts";

const open: LiveWorld[] = [];
afterEach(async () => {
  for (const { engine } of open.splice(0)) await engine.close();
});

async function world(options: JournalOptions): Promise<LiveWorld> {
  const made = await liveWorld({ sequenceShards: 2, replayParallelism: 2, ...options });
  open.push(made);
  return made;
}

const three = [{ payload: 2 }, { payload: 3 }, { payload: 4 }];
/** A thousand events of 4 KB: several pages in every layout. */
const many = Array.from({ length: 20 }, () =>
  Array.from({ length: 50 }, () => ({ payload: "x".repeat(4000) })),
);
const refusal = (exception: string) => new DynamoError({ exception, serviceMessage: "not now" });
const throttled = () => refusal("ProvisionedThroughputExceededException");

describe.each(layouts)("%s: a live query", (layout) => {
  test("returns what is there and what comes, until the signal", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", singles(1, 2));
    const followed = await follow(
      "a",
      {},
      60_000,
      [1000, () => append(journal, "a", [three, { payload: 6 }])],
      [20_000, () => append(journal, "a", singles(7, 7))],
    );
    expect(followed).toEqual({ given: range(1, 7), ended: false });
  });

  test("returns nothing more once it is aborted, not even of a page that is there", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", singles(1, 20));
    const each = (sequenceNr: number, stop: AbortController) => {
      if (sequenceNr === 7) stop.abort();
    };
    expect(await follow("a", { each }, 1000)).toEqual({ given: range(1, 7), ended: false });
  });

  test("ends quietly if it is aborted during a request", async () => {
    const { journal, follow, interfere, warnings } = await world({ layout });
    await append(journal, "a", singles(1, 3));
    let stop: AbortController | undefined;
    const each = (_number: number, given: AbortController) => {
      stop = given;
    };
    const gone = () => {
      stop?.abort();
      throw new ClientError("CLIENT_ABORTED", "the caller aborted the call", { attempts: 1 });
    };
    const followed = await follow("a", { each }, 10_000, [1000, () => interfere(gone)]);
    expect(followed).toEqual({ given: [1, 2, 3], ended: false });
    expect(warnings).toEqual([]);
  });

  test("ends with the requested sequence number, whenever that arrives", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", singles(1, 3));
    expect(await follow("a", { to: 2 }, 60_000)).toEqual({ given: [1, 2], ended: true });
    const later = await follow("a", { to: 5 }, 60_000, [5000, () => append(journal, "a", singles(4, 9))]);
    expect(later).toEqual({ given: range(1, 5), ended: true });
    expect(await follow("a", { from: 7, to: 6 }, 60_000)).toEqual({ given: [], ended: true });
    expect(await follow("none", { to: 0 }, 60_000)).toEqual({ given: [], ended: true });
  });

  test("ends where all that it was asked for is deleted", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", singles(1, 10));
    await journal.deleteTo("a", 6);
    expect(await follow("a", { to: 5 }, 60_000)).toEqual({ given: [], ended: true });
    expect(await follow("a", { to: 8 }, 60_000)).toEqual({ given: [7, 8], ended: true });
  });

  test("ends before an atomic write that `to` or `max` cuts", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", [{ payload: 1 }, three, { payload: 5 }]);
    expect(await follow("a", { to: 3 }, 60_000)).toEqual({ given: [1], ended: true });
    expect(await follow("a", { max: 3 }, 60_000)).toEqual({ given: [1], ended: true });
    expect(await follow("a", { max: 4 }, 60_000)).toEqual({ given: [1, 2, 3, 4], ended: true });
    expect(await follow("a", { from: 3, to: 4 }, 60_000)).toEqual({ given: [3, 4], ended: true });
    const come = () => append(journal, "a", [three, { payload: 9 }]);
    const later = await follow("a", { max: 7 }, 60_000, [5000, come]);
    expect(later).toEqual({ given: range(1, 5), ended: true });
  });

  test("counts `max` over all its polls", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", singles(1, 3));
    expect(await follow("a", { max: 0 }, 60_000)).toEqual({ given: [], ended: true });
    const come = () => append(journal, "a", singles(4, 9));
    expect(await follow("a", { max: 5 }, 60_000, [5000, come])).toEqual({ given: range(1, 5), ended: true });
  });

  test("from -1 begins with the last event, or with the first that comes", async () => {
    const { journal, follow } = await world({ layout });
    const first = () => append(journal, "a", singles(1, 3));
    expect((await follow("a", { from: -1 }, 10_000, [150, first])).given).toEqual([1, 2, 3]);
    const more = () => append(journal, "a", singles(4, 6));
    expect((await follow("a", { from: -1 }, 10_000, [150, more])).given).toEqual([3, 4, 5, 6]);
    await journal.deleteTo("a", 6);
    const rest = () => append(journal, "a", singles(7, 9));
    expect((await follow("a", { from: -1 }, 10_000, [150, rest])).given).toEqual([7, 8, 9]);
  });

  test("omits events that are deleted before they are read, between two polls or during one", async () => {
    const { journal, follow } = await world({ layout });
    await append(journal, "a", many);
    const each = async (sequenceNr: number) => {
      if (sequenceNr === 50) await journal.deleteTo("a", 950);
    };
    const come = async () => {
      await append(journal, "a", singles(1001, 1010));
      await journal.deleteTo("a", 1005);
    };
    const { given, ...end } = await follow("a", { each }, 60_000, [5000, come]);
    expect(end).toEqual({ ended: false });
    const before = given.filter((sequenceNr) => sequenceNr <= 950);
    expect(before.length).toBeLessThan(950);
    expect(given).toEqual([...range(1, before.length), ...range(951, 1000), ...range(1006, 1010)]);
  });

  test("survives an outage and logs it, with every event once", async () => {
    const { journal, follow, interfere, warnings } = await world({ layout });
    await append(journal, "a", singles(1, 3));
    const fails = () => interfere(() => Promise.reject(throttled()));
    const followed = await follow(
      "a",
      {},
      120_000,
      [1000, fails],
      [10_000, () => append(journal, "a", singles(4, 6))],
      [50_000, () => interfere(undefined)],
    );
    expect(followed).toEqual({ given: range(1, 6), ended: false });
    expect(new Set(warnings)).toEqual(new Set(["a live query failed; polling again"]));
    expect(warnings.length).toBeLessThan(20);
  });

  test.each([
    [
      "a lost connection",
      () => new ClientError("CLIENT_CONNECTION_LOST", "gone", { endpoint: "", attempts: 1 }),
    ],
    ["a deadline", () => new ClientError("CLIENT_DEADLINE_EXCEEDED", "late", { deadlineMs: 1, attempts: 1 })],
  ])("continues after %s in the middle of its rows, with every event once", async (_name, failure) => {
    // Two pages: in the packed layout all events would be one item.
    const small = layout === "packed" && { maxItemSize: 120 };
    const { journal, follow, interfere } = await world({ layout, ...small });
    await append(journal, "a", [Array.from({ length: 1000 }, () => ({ payload: "x" }))]);
    let given = 0;
    let failures = 0;
    interfere(() => {
      if (given < 10 || failures >= 3) return;
      failures++;
      throw failure();
    });
    const each = (sequenceNr: number) => {
      given = sequenceNr;
    };
    const followed = await follow("a", { each, max: 1000 }, 60_000);
    expect(followed).toEqual({ given: range(1, 1000), ended: true });
    expect(failures).toBe(3);
  });

  test("throws what looking again does not repair", async () => {
    const { journal, follow, interfere } = await world({ layout });
    await append(journal, "a", singles(1, 3));
    const denied = () => interfere(() => Promise.reject(refusal("AccessDeniedException")));
    const followed = await follow("a", {}, 60_000, [1000, denied]);
    expect(followed).toMatchObject({ given: [1, 2, 3], ended: true, error: { kind: "denied" } });
  });
});

describe("a live query of what the original wrote", () => {
  /** Rewrites the rows of events as the original has them: no write ids, these writers. */
  async function asOriginals({ engine }: LiveWorld, writers: readonly string[]): Promise<readonly Item[]> {
    const rows: Item[] = [];
    for (const { wid: _ours, ...item } of await itemsOf(engine, "events")) {
      if (!item["par"]?.S?.startsWith("journal-P-a-")) continue;
      const row = { ...item, writer_uuid: { S: writers[Number(item["num"]?.N) - 1] ?? "" } };
      await engine.putItem({ TableName: "events", Item: row });
      rows.push(row);
    }
    return rows.sort((one, other) => Number(one["num"]?.N) - Number(other["num"]?.N));
  }

  test("returns no event that a replay discards", async () => {
    const live = await world({ layout: "bucketed" });
    await append(live.journal, "a", singles(1, 4));
    await asOriginals(live, ["A", "A", "B", "A"]);
    expect(numbersOf(await collect(live.journal.replay("a")))).toEqual([1, 2, 3]);
    expect((await live.follow("a", {}, 10_000)).given).toEqual([1, 2, 3]);
    expect(live.warnings).toHaveLength(1);
    expect(await live.follow("a", { max: 3 }, 10_000)).toEqual({ given: [1, 2, 3], ended: true });
  });

  test("discards an earlier writer's event that appears at a later poll", async () => {
    const live = await world({ layout: "bucketed" });
    await append(live.journal, "a", singles(1, 4));
    const rows = await asOriginals(live, ["A", "A", "B", "A"]);
    const [late] = rows.slice(3) as [Item];
    const { par, num } = late as { par: NonNullable<Item[string]>; num: NonNullable<Item[string]> };
    await live.engine.deleteItem({ TableName: "events", Key: { par, num } });
    const comes = async () => {
      await live.engine.putItem({ TableName: "events", Item: late });
    };
    expect((await live.follow("a", {}, 10_000, [2000, comes])).given).toEqual([1, 2, 3]);
  });

  test("counts what it discards where `max` counts all that is read", async () => {
    const live = await world({ layout: "bucketed", countLimit: "before-filter" });
    await append(live.journal, "a", singles(1, 4));
    await asOriginals(live, ["A", "B", "A", "B"]);
    const come = () => append(live.journal, "a", singles(5, 9));
    const followed = await live.follow("a", { max: 6 }, 10_000, [2000, come]);
    expect(followed).toEqual({ given: [1, 2, 4, 5, 6], ended: true });
  });

  test("waits for an atomic write that is there in part, and returns it whole", async () => {
    const live = await world({ layout: "bucketed" });
    await append(live.journal, "a", [{ payload: 1 }, three]);
    const rows = await asOriginals(live, ["A", "A", "A", "A"]);
    const [last] = rows.slice(3) as [Item];
    const { par, num } = last as { par: NonNullable<Item[string]>; num: NonNullable<Item[string]> };
    await live.engine.deleteItem({ TableName: "events", Key: { par, num } });
    expect((await live.follow("a", {}, 5000)).given).toEqual([1]);
    // The last row may yet come: the query has not ended.
    expect(await live.follow("a", { to: 4 }, 5000)).toEqual({ given: [1], ended: false });
    const comes = async () => {
      await live.engine.putItem({ TableName: "events", Item: last });
    };
    expect((await live.follow("a", {}, 10_000, [2000, comes])).given).toEqual([1, 2, 3, 4]);
  });
});

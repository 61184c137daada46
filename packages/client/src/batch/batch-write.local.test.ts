import { type BatchWriteItemInput, type DynamoPort, isDynamoError, wrapPort } from "@tablekeep/core";
import { type Fault, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestTable } from "../../test/local-table.ts";
import { endlessRetries, openPort } from "../../test/open-port.ts";
import { recordedPort } from "../../test/recorded-port.ts";
import { underFaults } from "../../test/under-faults.ts";
import { type BatchWriteEntry, ClientError, isClientError } from "../base/client-error.ts";
import { batchWrite, batchWriteStream } from "./batch-write.ts";

const endpoint = inject("dynamoDbLocal");
const noWait = { random: () => 0 };

describe.skipIf(endpoint === "")("batchWrite on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  let other: string;
  let fresh = 0;
  beforeAll(async () => {
    port = openPort(endpoint, endlessRetries);
    [table, other] = [await createTestTable(port), await createTestTable(port)];
  });
  afterAll(async () => {
    for (const TableName of [table, other]) await port.deleteTable({ TableName });
    await port.close();
  });

  const faulty = (...faults: Fault[]) => faultyPort(port, { seed: 1, faults });
  const options = () => ({ ...noWait, keyNames: { [table]: ["pk", "sk"], [other]: ["pk", "sk"] } as const });
  function puts(count: number, pk = `p${fresh++}`): BatchWriteEntry[] {
    return Array.from({ length: count }, (_, n) => ({
      table: n % 2 === 0 ? table : other,
      put: { pk: { S: pk }, sk: { N: String(n) }, v: { S: `value ${n}` } },
    }));
  }
  async function isStored({ table: TableName, put }: BatchWriteEntry): Promise<boolean> {
    const { pk, sk } = put ?? {};
    const read = { TableName, Key: { pk, sk } as never, ConsistentRead: true };
    return (await port.getItem(read)).Item !== undefined;
  }
  const stored = async (entries: BatchWriteEntry[]) => {
    const flags = await Promise.all(entries.map(isStored));
    return entries.filter((_, index) => flags[index]);
  };
  async function incompleteOf(run: Promise<unknown>) {
    const error = await run.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (!isClientError(error, "CLIENT_BATCH_INCOMPLETE")) throw error ?? new Error("it was completed");
    return error;
  }

  // Every subset of four items comes back unprocessed, for up to three rounds (the journal that this one takes
  // as its model acknowledged such writes without storing them).
  for (let rounds = 0; rounds <= 3; rounds++) {
    test(`is done exactly when all is stored: every subset unprocessed for ${rounds} rounds`, async () => {
      for (let subset = 0; subset < 16; subset++) {
        const items = [0, 1, 2, 3].filter((n) => subset & (1 << n));
        const held = rounds > 0 && items.length > 0;
        const faultyOne = faulty(...(held ? [{ kind: "unprocessed", items, rounds, nth: 1 } as const] : []));
        const entries = puts(4);
        await batchWrite(faultyOne, entries, options());
        expect(await stored(entries)).toEqual(entries);
        expect(faultyOne.requestCount("BatchWriteItem")).toBe(held ? 1 + rounds : 1);
      }
    });
  }

  test("reports what is done and what is not when the deadline comes first, for every subset", async () => {
    for (let subset = 1; subset < 16; subset++) {
      const items = [0, 1, 2, 3].filter((n) => subset & (1 << n));
      const entries = puts(4);
      // The wrapper counts positions table by table, as the request lists them.
      const listed = [...entries].sort(
        (one, two) => Number(one.table === other) - Number(two.table === other),
      );
      const schedule: Fault = { kind: "unprocessed", items, rounds: 10_000, nth: 1 };
      const { result, tookMs } = await underFaults(port, [schedule], (faultyOne, time) =>
        incompleteOf(batchWrite(faultyOne, entries, { ...options(), ...time })),
      );
      const { details, ambiguous } = result;
      expect(tookMs).toBeGreaterThan(5_000);
      expect(tookMs).toBeLessThanOrEqual(10_000);
      expect(new Set(details.undone)).toEqual(new Set(items.map((n) => listed[n])));
      expect(details.unknown).toEqual([]);
      expect(details.done).toEqual(await stored(entries));
      expect([details.of, details.done.length + details.undone.length, ambiguous]).toEqual([4, 4, false]);
    }
  });

  test.each(["lost-after-apply", "error-after-apply", "lost-before-apply", "error-before-apply"] as const)(
    "%s: sends again, and is done when all is stored",
    async (kind) => {
      const entries = puts(4);
      const faultyOne = faulty({ kind, nth: [1, 2] });
      await batchWrite(faultyOne, entries, options());
      expect(await stored(entries)).toEqual(entries);
      expect(faultyOne.requestCount("BatchWriteItem")).toBe(3);
    },
  );

  test.each([
    ["lost-after-apply", true],
    ["lost-before-apply", false],
  ] as const)("%s, then unprocessed to the end: the items are unknown", async (kind, applied) => {
    const entries = puts(4);
    const faults: Fault[] = [
      { kind, nth: 1 },
      { kind: "unprocessed", items: [0, 1], rounds: 10_000, nth: 2 },
    ];
    const { result: error } = await underFaults(port, faults, (faultyOne, time) =>
      incompleteOf(batchWrite(faultyOne, entries, { ...options(), ...time })),
    );
    expect(error.ambiguous).toBe(true);
    expect(error.details.undone).toEqual([]);
    expect(error.details.unknown).toHaveLength(2);
    expect(error.details.done).toHaveLength(2);
    expect(await stored(error.details.unknown as BatchWriteEntry[])).toHaveLength(applied ? 2 : 0);
  });

  test("throttled as a whole: retries until it succeeds, or fails after its deadline", async () => {
    for (let times = 1; times <= 8; times++) {
      const entries = puts(3);
      await batchWrite(faulty({ kind: "throttle", nth: [1, times] }), entries, options());
      expect(await stored(entries)).toEqual(entries);
    }
    const entries = puts(3);
    const { result, tookMs } = await underFaults(port, [{ kind: "throttle" }], (faultyOne, time) =>
      incompleteOf(batchWrite(faultyOne, entries, { ...options(), ...time, deadlineMs: 500 })),
    );
    const { details, cause } = result;
    expect(tookMs).toBeLessThanOrEqual(500);
    expect(details).toMatchObject({ of: 3, done: [], undone: entries, unknown: [] });
    expect(isDynamoError(cause, "ProvisionedThroughputExceededException")).toBe(true);
  });

  test("a failure in the middle leaves the rest undone and reports what was written", async () => {
    const entries = puts(80);
    const rejected: Fault = { kind: "refuse", exception: "AccessDeniedException", nth: 2 };
    const { details } = await incompleteOf(batchWrite(faulty(rejected), entries, options()));
    expect(details.done).toEqual(entries.slice(0, 25));
    expect(details.undone).toEqual(entries.slice(25));
    expect(await stored(entries)).toEqual(details.done);
  });

  test("a failure reports concurrent requests too", async () => {
    const entries = puts(130);
    const faults: Fault[] = [
      { kind: "delay-answer", ms: 5_000, nth: 3 },
      { kind: "delay", ms: 1_000, nth: 2 },
      { kind: "refuse", exception: "AccessDeniedException", nth: 2 },
    ];
    const { result } = await underFaults(port, faults, (faultyOne, time) =>
      incompleteOf(batchWrite(faultyOne, entries, { ...options(), ...time, parallel: 3 })),
    );
    const { details } = result;
    expect(details.undone).toEqual([...entries.slice(25, 50), ...entries.slice(100)]);
    expect(details.unknown).toEqual([]);
    expect(await stored(entries)).toEqual(details.done);
  });

  test("a missing table is an error that names it", async () => {
    const entries: BatchWriteEntry[] = [{ table: "no-such-table", put: { pk: { S: "a" } } }];
    const byName = batchWrite(port, entries, { keyNames: { "no-such-table": ["pk"] } });
    await expect(byName).rejects.toMatchObject({ code: "DYNAMO_RESOURCE_NOT_FOUND" });
    await expect(batchWrite(port, entries)).rejects.toMatchObject({ code: "DYNAMO_RESOURCE_NOT_FOUND" });
  });

  test("entries on one item are done in the order given: the last one wins", async () => {
    for (const parallel of [1, 4]) {
      const pk = { S: `again${fresh++}` };
      const put = (n: string, v: string) => ({ table, put: { pk, sk: { N: n }, v: { S: v } } });
      const entries: BatchWriteEntry[] = [
        put("1", "first"),
        put("2", "first"),
        put("1.0", "second"),
        { table, delete: { pk, sk: { N: "2" } } },
        put("10e-1", "third"),
      ];
      const first: Fault = { kind: "unprocessed", items: [0], rounds: 2, nth: 1 };
      const { port: recorded, requests } = recordedPort(faulty(first));
      await batchWrite(recorded, entries, { ...noWait, parallel });
      const { Items } = await port.query({
        TableName: table,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
      });
      expect(Items).toEqual([{ pk, sk: { N: "1" }, v: { S: "third" } }]);
      expect(requests.filter((each) => each.operation === "DescribeTable")).toHaveLength(1);
    }
  });

  test("24, 25 and 26 entries are one, one and two requests", async () => {
    for (const [count, expected] of [
      [24, 1],
      [25, 1],
      [26, 2],
    ] as const) {
      const entries = puts(count);
      const { port: recorded, requests } = recordedPort(port);
      await batchWrite(recorded, entries, options());
      expect(requests).toHaveLength(expected);
      expect(await stored(entries)).toHaveLength(count);
    }
  });

  test("entries that are too large for one request over the network are split by bytes", async () => {
    // 6 bytes each on the wire: 16.8 MB for 25 items of 112 KB.
    const v = { S: "\u0001".repeat(112_000) };
    const pk = { S: `wide${fresh++}` };
    const entries = Array.from({ length: 25 }, (_, n) => ({ table, put: { pk, sk: { N: `${n}` }, v } }));
    const { port: recorded, requests } = recordedPort(port);
    await batchWrite(recorded, entries, { ...options(), deadlineMs: 50_000 });
    expect(requests.map(({ input }) => input.RequestItems[table].length)).toEqual([24, 1]);
    expect(await stored(entries)).toHaveLength(25);
  });

  test("an item that is too large is rejected before anything is sent", async () => {
    const entries = [
      ...puts(30),
      { table, put: { pk: { S: "x" }, sk: { N: "1" }, v: { S: "x".repeat(409_600) } } },
    ];
    const { port: recorded, requests } = recordedPort(port);
    const rejected = batchWrite(recorded, entries, options());
    await expect(rejected).rejects.toMatchObject({ code: "CLIENT_LIMIT_EXCEEDED", ambiguous: false });
    expect(requests).toEqual([]);
  });

  test("an aborted batch reports its progress", async () => {
    const entries = puts(60);
    const stop = new AbortController();
    const held: Fault = { kind: "unprocessed", nth: 2, rounds: 99 };
    const { result, faulty: seen } = await underFaults(port, [held], (faultyOne, time) => {
      time.clock.after(1_000, () => stop.abort());
      return incompleteOf(batchWrite(faultyOne, entries, { ...options(), ...time, signal: stop.signal }));
    });
    const { details, cause } = result;
    expect(cause).toMatchObject({ code: "CLIENT_ABORTED" });
    expect([details.done.length, details.undone.length]).toEqual([25, 35]);
    expect(seen.requestCount()).toBeGreaterThan(2);
  });

  test("a stream is written as it comes, holding few entries at a time", async () => {
    let taken = 0;
    let written = 0;
    const entries = puts(200);
    async function* source() {
      for (const entry of entries) {
        taken++;
        // Two requests of 25 in flight or finished but not processed, one being filled.
        expect(taken - written).toBeLessThanOrEqual(76);
        yield entry;
      }
    }
    const parallel = { ...options(), parallel: 2 };
    for await (const part of batchWriteStream(port, source(), parallel)) written += part.length;
    expect([taken, written]).toEqual([200, 200]);
    expect(await stored(entries)).toHaveLength(200);
  });

  test("a stream that fails accounts for every entry that it took", async () => {
    const entries = puts(200);
    let taken = 0;
    function* source() {
      for (const entry of entries) {
        taken++;
        yield entry;
      }
    }
    const rejected: Fault = { kind: "refuse", exception: "AccessDeniedException", nth: 3 };
    const given: BatchWriteEntry[] = [];
    const writing = async () => {
      for await (const part of batchWriteStream(faulty(rejected), source(), options())) given.push(...part);
    };
    const failure = await writing().catch((error: unknown) => error);
    expect(given).toEqual(entries.slice(0, 50));
    // The earlier entries are written, and the failed request did nothing: the rejection is conclusive.
    expect(failure).toMatchObject({ code: "DYNAMO_ACCESS_DENIED", ambiguous: false });
    expect(taken).toBeLessThanOrEqual(77);
    expect(await stored(entries)).toEqual(given);
  });

  test("a stream that fails while an outcome is unknown reports the unknown entries", async () => {
    const entries = puts(85);
    const broken = new Error("the source is broken");
    async function* source() {
      yield* entries;
      throw broken;
    }
    // The second request is written and its answer lost; its deadline comes while the stream breaks.
    const lost = wrapPort(port, async (operation, input, call, next) => {
      const answer = await next(operation, input, call);
      const first = (input as BatchWriteItemInput).RequestItems?.[other]?.[0]?.PutRequest?.Item?.["sk"]?.N;
      if (first !== "25") return answer;
      await new Promise((done) => setTimeout(done, 50));
      throw new ClientError("CLIENT_ABORTED", "the answer is lost", { attempts: 1 }, { ambiguous: true });
    });
    const given: BatchWriteEntry[] = [];
    const writing = async () => {
      const parallel = { ...options(), parallel: 4 };
      for await (const part of batchWriteStream(lost, source(), parallel)) given.push(...part);
    };
    const { details, cause, ambiguous } = await incompleteOf(writing());
    expect(given).toEqual(entries.slice(0, 25));
    expect([cause, ambiguous]).toEqual([broken, true]);
    expect(details.unknown).toEqual(entries.slice(25, 50));
    // Taken and never sent: no request was full of them.
    expect(details.undone).toEqual(entries.slice(75));
    expect(details.done).toEqual(entries.slice(50, 75));
  });
});

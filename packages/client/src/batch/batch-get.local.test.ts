import type { DynamoPort, Item } from "@tablekeep/core";
import { type Fault, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { createTestTable } from "../../test/local-table.ts";
import { openPort } from "../../test/open-port.ts";
import { recordedPort } from "../../test/recorded-port.ts";
import { underFaults } from "../../test/under-faults.ts";
import type { BatchKey } from "../base/client-error.ts";
import { batchGet, batchGetStream } from "./batch-get.ts";
import { batchWrite } from "./batch-write.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("batchGet on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  let other: string;
  beforeAll(async () => {
    port = openPort(endpoint);
    [table, other] = [await createTestTable(port), await createTestTable(port)];
    const entries = Array.from({ length: 250 }, (_, n) => ({ table: n % 2 ? other : table, put: itemAt(n) }));
    await batchWrite(port, entries);
  });
  afterAll(async () => {
    for (const TableName of [table, other]) await port.deleteTable({ TableName });
    await port.close();
  });

  const itemAt = (n: number): Item => ({ pk: { S: "p" }, sk: { N: `${n}` }, v: { S: `value ${n}` } });
  const keyAt = (n: number): BatchKey => ({
    table: n % 2 ? other : table,
    key: { pk: { S: "p" }, sk: { N: `${n}` } },
  });
  const faulty = (...faults: Fault[]) => faultyPort(port, { seed: 1, faults });

  // Every subset of four keys comes back unprocessed, for up to three rounds.
  for (let rounds = 0; rounds <= 3; rounds++) {
    test(`returns every item in the order of its keys: every subset unprocessed for ${rounds} rounds`, async () => {
      for (let subset = 0; subset < 16; subset++) {
        const items = [0, 1, 2, 3].filter((n) => subset & (1 << n));
        const held = rounds > 0 && items.length > 0;
        const faultyOne = faulty(...(held ? [{ kind: "unprocessed", items, rounds, nth: 1 } as const] : []));
        const found = await batchGet(faultyOne, [3, 0, 9999, 1].map(keyAt), { random: () => 0 });
        expect(found).toEqual([itemAt(3), itemAt(0), undefined, itemAt(1)]);
        expect(faultyOne.requestCount()).toBe(held ? 1 + rounds : 1);
      }
    });
  }

  test("reports which keys are unread when the deadline comes first", async () => {
    const held: Fault = { kind: "unprocessed", items: [1, 3], rounds: 10_000, nth: 1 };
    const keys = [0, 2, 4, 6].map(keyAt);
    const { result, tookMs } = await underFaults(port, [held], (faultyOne, time) =>
      failureOf(batchGet(faultyOne, keys, { ...time, deadlineMs: 3_000 })),
    );
    expect(result).toMatchObject({ code: "CLIENT_BATCH_INCOMPLETE", ambiguous: false });
    expect(result.details).toEqual({
      of: 4,
      done: [keys[0], keys[2]],
      undone: [keys[1], keys[3]],
      unknown: [],
    });
    expect(tookMs).toBeLessThanOrEqual(3_000);
  });

  test("throttles and lost answers are followed by another request", async () => {
    for (const kind of ["throttle", "lost-after-apply", "error-before-apply", "unreachable"] as const) {
      const found = await batchGet(faulty({ kind, nth: [1, 3] }), [keyAt(5)], { random: () => 0 });
      expect(found).toEqual([itemAt(5)]);
    }
  });

  test("99, 100 and 101 keys are one, one and two requests; the items are in order", async () => {
    for (const count of [99, 100, 101]) {
      const { port: recorded, requests } = recordedPort(port);
      const numbers = Array.from({ length: count }, (_, n) => (n * 37) % 250);
      const found = await batchGet(recorded, numbers.map(keyAt));
      expect(found).toEqual(numbers.map(itemAt));
      expect(requests).toHaveLength(count > 100 ? 2 : 1);
    }
  });

  test("requests again what does not fit into 16 MB of one answer", async () => {
    const big = Array.from({ length: 50 }, (_, n) => ({
      table,
      put: { pk: { S: "big" }, sk: { N: `${n}` }, v: { S: "x".repeat(400_000) } },
    }));
    await batchWrite(port, big, { deadlineMs: 50_000 });
    const { port: recorded, requests } = recordedPort(port);
    const keys = big.map(({ put }) => ({ table, key: { pk: put.pk, sk: put.sk } }));
    const found = await batchGet(recorded, keys, { deadlineMs: 50_000, random: () => 0 });
    expect(found.map((item) => item?.["sk"])).toEqual(big.map(({ put }) => put.sk));
    expect(requests.length).toBeGreaterThan(1);
  });

  test("a key given twice, or written in another way, is requested once and returned twice", async () => {
    const again: BatchKey = { table, key: { sk: { N: "4.0" }, pk: { S: "p" } } };
    const { port: recorded, requests } = recordedPort(port);
    expect(await batchGet(recorded, [keyAt(4), again, keyAt(4)])).toEqual([itemAt(4), itemAt(4), itemAt(4)]);
    expect(requests[0]?.input.RequestItems[table].Keys).toHaveLength(1);
  });

  test("reads only the attributes asked for, key or not, strongly consistent if asked", async () => {
    const { port: recorded, requests } = recordedPort(port);
    const options = { attributes: ["v", "absent"], consistent: true };
    expect(await batchGet(recorded, [keyAt(4), keyAt(9999)], options)).toEqual([
      { v: { S: "value 4" } },
      undefined,
    ]);
    expect(requests[0]?.input.RequestItems[table].ConsistentRead).toBe(true);
    expect(await batchGet(port, [keyAt(4)], { attributes: ["sk"] })).toEqual([{ sk: { N: "4" } }]);
  });

  test("a stream of keys is read in order, a few requests ahead at most", async () => {
    let taken = 0;
    let given = 0;
    async function* keys() {
      for (let n = 0; n < 1_000; n++) {
        taken++;
        yield keyAt(n % 250);
      }
    }
    for await (const { key, item } of batchGetStream(port, keys(), { parallel: 2 })) {
      expect(item).toEqual(itemAt(Number(key.key["sk"]?.N)));
      given++;
      expect(taken - given).toBeLessThanOrEqual(401);
    }
    expect(given).toBe(1_000);
  });

  test("a consumer that stops ends the requests in flight and reads no more keys", async () => {
    let closed = false;
    function* keys() {
      try {
        for (let n = 0; ; n++) yield keyAt(n % 250);
      } finally {
        closed = true;
      }
    }
    const { faulty: seen, tookMs } = await underFaults(
      port,
      [{ kind: "hang", nth: [2, 99] }],
      async (faultyOne, time) => {
        for await (const _ of batchGetStream(faultyOne, keys(), { ...time, parallel: 3 })) break;
      },
    );
    expect(closed).toBe(true);
    expect(seen.requestCount()).toBeLessThanOrEqual(4);
    expect(tookMs).toBe(0);
  });

  test("a missing table and an unknown option are errors that say so", async () => {
    const missing = await failureOf(batchGet(port, [{ table: "no-such-table", key: { pk: { S: "a" } } }]));
    expect(missing.code).toBe("DYNAMO_RESOURCE_NOT_FOUND");
    const wrong = await failureOf(batchGet(port, [], { consistentRead: true } as never));
    expect(wrong).toMatchObject({ code: "CLIENT_OPTION_INVALID", details: { option: "consistentRead" } });
    expect((await failureOf(batchGet(port, [], { parallel: 0 }))).code).toBe("CLIENT_OPTION_INVALID");
  });
});

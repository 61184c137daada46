import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { newTable } from "../../test/new-table.ts";
import { fakeClock, faultyPort } from "../index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("a fault before or after a write is applied", () => {
  const port = localPort(endpoint);
  let TableName = "";
  beforeAll(async () => {
    TableName = await newTable(port);
  });
  afterAll(() => port.close());

  const isThere = async (pk: string) => {
    const { Item } = await port.getItem({
      TableName,
      Key: { pk: { S: pk }, sk: { S: "0" } },
      ConsistentRead: true,
    });
    return Item !== undefined;
  };
  const errorOf = async (call: Promise<unknown>): Promise<TablekeepError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!isTablekeepError(error)) throw new Error("expected a TablekeepError", { cause: error });
    return error;
  };

  describe.each([
    { kind: "throttle", code: "DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED", stored: false, ambiguous: false },
    {
      kind: "refuse,exception:ExpiredTokenException",
      code: "DYNAMO_EXPIRED_TOKEN",
      stored: false,
      ambiguous: false,
    },
    { kind: "error-before-apply", code: "DYNAMO_INTERNAL_SERVER", stored: false, ambiguous: true },
    { kind: "error-after-apply", code: "DYNAMO_INTERNAL_SERVER", stored: true, ambiguous: true },
    { kind: "unreachable", code: "CLIENT_UNREACHABLE", stored: false, ambiguous: false },
    { kind: "lost-before-apply", code: "CLIENT_CONNECTION_LOST", stored: false, ambiguous: true },
    { kind: "lost-after-apply", code: "CLIENT_CONNECTION_LOST", stored: true, ambiguous: true },
    { kind: "hang", code: "CLIENT_DEADLINE_EXCEEDED", stored: false, ambiguous: true },
    { kind: "hang-after-apply", code: "CLIENT_DEADLINE_EXCEEDED", stored: true, ambiguous: true },
    { kind: "transaction-conflict", code: "DYNAMO_TRANSACTION_CONFLICT", stored: false, ambiguous: false },
  ])("$kind", ({ kind, code, stored, ambiguous }) => {
    const schedule = `seed=1 faults=[{at:1,kind:${kind}}]`;

    test(`a put ends with ${code} and is ${stored ? "" : "not "}there; the next put is not hit`, async () => {
      const clock = fakeClock();
      const faulty = faultyPort(port, schedule, { clock });
      const Item = { pk: { S: `put ${kind}` }, sk: { S: "0" } };
      const error = await clock.autoAdvance(() => errorOf(faulty.putItem({ TableName, Item })), {
        busy: faulty.busy,
      });
      expect(error).toMatchObject({ code, ambiguous });
      expect(await isThere(`put ${kind}`)).toBe(stored);
      expect(clock.monotonic()).toBe(kind.startsWith("hang") ? 10_000 : 0);

      await faulty.putItem({ TableName, Item });
      expect(await isThere(`put ${kind}`)).toBe(true);
      expect(faulty.log).toMatchObject([{ request: 1, operation: "PutItem", tables: [TableName] }]);
      expect([faulty.requestCount(), faulty.requestCount("PutItem"), faulty.requestCount("GetItem")]).toEqual(
        [2, 2, 0],
      );
    });

    test("a transaction that fails so is stored whole or not at all", async () => {
      const clock = fakeClock();
      const faulty = faultyPort(port, schedule, { clock });
      const names = ["a", "b"].map((name) => `transact ${kind} ${name}`);
      const TransactItems = names.map((pk) => ({
        Put: { TableName, Item: { pk: { S: pk }, sk: { S: "0" } } },
      }));
      const error = await clock.autoAdvance(() => errorOf(faulty.transactWriteItems({ TransactItems })), {
        busy: faulty.busy,
      });
      expect(error.ambiguous).toBe(ambiguous);
      expect(await Promise.all(names.map(isThere))).toEqual([stored, stored]);
    });

    test("a read that fails so is never ambiguous", async () => {
      const clock = fakeClock();
      const faulty = faultyPort(port, schedule, { clock });
      const read = () => errorOf(faulty.getItem({ TableName, Key: { pk: { S: "x" }, sk: { S: "0" } } }));
      expect((await clock.autoAdvance(read, { busy: faulty.busy })).ambiguous).toBe(false);
    });
  });

  test("a throttle reports its reason and the table", async () => {
    const faulty = faultyPort(
      port,
      "seed=1 faults=[{kind:throttle,reason:TableWriteKeyRangeThroughputExceeded}]",
    );
    const error = await errorOf(faulty.putItem({ TableName, Item: { pk: { S: "t" }, sk: { S: "0" } } }));
    expect(error).toMatchObject({ kind: "throttled", retryable: true });
    expect(error.details).toMatchObject({
      operation: "PutItem",
      table: TableName,
      throttlingReasons: [
        {
          reason: "TableWriteKeyRangeThroughputExceeded",
          resource: expect.stringContaining(`table/${TableName}`),
        },
      ],
    });
  });

  test("a cancelled transaction reports one reason per action", async () => {
    const faulty = faultyPort(
      port,
      "seed=1 faults=[{kind:transaction-canceled,reasons:[None,ConditionalCheckFailed]}]",
    );
    const put = (pk: string) => ({ Put: { TableName, Item: { pk: { S: pk }, sk: { S: "0" } } } });
    const error = await errorOf(faulty.transactWriteItems({ TransactItems: ["c1", "c2", "c3"].map(put) }));
    expect(error).toMatchObject({ code: "DYNAMO_TRANSACTION_CANCELED", ambiguous: false });
    expect(error.details).toMatchObject({
      cancellationReasons: [
        { Code: "None" },
        { Code: "ConditionalCheckFailed", Message: "The conditional request failed" },
        { Code: "None" },
      ],
    });
    expect(await Promise.all(["c1", "c2", "c3"].map(isThere))).toEqual([false, false, false]);
    // Not a transaction: this kind of fault cannot hit it.
    await faulty.putItem({ TableName, Item: { pk: { S: "c1" }, sk: { S: "0" } } });
  });

  test("in a transaction, a conflict is a cancellation for the action named", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{kind:transaction-conflict,action:1}]");
    const put = (pk: string) => ({ Put: { TableName, Item: { pk: { S: pk }, sk: { S: "0" } } } });
    const error = await errorOf(faulty.transactWriteItems({ TransactItems: ["d1", "d2"].map(put) }));
    expect(error.details).toMatchObject({
      cancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }],
    });
  });

  test("a hang ends as soon as the caller aborts", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{kind:hang}]", { clock: fakeClock() });
    const giveUp = new AbortController();
    const put = { TableName, Item: { pk: { S: "abort" }, sk: { S: "0" } } };
    const ended = errorOf(faulty.putItem(put, { signal: giveUp.signal }));
    giveUp.abort();
    expect(await ended).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: true });
  });

  test("a write in flight is applied after its caller has given up", async () => {
    const clock = fakeClock();
    const faulty = faultyPort(port, "seed=1 faults=[{at:1,kind:delay,ms:9000}]", { clock });
    const put = { TableName, Item: { pk: { S: "late" }, sk: { S: "0" } } };
    const ended = errorOf(faulty.putItem(put, { deadlineMs: 2_000 }));
    await clock.advance(2_000);
    expect(await ended).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: true });
    expect(await isThere("late")).toBe(false);
    await clock.advance(7_000);
    await faulty.settled();
    expect(await isThere("late")).toBe(true);
  });

  test("a delay within the deadline only takes time", async () => {
    const clock = fakeClock();
    const faulty = faultyPort(port, "seed=1 faults=[{kind:delay,ms:30},{kind:delay-answer,ms:20}]", {
      clock,
    });
    const put = { TableName, Item: { pk: { S: "slow" }, sk: { S: "0" } } };
    await clock.autoAdvance(() => faulty.putItem(put), { busy: faulty.busy });
    expect(clock.monotonic()).toBe(50);
    expect(await isThere("slow")).toBe(true);
  });

  test("a write whose answer is late is there before the answer", async () => {
    const clock = fakeClock();
    const faulty = faultyPort(port, "seed=1 faults=[{kind:delay-answer,ms:60000}]", { clock });
    const put = { TableName, Item: { pk: { S: "late answer" }, sk: { S: "0" } } };
    const error = await clock.autoAdvance(() => errorOf(faulty.putItem(put)), { busy: faulty.busy });
    expect(error).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: true });
    expect([await isThere("late answer"), clock.monotonic()]).toEqual([true, 10_000]);
  });
});

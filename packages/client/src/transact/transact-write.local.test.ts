import { type DynamoPort, type Item, type Outcome, type TransactWriteItem, wrapPort } from "@tablekeep/core";
import { type Fault, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestTable } from "../../test/local-table.ts";
import { endlessRetries, openPort } from "../../test/open-port.ts";
import { recordedPort } from "../../test/recorded-port.ts";
import { type FakeTime, underFaults } from "../../test/under-faults.ts";
import { cancellationMeaning } from "./transact-evidence.ts";
import { transactWrite } from "./transact-write.ts";
import type { TransactWriteOptions } from "./transact-write-options.ts";

const endpoint = inject("dynamoDbLocal");
const codes = [
  "None",
  "ConditionalCheckFailed",
  "ItemCollectionSizeLimitExceeded",
  "TransactionConflict",
  "ProvisionedThroughputExceeded",
  "ThrottlingError",
  "ValidationError",
];

describe.skipIf(endpoint === "")("transactWrite on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  let fresh = 0;
  beforeAll(async () => {
    port = openPort(endpoint, endlessRetries);
    table = await createTestTable(port);
  });
  afterAll(async () => {
    await port.deleteTable({ TableName: table });
    await port.close();
  });

  const newKey = () => ({ S: `p${fresh++}` });
  const inserts = (pk: { S: string }, count = 3): TransactWriteItem[] =>
    Array.from({ length: count }, (_, n) => ({
      Put: {
        TableName: table,
        Item: { pk, sk: { N: `${n}` } },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    }));
  const rows = async (pk: { S: string }): Promise<Item[]> => {
    const values = { ":pk": pk };
    const { Items = [] } = await port.query({
      TableName: table,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: values,
      ConsistentRead: true,
    });
    return Items;
  };
  const marked = (): TransactWriteOptions => ({
    writeId: { attribute: "wid", keyNames: { [table]: ["pk", "sk"] }, insertOnly: true },
  });
  const run = (faults: Fault[], actions: TransactWriteItem[], options: TransactWriteOptions = marked()) =>
    underFaults(port, faults, (faulty, time) => transactWrite(faulty, actions, { ...options, ...time }));
  const writeIdOf = (outcome: Outcome<{ writeId?: string }>) =>
    outcome.kind === "ok" ? outcome.value.writeId : undefined;
  const putOther = (pk: { S: string }, n = 0) =>
    port.putItem({ TableName: table, Item: { pk, sk: { N: `${n}` }, wid: { S: "another" } } });

  test("writes all, with one write id on every put", async () => {
    const pk = newKey();
    const { result } = await run([], inserts(pk));
    expect(result.kind).toBe("ok");
    expect((await rows(pk)).map((row) => row["wid"]?.S)).toEqual(Array(3).fill(writeIdOf(result)));
  });

  // Every pair of reasons over a transaction of three.
  for (const one of codes) {
    test(`cancelled by ${one} and any other reason: is what the more severe of the two means`, async () => {
      for (const two of codes) {
        const pk = newKey();
        const meaning = cancellationMeaning([{ Code: one }, { Code: two }]);
        const faults: Fault[] = [{ kind: "transaction-canceled", reasons: [one, two, "None"], nth: 1 }];
        const { result, faulty } = await run(faults, inserts(pk));
        expect(result.kind, `${one} and ${two}`).toBe(meaning === "retry" ? "ok" : meaning);
        expect(await rows(pk)).toHaveLength(meaning === "retry" ? 3 : 0);
        expect(faulty.requestCount("TransactWriteItems")).toBe(meaning === "retry" ? 2 : 1);
      }
    });
  }

  test("locked or throttled to the end is rejected within the deadline, with nothing written", async () => {
    for (const reason of ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]) {
      const pk = newKey();
      const { result, faulty, tookMs } = await run(
        [{ kind: "transaction-canceled", reasons: [reason] }],
        inserts(pk),
      );
      expect(result).toMatchObject({ kind: "rejected", error: { ambiguous: false } });
      expect(faulty.requestCount()).toBeGreaterThan(3);
      expect(tookMs).toBeLessThanOrEqual(10_000);
      expect(await rows(pk)).toEqual([]);
    }
  });

  test("another's row is a conflict, and comes with it", async () => {
    const pk = newKey();
    await putOther(pk, 1);
    const { result } = await run([], inserts(pk));
    expect(result).toMatchObject({
      kind: "conflict",
      current: { sk: { N: "1" }, wid: { S: "another" } },
      error: { code: "DYNAMO_TRANSACTION_CANCELED", ambiguous: false },
    });
    expect(await rows(pk)).toHaveLength(1);
  });

  test.each(["lost-before-apply", "lost-after-apply", "error-before-apply", "error-after-apply"] as const)(
    "%s: the same request under the same token finds out",
    async (kind) => {
      const pk = newKey();
      const { port: recorded, requests } = recordedPort(port);
      const { result } = await underFaults(recorded, [{ kind, nth: 1 }], (faulty, time) =>
        transactWrite(faulty, inserts(pk), { ...marked(), ...time }),
      );
      expect(result.kind).toBe("ok");
      expect(await rows(pk)).toHaveLength(3);
      const sent = requests.filter((each) => each.operation === "TransactWriteItems");
      expect(new Set(sent.map((each) => each.input.ClientRequestToken)).size).toBe(1);
    },
  );

  /** A DynamoDB that has forgotten tokens, as after ten minutes. */
  const forgetful = (inner: DynamoPort) => {
    let count = 0;
    return wrapPort(inner, (operation, input, options, next) => {
      if (operation !== "TransactWriteItems") return next(operation, input, options);
      return next(operation, { ...input, ClientRequestToken: `renamed-${fresh++}-${count++}` }, options);
    });
  };

  test("own rows behind a failed condition are a success, not a conflict", async () => {
    for (const kind of ["lost-after-apply", "error-after-apply"] as const) {
      const pk = newKey();
      const { result } = await underFaults(forgetful(port), [{ kind, nth: 1 }], (faulty, time) =>
        transactWrite(faulty, inserts(pk), { ...marked(), ...time }),
      );
      expect(result).toMatchObject({ kind: "ok", value: { output: undefined } });
      expect((await rows(pk)).every((row) => row["wid"]?.S === writeIdOf(result))).toBe(true);
    }
  });

  test("without a write id, own rows behind a failed condition leave it unknown", async () => {
    const pk = newKey();
    const { result } = await underFaults(
      forgetful(port),
      [{ kind: "lost-after-apply", nth: 1 }],
      (faulty, time) => transactWrite(faulty, inserts(pk), time),
    );
    expect(result).toMatchObject({ kind: "unknown", error: { ambiguous: true } });
  });

  test("no answer to the end: own rows are a success, none are unknown, another's are a conflict", async () => {
    const applied = newKey();
    const seen = await run([{ kind: "hang-after-apply", op: "TransactWriteItems" }], inserts(applied));
    expect(seen.result.kind).toBe("ok");
    expect(seen.tookMs).toBeLessThanOrEqual(10_000);

    const absent = newKey();
    const lost = await run([{ kind: "hang", op: "TransactWriteItems" }], inserts(absent));
    expect(lost.result).toMatchObject({ kind: "unknown", error: { ambiguous: true } });
    expect(lost.tookMs).toBeLessThanOrEqual(10_000);

    const taken = newKey();
    await putOther(taken, 2);
    const late = await run([{ kind: "hang", op: "TransactWriteItems" }], inserts(taken));
    expect(late.result).toMatchObject({
      kind: "conflict",
      current: { wid: { S: "another" } },
      error: { code: "CLIENT_WRITE_CONFLICT", ambiguous: false },
    });
  });

  test("if unknown, another's row is proof only where rows are never overwritten, or the caller says so", async () => {
    const faults: Fault[] = [{ kind: "lost-before-apply", nth: 1 }];
    const withoutProof = { writeId: { attribute: "wid", keyNames: { [table]: ["pk", "sk"] as const } } };
    const kinds: string[] = [];
    for (const options of [
      marked(),
      withoutProof,
      { ...withoutProof, attribution: () => "theirs" as const },
    ]) {
      const pk = newKey();
      await putOther(pk, 1);
      kinds.push((await run(faults, inserts(pk), options)).result.kind);
    }
    expect(kinds).toEqual(["conflict", "unknown", "conflict"]);
  });

  test("if unknown, another's row is not proof where it blocks an action without an id", async () => {
    const pk = newKey();
    await putOther(pk, 2);
    const onlyFirst: TransactWriteOptions = {
      writeId: { attribute: "wid", keyNames: { [table]: ["pk", "sk"] }, insertOnly: true, on: [0, 1] },
    };
    const { result } = await run([{ kind: "lost-before-apply", nth: 1 }], inserts(pk), onlyFirst);
    expect(result.kind).toBe("unknown");
  });

  test("if unknown, a later rejection does not decide about the first attempt: its rows do", async () => {
    for (const [kind, expected] of [
      ["lost-after-apply", "ok"],
      ["lost-before-apply", "unknown"],
    ] as const) {
      const pk = newKey();
      const faults: Fault[] = [
        { kind, nth: 1, op: "TransactWriteItems" },
        { kind: "transaction-canceled", reasons: ["ValidationError"], nth: [2, 99] },
      ];
      expect((await run(faults, inserts(pk))).result.kind).toBe(expected);
    }
  });

  test("updates carry the write id where asked, and are found by it", async () => {
    const pk = newKey();
    const Key = { pk, sk: { N: "0" } };
    const add = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": { N: "1" } } };
    const options = { writeId: { attribute: "wid", keyNames: {}, on: [0] } };
    const { result } = await run(
      [{ kind: "hang-after-apply", op: "TransactWriteItems" }],
      [{ Update: { TableName: table, Key, ...add } }],
      options,
    );
    expect(result.kind).toBe("ok");
    expect(await rows(pk)).toEqual([{ ...Key, n: { N: "1" }, wid: { S: writeIdOf(result) } }]);
  });

  // DynamoDB forgets a token ten minutes after the transaction: from then on the same request is a new transaction.
  test.each([
    [599_000, 2, "ok"],
    [600_000, 1, "ok"],
    [601_000, 1, "ok"],
  ] as const)("an answer lost after %i ms: sent %i times in all, and found", async (ms, sent, kind) => {
    const pk = newKey();
    const faults: Fault[] = [
      { kind: "lost-after-apply", nth: 1, op: "TransactWriteItems" },
      { kind: "delay-answer", ms, nth: 1, op: "TransactWriteItems" },
    ];
    const { result, faulty } = await run(faults, inserts(pk), { ...marked(), deadlineMs: 1_200_000 });
    expect(result.kind).toBe(kind);
    expect(faulty.requestCount("TransactWriteItems")).toBe(sent);
  });

  test("with a token ten minutes old and nothing to recognize it by, it is unknown and not sent again", async () => {
    const pk = newKey();
    const Key = { pk, sk: { N: "0" } };
    const add = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": { N: "1" } } };
    const faults: Fault[] = [
      { kind: "lost-after-apply", nth: 1 },
      { kind: "delay-answer", ms: 601_000, nth: 1 },
    ];
    const unmarked = { deadlineMs: 1_200_000 };
    const { result, faulty } = await run(faults, [{ Update: { TableName: table, Key, ...add } }], unmarked);
    expect(result.kind).toBe("unknown");
    expect(faulty.requestCount()).toBe(1);
    expect(await rows(pk)).toEqual([{ ...Key, n: { N: "1" } }]);
  });

  test("retries end before the token's ten minutes do, however long the deadline is", async () => {
    const times: number[] = [];
    const send = (faulty: DynamoPort, time: FakeTime) => {
      const timed = wrapPort(faulty, (operation, input, options, next) => {
        times.push(time.clock.monotonic());
        return next(operation, input, options);
      });
      return transactWrite(timed, inserts(newKey()), { ...marked(), ...time, deadlineMs: 3_600_000 });
    };
    const { result } = await underFaults(port, [{ kind: "throttle" }], send);
    expect(result).toMatchObject({ kind: "rejected", error: { kind: "throttled" } });
    expect(Math.max(...times)).toBeLessThan(600_000);
    expect(Math.max(...times)).toBeGreaterThan(550_000);
  });

  test("a transaction in progress is waited for", async () => {
    const pk = newKey();
    const busy: Fault = { kind: "refuse", exception: "TransactionInProgressException", nth: [1, 3] };
    expect((await run([busy], inserts(pk))).result.kind).toBe("ok");
    expect(await rows(pk)).toHaveLength(3);
  });

  test("a token used for two transactions is loud and never sent again", async () => {
    const told: string[] = [];
    const quiet = () => {};
    const logger = { debug: quiet, info: quiet, warn: quiet, error: (line: string) => told.push(line) };
    const token = `token-${fresh++}`;
    const first = await transactWrite(port, inserts(newKey()), { token });
    const { port: recorded, requests } = recordedPort(port);
    const second = await transactWrite(recorded, inserts(newKey()), { token, logger });
    expect([first.kind, second.kind]).toEqual(["ok", "rejected"]);
    expect(second).toMatchObject({ error: { code: "DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH" } });
    expect([requests.length, told.length]).toEqual([1, 1]);
  });

  test("accepts the largest transactions, and rejects larger ones before they are sent", async () => {
    const big = (bytes: number) =>
      Array.from({ length: 11 }, (_, n): TransactWriteItem => {
        const left = 4 * 1024 * 1024 - 10 * 409_600 + bytes;
        const base = { pk: { S: "big" }, sk: { N: `${n}` } };
        const fill = (n < 10 ? 409_600 : left) - 5 - 2 - (n === 0 ? 1 : 2) - 1;
        return { Put: { TableName: table, Item: { ...base, p: { S: "x".repeat(fill) } } } };
      });
    const { port: recorded, requests } = recordedPort(port);
    const long = { deadlineMs: 50_000 };
    expect((await transactWrite(recorded, big(0), long)).kind).toBe("ok");
    expect((await transactWrite(recorded, inserts(newKey(), 100))).kind).toBe("ok");
    expect(requests).toHaveLength(2);
    for (const rejected of [big(1), inserts(newKey(), 101)])
      expect(await transactWrite(recorded, rejected, long)).toMatchObject({
        kind: "rejected",
        error: { code: "CLIENT_LIMIT_EXCEEDED" },
      });
    expect(requests).toHaveLength(2);
  });

  test("a missing table is a rejection that names it; a late deadline never hides it", async () => {
    const missing: TransactWriteItem[] = [{ Put: { TableName: "no-such-table", Item: { pk: { S: "a" } } } }];
    const outcome = await transactWrite(port, missing);
    expect(outcome).toMatchObject({ kind: "rejected", error: { code: "DYNAMO_RESOURCE_NOT_FOUND" } });
  });

  test("an aborted one is rejected if it was not sent, unknown if it was", async () => {
    const stopped = await transactWrite(port, inserts(newKey()), { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ kind: "rejected", error: { code: "CLIENT_ABORTED" } });
    const stop = new AbortController();
    const hanging = faultyPort(port, { seed: 1, faults: [{ kind: "hang-after-apply" }] });
    setTimeout(() => stop.abort(), 50);
    const cut = await transactWrite(hanging, inserts(newKey()), { ...marked(), signal: stop.signal });
    expect(cut).toMatchObject({ kind: "unknown", error: { code: "CLIENT_ABORTED", ambiguous: true } });
  });
});

import type { DynamoPort, Item } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { createTestTable } from "../../test/local-table.ts";
import { openPort } from "../../test/open-port.ts";
import { underFaults } from "../../test/under-faults.ts";
import { transactGet } from "./transact-get.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("transactGet on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  beforeAll(async () => {
    port = openPort(endpoint);
    table = await createTestTable(port);
    for (const n of [0, 1, 2]) await port.putItem({ TableName: table, Item: itemAt(n) });
  });
  afterAll(async () => {
    await port.deleteTable({ TableName: table });
    await port.close();
  });
  const itemAt = (n: number): Item => ({ pk: { S: "p" }, sk: { N: `${n}` } });
  const gets = (...numbers: number[]) => numbers.map((n) => ({ TableName: table, Key: itemAt(n) }));

  test("returns the items in the order of the gets, undefined for an absent one", async () => {
    expect(await transactGet(port, gets(2, 9, 0))).toEqual([itemAt(2), undefined, itemAt(0)]);
  });

  test("locked and throttled items are tried again", async () => {
    for (const reason of ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]) {
      const { result } = await underFaults(
        port,
        [{ kind: "transaction-canceled", reasons: ["None", reason], nth: [1, 3] }],
        (faulty, time) => transactGet(faulty, gets(0, 1), time),
      );
      expect(result).toEqual([itemAt(0), itemAt(1)]);
    }
  });

  test("ends at its deadline with what DynamoDB last said", async () => {
    const { result, tookMs } = await underFaults(
      port,
      [{ kind: "transaction-canceled", reasons: ["TransactionConflict"] }],
      (faulty, time) => failureOf(transactGet(faulty, gets(0), { ...time, deadlineMs: 2_000 })),
    );
    expect(result.code).toBe("DYNAMO_TRANSACTION_CANCELED");
    expect(tookMs).toBeLessThanOrEqual(2_000);
  });

  test("throws permanent errors at once, and rejects more than 100", async () => {
    const { result, faulty } = await underFaults(
      port,
      [{ kind: "transaction-canceled", reasons: ["ValidationError"] }],
      (faultyOne, time) => failureOf(transactGet(faultyOne, gets(0), time)),
    );
    expect([result.code, faulty.requestCount()]).toEqual(["DYNAMO_TRANSACTION_CANCELED", 1]);
    const many = gets(...Array.from({ length: 101 }, (_, n) => n));
    expect(await transactGet(port, many.slice(0, 100))).toHaveLength(100);
    expect((await failureOf(transactGet(port, many))).code).toBe("CLIENT_LIMIT_EXCEEDED");
  });
});

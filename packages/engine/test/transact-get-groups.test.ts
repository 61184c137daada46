import { transactGetGroups } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const TableName = "items";
const keyOf = (n: number) => ({ pk: { S: String(n) } });
const itemOf = (n: number): Item => ({ ...keyOf(n), filling: { S: "x".repeat(300_000) } });
const get = (n: number) => ({ TableName, Key: keyOf(n) });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

let port: DynamoPort;
beforeAll(async () => {
  port = await openEngine({ storage: { kind: "memory" } });
  await port.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
  });
  for (const n of numbers(60)) await port.putItem({ TableName, Item: itemOf(n) });
});
afterAll(() => port.close());

/** Returns how many items each request asked for. */
async function requestsOf(
  groups: number[][],
): Promise<{ read: (number | undefined)[][]; requests: number[] }> {
  const requests: number[] = [];
  const counted: DynamoPort = {
    ...port,
    transactGetItems: (input, options) => {
      requests.push(input.TransactItems?.length ?? 0);
      return port.transactGetItems(input, options);
    },
  };
  const items = await transactGetGroups(
    counted,
    groups.map((group) => group.map(get)),
  );
  const read = items.map((group) =>
    group.map((item) => (item === undefined ? undefined : Number(item["pk"]?.S))),
  );
  return { read, requests };
}

test("reads 60 items of 300 KB, 18 MB in total, in order, by transactions of up to 4 MB", async () => {
  const groups = numbers(60).map((n) => [n]);
  const { read, requests } = await requestsOf(groups);
  expect(read).toEqual(groups);
  expect(requests).toEqual([60, 30, 15, 8, 7, 15, 8, 7, 30, 15, 8, 7, 15, 8, 7]);
});

test("a group stays in one transaction", async () => {
  const groups = numbers(10).map((n) => [n, n + 10, n + 20]);
  const { read, requests } = await requestsOf(groups);
  expect(read).toEqual(groups);
  for (const items of requests) expect(items % 3).toBe(0);
});

test("reads at once what fits, shared items once, and returns undefined for absent ones", async () => {
  const { read, requests } = await requestsOf([[1, 2], [2, 3], [99], []]);
  expect(read).toEqual([[1, 2], [2, 3], [undefined], []]);
  expect(requests).toEqual([4]);
  expect(await requestsOf([])).toEqual({ read: [], requests: [] });
});

test("reads more than 100 items by several transactions", async () => {
  const { requests } = await requestsOf(numbers(250).map((n) => [n + 1000]));
  expect(requests).toEqual([100, 100, 50]);
});

test("a group that is too large by itself is rejected with DynamoDB's error", async () => {
  const read = transactGetGroups(port, [numbers(20).map(get), [get(30)]]);
  await expect(read).rejects.toMatchObject({ code: "DYNAMO_VALIDATION" });
});

test("splits a cancellation by validation, too, and no other failure", async () => {
  const canceled = faultyPort(port, {
    seed: 1,
    faults: [{ kind: "transaction-canceled", reasons: ["ValidationError", "None"], nth: [1, 1] }],
  });
  expect(await transactGetGroups(canceled, [[get(1)], [get(2)]])).toEqual([[itemOf(1)], [itemOf(2)]]);
  const failing = faultyPort(port, {
    seed: 1,
    faults: [{ kind: "transaction-canceled", reasons: ["DuplicateItem"] }],
  });
  await expect(transactGetGroups(failing, [[get(1)], [get(2)]])).rejects.toThrow();
  expect(failing.requestCount()).toBe(1);
});

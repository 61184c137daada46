import type { WriteRequest } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { allItems, newTable } from "../../test/new-table.ts";
import { faultyPort } from "../index.ts";

const endpoint = inject("dynamoDbLocal");
const subsets = Array.from({ length: 16 }, (_, bits) => ({
  items: [0, 1, 2, 3].filter((index) => bits & (1 << index)),
}));

describe.skipIf(endpoint === "")("unprocessed items", () => {
  const port = localPort(endpoint);
  let TableName = "";
  beforeAll(async () => {
    TableName = await newTable(port);
  });
  afterAll(() => port.close());

  const key = (pk: string, index: number) => ({ pk: { S: pk }, sk: { S: String(index) } });
  const puts = (pk: string): WriteRequest[] =>
    [0, 1, 2, 3].map((index) => ({ PutRequest: { Item: key(pk, index) } }));
  const stored = async (pk: string) => {
    const items = await allItems(port, TableName);
    return items.filter((item) => item["pk"]?.S === pk).map((item) => Number(item["sk"]?.S));
  };

  test.each(subsets)(
    "BatchWriteItem leaves exactly $items undone, for one, two and three rounds",
    async ({ items }) => {
      for (const rounds of [1, 2, 3]) {
        const pk = `write [${items}] ${rounds}`;
        const faulty = faultyPort(
          port,
          `seed=1 faults=[{at:1,kind:unprocessed,items:[${items}],rounds:${rounds}}]`,
        );
        let requests = puts(pk);
        for (let round = 1; round <= rounds; round++) {
          const { UnprocessedItems } = await faulty.batchWriteItem({
            RequestItems: { [TableName]: requests },
          });
          const expected = puts(pk).filter((_, index) => items.includes(index));
          expect(UnprocessedItems).toEqual(items.length === 0 ? {} : { [TableName]: expected });
          expect(await stored(pk)).toEqual([0, 1, 2, 3].filter((index) => !items.includes(index)));
          if (items.length > 0) requests = expected;
        }
        await faulty.batchWriteItem({ RequestItems: { [TableName]: requests } });
        expect(await stored(pk)).toEqual([0, 1, 2, 3]);
      }
    },
  );

  test.each(subsets)("BatchGetItem leaves exactly $items unread", async ({ items }) => {
    await port.batchWriteItem({ RequestItems: { [TableName]: puts("read") } });
    const faulty = faultyPort(port, `seed=1 faults=[{at:1,kind:unprocessed,items:[${items}]}]`);
    const Keys = [0, 1, 2, 3].map((index) => key("read", index));
    const { Responses, UnprocessedKeys } = await faulty.batchGetItem({
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
    });
    const read = (Responses?.[TableName] ?? []).map((item) => Number(item["sk"]?.S)).sort();
    expect(read).toEqual([0, 1, 2, 3].filter((index) => !items.includes(index)));
    const undone = { Keys: Keys.filter((_, index) => items.includes(index)), ConsistentRead: true };
    expect(UnprocessedKeys).toEqual(items.length === 0 ? {} : { [TableName]: undone });
  });

  test("without a subset, everything is returned unprocessed and nothing is written", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{at:1..3,kind:unprocessed}]");
    for (let round = 0; round < 3; round++) {
      const { UnprocessedItems } = await faulty.batchWriteItem({
        RequestItems: { [TableName]: puts("all") },
      });
      expect(UnprocessedItems).toEqual({ [TableName]: expect.arrayContaining(puts("all")) });
      expect(await stored("all")).toEqual([]);
    }
    expect(await faulty.batchWriteItem({ RequestItems: { [TableName]: puts("all") } })).toMatchObject({
      UnprocessedItems: {},
    });
    expect(await stored("all")).toEqual([0, 1, 2, 3]);
  });

  test("a share is that part of the batch, chosen by the seed", async () => {
    const chosen = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const pk = `share ${seed}`;
      const faulty = faultyPort(port, `seed=${seed} faults=[{kind:unprocessed,share:.5}]`);
      const { UnprocessedItems } = await faulty.batchWriteItem({ RequestItems: { [TableName]: puts(pk) } });
      expect(UnprocessedItems?.[TableName]).toHaveLength(2);
      chosen.add((await stored(pk)).join());
    }
    expect(chosen.size).toBeGreaterThan(2);
  });

  test("positions count over all tables, and deletes are left undone too", async () => {
    const second = await newTable(port);
    await port.putItem({ TableName: second, Item: key("two", 0) });
    const faulty = faultyPort(port, "seed=1 faults=[{kind:unprocessed,items:[0,2]}]");
    const undeleted = { DeleteRequest: { Key: key("two", 0) } };
    const [first, last] = [{ PutRequest: { Item: key("two", 1) } }, { PutRequest: { Item: key("two", 2) } }];
    const { UnprocessedItems } = await faulty.batchWriteItem({
      RequestItems: { [TableName]: [first, last], [second]: [undeleted] },
    });
    expect(UnprocessedItems).toEqual({ [TableName]: [first], [second]: [undeleted] });
    expect(await stored("two")).toEqual([2]);
    expect(await allItems(port, second)).toEqual([key("two", 0)]);
  });
});

import assert from "node:assert/strict";
import type { Item, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seed, seedPartition } from "../sample-rows.ts";

const api = "AWS docs: Paginating table query results";
const letters = ["a", "b", "c", "d", "e"];

function page(
  { port, tables }: PortWorld,
  pk: { S: string },
  over: Partial<QueryInput> = {},
): Promise<QueryOutput> {
  return port.query({
    TableName: tables.composite,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk },
    ConsistentRead: true,
    ...over,
  });
}

/** The sort keys of every page, following LastEvaluatedKey to its end. */
async function pages(
  world: PortWorld,
  pk: { S: string },
  over: Partial<QueryInput>,
): Promise<(string | undefined)[][]> {
  const all: (string | undefined)[][] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const one = await page(world, pk, { ...over, ExclusiveStartKey });
    all.push(column(one.Items, "sk"));
    ExclusiveStartKey = one.LastEvaluatedKey;
    assert.ok(all.length < 50, "paging does not end");
  } while (ExclusiveStartKey !== undefined);
  return all;
}

/** `count` items of about 300 KB in one partition: three make a page of 1 MB, the fourth passes it. */
async function seedLarge(world: PortWorld, count: number): Promise<{ S: string }> {
  const names = Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));
  return seedPartition(world, names, () => ({ fill: { S: "x".repeat(300_000) }, even: { BOOL: true } }));
}

export const queryPagingCases: readonly PortCase[] = [
  ...[true, false].flatMap((forward): PortCase[] =>
    [1, 2, 4, 5, 6].map((Limit) => ({
      name: `Query with Limit ${Limit} walks five items ${forward ? "forwards" : "backwards"}`,
      source: api,
      async run(world) {
        const pk = await seedPartition(world, letters);
        const walked = await pages(world, pk, { Limit, ScanIndexForward: forward });
        same(walked.flat(), forward ? letters : [...letters].reverse());
        // The limit stopped the query on the last item too, so an empty page follows where it divides the count.
        same(walked.length, Math.floor(letters.length / Limit) + 1);
      },
    })),
  ),
  {
    name: "Query gives the key of the last item as LastEvaluatedKey when Limit ends the page",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      const { LastEvaluatedKey, Count } = await page(world, pk, { Limit: 2 });
      same({ LastEvaluatedKey, Count }, { LastEvaluatedKey: { pk, sk: { S: "b" } }, Count: 2 });
    },
  },
  {
    name: "Query leaves the fraction of a Limit out",
    source: "dynalite's suite, run against AWS: whole numbers are rounded down",
    async run(world) {
      const pk = await seedPartition(world, letters);
      const { Count } = await page(world, pk, { Limit: 1.9 });
      same(Count, 1);
    },
  },
  {
    name: "Query gives a LastEvaluatedKey even when Limit ends on the last item",
    source: "public conformance suites",
    async run(world) {
      const pk = await seedPartition(world, letters);
      const { LastEvaluatedKey } = await page(world, pk, { Limit: 5 });
      same(LastEvaluatedKey, { pk, sk: { S: "e" } });
      same(await page(world, pk, { ExclusiveStartKey: LastEvaluatedKey }), {
        Items: [],
        Count: 0,
        ScannedCount: 0,
      });
    },
  },
  {
    name: "Query gives no LastEvaluatedKey when the items end before Limit",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      same((await page(world, pk, { Limit: 6 })).LastEvaluatedKey, undefined);
    },
  },
  {
    name: "Query pages with a LastEvaluatedKey of the keys only, whatever is projected",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters, (sk) => ({ a: { S: sk } }));
      const { LastEvaluatedKey, Items } = await page(world, pk, { Limit: 1, ProjectionExpression: "a" });
      same(
        { LastEvaluatedKey, Items },
        { LastEvaluatedKey: { pk, sk: { S: "a" } }, Items: [{ a: { S: "a" } }] },
      );
    },
  },
  {
    name: "Query of a table without a sort key has no second page",
    source: "Amazon's list of errors for a starting key; DynamoDB Local gives no LastEvaluatedKey either",
    ...localGap("accepts a starting key"),
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      await seed(port, tables.simple, [{ pk }]);
      const query = (ExclusiveStartKey?: Item) =>
        port.query({
          TableName: tables.simple,
          KeyConditionExpression: "pk = :p",
          ExpressionAttributeValues: { ":p": pk },
          Limit: 1,
          ExclusiveStartKey,
        });
      same(await query(), { Items: [{ pk }], Count: 1, ScannedCount: 1 });
      await refuses(query({ pk: { S: unique() } }), "ValidationException");
      const text = "The query can return at most one row and cannot be restarted";
      await refuses(query({ pk }), "ValidationException", text);
    },
  },
  {
    name: "Query starts after a key that no item has",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      const start = { pk, sk: { S: "bb" } };
      same(column((await page(world, pk, { ExclusiveStartKey: start })).Items, "sk"), ["c", "d", "e"]);
      const back = await page(world, pk, { ExclusiveStartKey: start, ScanIndexForward: false });
      same(column(back.Items, "sk"), ["b", "a"]);
    },
  },
  {
    name: "Query goes on where it stopped after the last item read was deleted",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      const { LastEvaluatedKey } = await page(world, pk, { Limit: 3 });
      await world.port.deleteItem({ TableName: world.tables.composite, Key: { pk, sk: { S: "c" } } });
      const rest = await page(world, pk, { ExclusiveStartKey: LastEvaluatedKey });
      same(column(rest.Items, "sk"), ["d", "e"]);
    },
  },
  {
    name: "Query sees items written behind the start key of its next page",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      const { LastEvaluatedKey } = await page(world, pk, { Limit: 3 });
      await seed(
        world.port,
        world.tables.composite,
        ["aa", "cc"].map((sk) => ({ pk, sk: { S: sk } })),
      );
      const rest = await page(world, pk, { ExclusiveStartKey: LastEvaluatedKey });
      same(column(rest.Items, "sk"), ["cc", "d", "e"]);
    },
  },
  {
    name: "Query pages inside a sort key condition",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, letters);
      const within = {
        KeyConditionExpression: "pk = :p AND sk BETWEEN :x AND :y",
        ExpressionAttributeValues: { ":p": pk, ":x": { S: "b" }, ":y": { S: "d" } },
      };
      same(await pages(world, pk, { ...within, Limit: 2 }), [["b", "c"], ["d"]]);
      same(await pages(world, pk, { ...within, Limit: 2, ScanIndexForward: false }), [["d", "c"], ["b"]]);
    },
  },
  {
    name: "Query pages numbers by value in both directions",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const ascending = ["-5", "1", "3", "20", "100"];
      await seed(
        port,
        tables.numeric,
        ascending.map((n) => ({ pk, n: { N: n } })),
      );
      for (const ScanIndexForward of [true, false]) {
        const seen: (string | undefined)[] = [];
        let ExclusiveStartKey: Item | undefined;
        for (let round = 0; round < 6; round++) {
          const one = await port.query({
            TableName: tables.numeric,
            KeyConditionExpression: "pk = :p",
            ExpressionAttributeValues: { ":p": pk },
            Limit: 1,
            ConsistentRead: true,
            ScanIndexForward,
            ExclusiveStartKey,
          });
          seen.push(...column(one.Items, "n"));
          ExclusiveStartKey = one.LastEvaluatedKey;
          if (ExclusiveStartKey === undefined) break;
        }
        same(seen, ScanIndexForward ? ascending : [...ascending].reverse());
      }
    },
  },
  {
    name: "Query ends a page at 1 MB, with a LastEvaluatedKey, and goes on from there",
    source: "AWS docs: Paginating table query results",
    async run(world) {
      const pk = await seedLarge(world, 5);
      const walked = await pages(world, pk, {});
      same(walked.flat(), letters);
      assert.ok(
        walked.length >= 2 && (walked[0]?.length ?? 0) <= 4,
        `pages of ${walked.map((p) => p.length)}`,
      );
    },
  },
  {
    name: "Query counts 1 MB before the filter: a page may be empty and have a LastEvaluatedKey",
    source: "AWS docs: Filter expressions for the Query operation",
    ...localGap("counts the 1 MB after the filter"),
    async run(world) {
      const pk = await seedLarge(world, 5);
      const filtered = await page(world, pk, { FilterExpression: "attribute_not_exists(even)" });
      same(filtered.Items, []);
      assert.ok(filtered.LastEvaluatedKey !== undefined, "the page ended without a LastEvaluatedKey");
      assert.ok((filtered.ScannedCount ?? 0) < 5);
    },
  },
  {
    name: "Query counts 1 MB before the projection",
    source: "AWS docs: Paginating table query results",
    async run(world) {
      const pk = await seedLarge(world, 5);
      const first = await page(world, pk, { ProjectionExpression: "sk" });
      assert.ok(first.LastEvaluatedKey !== undefined && (first.Count ?? 0) < 5, `a page of ${first.Count}`);
    },
  },
];

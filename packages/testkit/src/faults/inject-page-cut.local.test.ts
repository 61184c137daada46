import type { DynamoPort, Item, Key } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { newTable } from "../../test/new-table.ts";
import { faultyPort } from "../index.ts";

const endpoint = inject("dynamoDbLocal");

interface Walk {
  readonly pages: number[];
  readonly found: (string | undefined)[];
}

describe.skipIf(endpoint === "").each(["S", "N"] as const)("page cuts, sort key of type %s", (type) => {
  const port = localPort(endpoint);
  let TableName = "";
  const sortKey = (index: number) => (type === "S" ? { S: `s${index}` } : { N: String(index - 3) });
  const indexOf = ({ sk }: Item) => (type === "S" ? sk?.S : `s${Number(sk?.N) + 3}`);
  const all = [0, 1, 2, 3, 4, 5].map((index) => `s${index}`);

  beforeAll(async () => {
    TableName = await newTable(port, type);
    for (let index = 0; index < 6; index++) {
      const Item = { pk: { S: "p" }, sk: sortKey(index), g: { S: "g" } };
      await port.putItem({ TableName, Item });
    }
  });
  afterAll(() => port.close());

  /** Reads to the end by LastEvaluatedKey alone. */
  const walk = async (read: (from: Key | undefined) => ReturnType<DynamoPort["query"]>): Promise<Walk> => {
    const [pages, found]: [number[], (string | undefined)[]] = [[], []];
    let from: Key | undefined;
    do {
      const { Items = [], Count, LastEvaluatedKey } = await read(from);
      expect(Count).toBe(Items.length);
      pages.push(Items.length);
      found.push(...Items.map(indexOf));
      from = LastEvaluatedKey;
    } while (from !== undefined && pages.length < 50);
    return { pages, found };
  };
  const query = (faulty: DynamoPort, more: object = {}) =>
    walk((ExclusiveStartKey) =>
      faulty.query({
        TableName,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": { S: "p" } },
        ExclusiveStartKey,
        ...more,
      }),
    );

  test.each([1, 2, 3, 4, 5])("a page ends after item %i", async (items) => {
    const { pages, found } = await query(
      faultyPort(port, `seed=1 faults=[{at:1,kind:page-cut,items:${items}}]`),
    );
    expect(found).toEqual(all);
    expect(pages).toEqual([items, 6 - items]);
  });

  test("a cut never makes a page longer than the caller's Limit", async () => {
    const { pages } = await query(faultyPort(port, "seed=1 faults=[{kind:page-cut,items:4}]"), { Limit: 2 });
    expect(pages.slice(0, 3)).toEqual([2, 2, 2]);
  });

  test("empty pages at the start, in a row and in the middle lose and repeat nothing", async () => {
    const schedule =
      "seed=1 faults=[{at:1..2,kind:page-cut,items:0},{at:4,kind:page-cut,items:0},{kind:page-cut,items:2}]";
    const { pages, found } = await query(faultyPort(port, schedule));
    expect(found).toEqual(all);
    expect(pages.slice(0, 6)).toEqual([0, 0, 2, 0, 2, 2]);
  });

  test("also backwards, behind a key condition, with a filter, on an index and in a scan", async () => {
    const faulty = () =>
      faultyPort(
        port,
        "seed=5 faults=[{at:1,kind:page-cut,items:0},{kind:page-cut,items:0,p:.4},{kind:page-cut,items:1,p:.5}]",
      );
    expect((await query(faulty(), { ScanIndexForward: false })).found).toEqual([...all].reverse());
    const from2 = {
      KeyConditionExpression: "pk = :p AND sk > :s",
      ExpressionAttributeValues: { ":p": { S: "p" }, ":s": sortKey(1) },
    };
    expect((await query(faulty(), from2)).found).toEqual(all.slice(2));
    const filtered = {
      FilterExpression: "contains(g, :g)",
      ExpressionAttributeValues: { ":p": { S: "p" }, ":g": { S: "g" } },
    };
    expect((await query(faulty(), filtered)).found).toEqual(all);
    const indexed = await query(faulty(), {
      IndexName: "by-g",
      KeyConditionExpression: "g = :g",
      ExpressionAttributeValues: { ":g": { S: "g" } },
    });
    expect(indexed.found.sort()).toEqual(all);
    const scanning = faulty();
    const scanned = await walk((ExclusiveStartKey) => scanning.scan({ TableName, ExclusiveStartKey }));
    expect(scanned.found.sort()).toEqual(all);
    expect(scanned.pages.length).toBeGreaterThan(1);
  });

  test("an answer that is lost after an empty page can be asked for again", async () => {
    const faulty = faultyPort(
      port,
      "seed=1 faults=[{at:1,kind:page-cut,items:0},{at:2,kind:lost-after-apply}]",
    );
    const { found } = await walk((ExclusiveStartKey) => {
      const input = {
        TableName,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": { S: "p" } },
        ExclusiveStartKey,
      };
      return faulty.query(input).catch(() => faulty.query(input));
    });
    expect(found).toEqual(all);
    expect(faulty.log.map((each) => each.kind)).toEqual(["page-cut", "lost-after-apply"]);
  });

  test("adds no empty page where there is nothing to read", async () => {
    const faulty = faultyPort(port, "seed=1 faults=[{kind:page-cut,items:0}]");
    const page = await faulty.query({
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": { S: "nobody" } },
    });
    expect(page).toMatchObject({ Items: [], Count: 0 });
    expect(page.LastEvaluatedKey).toBeUndefined();
  });
});

import type { DynamoPort, Item, QueryInput } from "@tablekeep/core";
import { type Fault, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { createTestTable } from "../../test/local-table.ts";
import { openPort } from "../../test/open-port.ts";
import { recordedPort } from "../../test/recorded-port.ts";
import { batchWrite } from "../batch/batch-write.ts";
import { decodePageCursor, encodePageCursor } from "./page-cursor.ts";
import { queryItems, queryPages, scanItems, scanPages } from "./pages.ts";

const endpoint = inject("dynamoDbLocal");
const total = 12;

describe.skipIf(endpoint === "")("pages on DynamoDB Local", () => {
  let port: DynamoPort;
  let table: string;
  beforeAll(async () => {
    port = openPort(endpoint);
    table = await createTestTable(port);
    const rows = Array.from({ length: total }, (_, n) => ({ table, put: itemAt(n) }));
    const wide = Array.from({ length: 5 }, (_, n) => ({
      table,
      put: { pk: { S: "wide" }, sk: { N: `${n}` }, v: { S: "x".repeat(300_000) } },
    }));
    await batchWrite(port, [...rows, ...wide], { deadlineMs: 50_000 });
  });
  afterAll(async () => {
    await port.deleteTable({ TableName: table });
    await port.close();
  });

  const itemAt = (n: number): Item => ({ pk: { S: "p" }, sk: { N: `${n}` }, odd: { BOOL: n % 2 === 1 } });
  const all = Array.from({ length: total }, (_, n) => itemAt(n));
  const query = (more: Partial<QueryInput> = {}): QueryInput => ({
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ConsistentRead: true,
    ...more,
    ExpressionAttributeValues: { ":pk": { S: "p" }, ...more.ExpressionAttributeValues },
  });
  const onlyOdd = { FilterExpression: "odd = :odd", ExpressionAttributeValues: { ":odd": { BOOL: true } } };
  const odd = all.filter((_, n) => n % 2 === 1);
  async function collect<Element>(source: AsyncIterable<Element>): Promise<Element[]> {
    const found: Element[] = [];
    for await (const each of source) found.push(each);
    return found;
  }
  const faulty = (...faults: Fault[]) => faultyPort(port, { seed: 1, faults });

  test("a page cut after any number of items loses and repeats nothing", async () => {
    for (let cut = 1; cut <= total + 1; cut++) {
      const cutting = faulty({ kind: "page-cut", items: cut });
      expect(await collect(queryItems(cutting, query()))).toEqual(all);
      expect(await collect(queryItems(cutting, query({ ScanIndexForward: false })))).toEqual(
        [...all].reverse(),
      );
      expect(await collect(queryItems(cutting, query(onlyOdd)))).toEqual(odd);
    }
  });

  test("empty pages that have a LastEvaluatedKey do not end it, wherever they come", async () => {
    for (let at = 1; at <= 5; at++) {
      const faults: Fault[] = [
        { kind: "page-cut", items: 0, at: [at, at + 2] },
        { kind: "page-cut", items: 3 },
      ];
      const emptying = faulty(...faults);
      expect(await collect(queryItems(emptying, query()))).toEqual(all);
      expect(emptying.log.filter((each) => each.fault === 0).length).toBeGreaterThan(0);
    }
    const scanned = await collect(
      scanItems(faulty({ kind: "page-cut", items: 0, at: [1, 3] }), { TableName: table }),
    );
    expect(scanned).toHaveLength(total + 5);
  });

  test("pages that a filter leaves empty do not end it", async () => {
    const none = { FilterExpression: "attribute_exists(absent)" };
    const pages = await collect(queryPages(port, query({ ...none, Limit: 5 })));
    expect(pages.map((page) => page.Items?.length)).toEqual([0, 0, 0]);
    const { port: recorded, requests } = recordedPort(port);
    expect(await collect(queryItems(recorded, query({ ...none }), { limit: 4 }))).toEqual([]);
    expect(requests.length).toBeGreaterThan(1);
  });

  test("pages end by themselves at 1 MB", async () => {
    const wide = query({ ExpressionAttributeValues: { ":pk": { S: "wide" } } });
    const pages = await collect(queryPages(port, wide));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap((page) => page.Items?.map((item) => item["sk"]?.N))).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
    ]);
  });

  test("a limit counts items over all pages, and nothing is read beyond it", async () => {
    for (let limit = 0; limit <= total + 2; limit++) {
      for (const Limit of [undefined, 1, 5]) {
        const pages = await collect(queryPages(port, query({ Limit }), { limit }));
        expect(pages.flatMap((page) => page.Items ?? [])).toEqual(all.slice(0, limit));
        const scanned = pages.reduce((sum, page) => sum + (page.ScannedCount ?? 0), 0);
        expect(scanned).toBe(Math.min(limit, total));
      }
    }
  });

  test("under a filter too: it stops reading at the last item that it returns", async () => {
    for (let limit = 1; limit <= odd.length; limit++) {
      const pages = await collect(queryPages(port, query(onlyOdd), { limit }));
      expect(pages.flatMap((page) => page.Items ?? [])).toEqual(odd.slice(0, limit));
      const scanned = pages.reduce((sum, page) => sum + (page.ScannedCount ?? 0), 0);
      expect(scanned).toBe(2 * limit);
    }
  });

  test("a limit works on counts as well", async () => {
    const pages = await collect(queryPages(port, query({ Select: "COUNT", Limit: 4 }), { limit: 7 }));
    expect(pages.map((page) => page.Count)).toEqual([4, 3]);
  });

  test("fetches nothing before it is requested, nor after the consumer stops", async () => {
    const { port: recorded, requests } = recordedPort(port);
    const items = queryItems(recorded, query({ Limit: 2 }));
    expect(requests).toHaveLength(0);
    for await (const _ of items) break;
    expect(requests).toHaveLength(1);
  });

  test("an abort ends it before the next page", async () => {
    const stop = new AbortController();
    const { port: recorded, requests } = recordedPort(port);
    const reading = async () => {
      for await (const _ of queryPages(recorded, query({ Limit: 2 }), { signal: stop.signal })) stop.abort();
    };
    expect((await failureOf(reading())).code).toBe("CLIENT_ABORTED");
    expect(requests).toHaveLength(1);
  });

  test("a cursor continues where another process stopped", async () => {
    const found: Item[] = [];
    let cursor: string | undefined;
    do {
      const input = query(onlyOdd);
      const start = cursor === undefined ? {} : { ExclusiveStartKey: decodePageCursor(input, cursor) };
      const [page] = await collect(queryPages(port, { ...input, ...start, Limit: 5 }, { limit: 2 }));
      found.push(...(page?.Items ?? []));
      cursor = page?.LastEvaluatedKey && encodePageCursor(input, page.LastEvaluatedKey);
    } while (cursor !== undefined);
    expect(found).toEqual(odd);
  });

  test("segments together return every item once, whatever cuts their pages", async () => {
    const seen = (items: Item[]) => items.map((item) => `${item["pk"]?.S}/${item["sk"]?.N}`).sort();
    const everything = seen(await collect(scanItems(port, { TableName: table })));
    expect(everything).toHaveLength(total + 5);
    for (const segments of [2, 3, 7]) {
      const cutting = faulty({ kind: "page-cut", items: 1 });
      expect(seen(await collect(scanItems(cutting, { TableName: table }, { segments })))).toEqual(everything);
    }
  });

  test("segments share a limit and read no more than it", async () => {
    for (const limit of [0, 1, 4, 9, 17, 20]) {
      const pages = await collect(scanPages(port, { TableName: table }, { segments: 3, limit }));
      const counted = pages.reduce((sum, page) => sum + (page.Count ?? 0), 0);
      expect(counted).toBe(Math.min(limit, total + 5));
      expect(pages.reduce((sum, page) => sum + (page.ScannedCount ?? 0), 0)).toBe(counted);
    }
  });

  test("one segment that fails ends them all, with nothing left running", async () => {
    const rejected = faulty({ kind: "refuse", exception: "AccessDeniedException", nth: 2 });
    const scanning = collect(scanItems(rejected, { TableName: table }, { segments: 3 }));
    expect((await failureOf(scanning)).code).toBe("DYNAMO_ACCESS_DENIED");
    expect(rejected.busy()).toBe(false);
  });

  test("options that cannot be used are rejected", async () => {
    const rejections = [
      collect(queryItems(port, query(), { limit: -1 })),
      collect(queryItems(port, query(), { limit: 1.5 })),
      collect(queryItems(port, query(), { segments: 2 } as never)),
      collect(scanItems(port, { TableName: table }, { segments: 0 })),
      collect(scanItems(port, { TableName: table, Segment: 0, TotalSegments: 2 }, { segments: 2 })),
    ];
    for (const rejection of rejections)
      expect((await failureOf(rejection)).code).toBe("CLIENT_OPTION_INVALID");
  });
});

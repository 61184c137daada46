import type { AttributeValue, Item } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { define, keySchema } from "./tables.ts";

/*
 * Every operation that returns an unbounded number of items ends its answer at 1 MB of data read. One row per way to read.
 */

const TableName = "large";
const s = (text: string): AttributeValue => ({ S: text });
/** 390 KB each, so that three of them are more than 1 MB. */
const filling = s("x".repeat(390 * 1024));
const ids = Array.from({ length: 9 }, (_, at) => String(at));
const maxBytes = 1024 * 1024 + 400 * 1024;

let engine: Engine;
let streamArn = "";
afterAll(() => engine.close());
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const index = (IndexName: string, hash: string, range: string, ProjectionType: "ALL" | "KEYS_ONLY") => ({
    IndexName,
    KeySchema: keySchema(hash, range),
    Projection: { ProjectionType },
  });
  const created = await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: define("pk", "sk", "l", "g"),
    KeySchema: keySchema("pk", "sk"),
    LocalSecondaryIndexes: [index("local-keys", "pk", "l", "KEYS_ONLY")],
    GlobalSecondaryIndexes: [index("global-all", "g", "sk", "ALL")],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
  });
  streamArn = created.TableDescription?.LatestStreamArn ?? "";
  for (const id of ids) {
    const keys = { pk: s("p"), sk: s(id), l: s(id), g: s("g") };
    await engine.putItem({ TableName, Item: { ...keys, filling } });
    // The same items again, each in its own partition.
    await engine.putItem({ TableName, Item: { ...keys, pk: s(`p${id}`), g: s(`g${id}`), filling } });
  }
});

interface Page {
  readonly items: readonly Item[];
  /** Reads the page after this one; undefined at the end. */
  readonly next: (() => Promise<Page>) | undefined;
}

const query = (over: object, start?: Item): Promise<Page> =>
  engine
    .query({
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": s("p") },
      ExclusiveStartKey: start,
      ...over,
    })
    .then(({ Items = [], LastEvaluatedKey: last }) => ({
      items: Items,
      next: last && (() => query(over, last)),
    }));

const scan = (over: object, start?: Item): Promise<Page> =>
  engine
    .scan({ TableName, ExclusiveStartKey: start, ...over })
    .then(({ Items = [], LastEvaluatedKey: last }) => ({
      items: Items,
      next: last && (() => scan(over, last)),
    }));

const select = (Statement: string, token?: string): Promise<Page> =>
  engine.executeStatement({ Statement, NextToken: token }).then(({ Items = [], NextToken }) => ({
    items: Items,
    next: NextToken ? () => select(Statement, NextToken) : undefined,
  }));

const records = (ShardIterator: string): Promise<Page> =>
  engine.getRecords({ ShardIterator }).then(({ Records = [], NextShardIterator: next }) => ({
    items: Records.map(({ dynamodb }) => dynamodb?.NewImage ?? {}),
    next: Records.length === 0 || next === undefined ? undefined : () => records(next),
  }));

async function firstRecords(): Promise<Page> {
  const { StreamDescription } = await engine.describeStream({ StreamArn: streamArn });
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const from = { StreamArn: streamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
  const { ShardIterator = "" } = await engine.getShardIterator(from);
  return records(ShardIterator);
}

const local = { IndexName: "local-keys" };
const allAttributes = { ...local, Select: "ALL_ATTRIBUTES" };
const global = {
  IndexName: "global-all",
  KeyConditionExpression: "g = :p",
  ExpressionAttributeValues: { ":p": s("g") },
};
const partitions = ids.map((id) => `'p${id}'`).join(", ");

const ways: readonly { what: string; read: () => Promise<Page>; items: number }[] = [
  { what: "a query", read: () => query({}), items: 9 },
  { what: "a query in reverse", read: () => query({ ScanIndexForward: false }), items: 9 },
  { what: "a query with a projection", read: () => query({ ProjectionExpression: "filling" }), items: 9 },
  { what: "a query of a global index", read: () => query(global), items: 9 },
  { what: "a query of a local index that fetches whole items", read: () => query(allAttributes), items: 9 },
  {
    what: "a query of a local index that fetches whole items, in reverse",
    read: () => query({ ...allAttributes, ScanIndexForward: false }),
    items: 9,
  },
  {
    what: "a query of a local index that fetches one attribute",
    read: () => query({ ...local, ProjectionExpression: "filling" }),
    items: 9,
  },
  {
    what: "a query of a local index that fetches what passes a filter",
    read: () => query({ ...allAttributes, FilterExpression: "attribute_exists(sk)" }),
    items: 9,
  },
  { what: "a scan", read: () => scan({}), items: 18 },
  { what: "a scan of a segment", read: () => scan({ Segment: 0, TotalSegments: 1 }), items: 18 },
  { what: "a scan of a global index", read: () => scan({ IndexName: "global-all" }), items: 18 },
  { what: "a scan of a local index that fetches whole items", read: () => scan(allAttributes), items: 18 },
  {
    what: "a scan of a local index that fetches one attribute",
    read: () => scan({ ...local, ProjectionExpression: "filling" }),
    items: 18,
  },
  { what: "a statement by key", read: () => select(`SELECT * FROM ${TableName} WHERE pk = 'p'`), items: 9 },
  { what: "a statement that scans", read: () => select(`SELECT * FROM ${TableName}`), items: 18 },
  {
    what: "a statement of several partitions",
    read: () => select(`SELECT * FROM ${TableName} WHERE pk IN [${partitions}]`),
    items: 9,
  },
  {
    what: "a statement of two small partitions and a large one",
    read: () => select(`SELECT * FROM ${TableName} WHERE pk IN ['p0', 'p1', 'p']`),
    items: 11,
  },
  {
    what: "a statement of a local index that fetches",
    read: () => select(`SELECT filling FROM "${TableName}"."local-keys" WHERE pk = 'p'`),
    items: 9,
  },
  {
    what: "a statement of a local index that fetches from several partitions",
    read: () => select(`SELECT filling FROM "${TableName}"."local-keys" WHERE pk IN [${partitions}]`),
    items: 9,
  },
  {
    what: "a statement that scans a local index and fetches",
    read: () => select(`SELECT filling FROM "${TableName}"."local-keys"`),
    items: 18,
  },
  { what: "GetRecords", read: firstRecords, items: 18 },
];

test.each(ways.map((way) => [way.what, way] as const))(
  "%s ends its pages at 1 MB and returns every item once",
  async (_what, { read, items }) => {
    let seen = 0;
    for (let next: Page["next"] = read; next !== undefined; ) {
      const page: Page = await next();
      seen += page.items.length;
      const bytes = page.items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
      next = page.next;
    }
    expect(seen).toBe(items);
  },
);

test("in a query, a fetching local index counts what the filter drops only as index entries", async () => {
  const filtered = await engine.query({
    TableName,
    ...allAttributes,
    KeyConditionExpression: "pk = :p",
    FilterExpression: "sk = :last",
    ExpressionAttributeValues: { ":p": s("p"), ":last": s("8") },
  } as Parameters<Engine["query"]>[0]);
  expect([filtered.Count, filtered.ScannedCount, filtered.LastEvaluatedKey]).toEqual([1, 9, undefined]);
});

import type { AttributeValue, Item, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seed } from "../sample-rows.ts";

const api = "AWS docs: Local secondary indexes";
const s = (text: string): AttributeValue => ({ S: text });

/** Writes rows of one new partition of the shared table `indexed`; returns its key. */
async function partition(
  { port, tables, unique }: PortWorld,
  rows: readonly Item[],
): Promise<AttributeValue> {
  const pk = s(unique());
  await seed(
    port,
    tables.indexed,
    rows.map((row) => ({ pk, ...row })),
  );
  return pk;
}

/** Three items whose order by `l` is the reverse of their order by `sk`, and one without `l`. */
const rows: readonly Item[] = [
  { sk: s("1"), l: s("c"), a: s("a1"), b: s("b1") },
  { sk: s("2"), l: s("b"), a: s("a2"), b: s("b2") },
  { sk: s("3"), l: s("a"), a: s("a3"), b: s("b3") },
  { sk: s("4"), a: s("a4") },
];

function query(world: PortWorld, pk: AttributeValue, over: Partial<QueryInput> = {}): Promise<QueryOutput> {
  const { ExpressionAttributeValues, ...rest } = over;
  return world.port.query({
    TableName: world.tables.indexed,
    IndexName: "by-l",
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk, ...ExpressionAttributeValues },
    ConsistentRead: true,
    ...rest,
  });
}

const starts: readonly { what: string; key: Item; gap?: string }[] = [
  { what: "without the table's sort key", key: { l: s("a") }, gap: "refuses with other words" },
  { what: "without the index key", key: { sk: s("1") }, gap: "refuses with other words" },
  {
    what: "with an index key of the wrong type",
    key: { sk: s("1"), l: { N: "1" } },
    gap: "refuses with other words",
  },
];

export const localIndexCases: readonly PortCase[] = [
  {
    name: "an item and its copies in local indexes share the limit of 400 KB",
    source: "AWS docs: Local secondary indexes, Item collection and size limits",
    async run({ port, tables, unique }) {
      const put = (bytes: number, keys: Item) =>
        port.putItem({
          TableName: tables.indexed,
          Item: { pk: s(unique()), sk: s("1"), fill: s("x".repeat(bytes)), ...keys },
        });
      await put(204_000, { l: s("l") });
      await refuses(
        put(205_000, { l: s("l") }),
        "ValidationException",
        "Item size has exceeded the maximum allowed size",
      );
      await put(205_000, {});
    },
  },
  {
    name: "A local index orders a partition by its own sort key and leaves out items without it",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      const page = await query(world, pk);
      same(column(page.Items, "sk"), ["3", "2", "1"]);
      same([page.Count, page.ScannedCount], [3, 3]);
      same(column((await query(world, pk, { ScanIndexForward: false })).Items, "sk"), ["1", "2", "3"]);
    },
  },
  {
    name: "A local index is read by a condition on its sort key",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      const page = await query(world, pk, {
        KeyConditionExpression: "pk = :p AND l >= :x",
        ExpressionAttributeValues: { ":x": s("b") },
      });
      same(column(page.Items, "l"), ["b", "c"]);
    },
  },
  {
    name: "A local index gives whole items where it projects ALL",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      same((await query(world, pk, { Limit: 1 })).Items, [{ pk, ...rows[2] }]);
    },
  },
  {
    name: "A local index of KEYS_ONLY gives the keys of table and index",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      const keys = [{ pk, sk: s("3"), l: s("a") }];
      same((await query(world, pk, { IndexName: "by-l-keys", Limit: 1 })).Items, keys);
      const projected = { IndexName: "by-l-keys", Limit: 1, Select: "ALL_PROJECTED_ATTRIBUTES" } as const;
      same((await query(world, pk, projected)).Items, keys);
    },
  },
  {
    name: "A local index fetches attributes from the table that it does not project",
    source: "AWS docs: Local secondary indexes, Fetches",
    async run(world) {
      const pk = await partition(world, rows);
      const whole = await query(world, pk, { IndexName: "by-l-keys", Limit: 1, Select: "ALL_ATTRIBUTES" });
      same(whole.Items, [{ pk, ...rows[2] }]);
      const some = await query(world, pk, { IndexName: "by-l-keys", Limit: 1, ProjectionExpression: "b" });
      same(some.Items, [{ b: s("b3") }]);
    },
  },
  {
    name: "A local index filters on an attribute of the table's key",
    source: "AWS docs: Filter expressions for the Query operation",
    async run(world) {
      const pk = await partition(world, rows);
      const page = await query(world, pk, {
        FilterExpression: "sk > :x",
        ExpressionAttributeValues: { ":x": s("1") },
      });
      same(column(page.Items, "sk"), ["3", "2"]);
      same([page.Count, page.ScannedCount], [2, 3]);
    },
  },
  {
    name: "A local index refuses a filter on its own sort key",
    source: "AWS docs: Filter expressions for the Query operation",
    async run(world) {
      const refused = query(world, s("p"), { FilterExpression: "l = :p" });
      const text = "Filter Expression can only contain non-primary key attributes: Primary key attribute: l";
      await refuses(refused, "ValidationException", text);
    },
  },
  {
    name: "A query of an index is refused for a filter on attributes that the index does not hold",
    source: "ExecuteStatement's conformance suite, run against AWS; reported of Query by its users",
    async run({ port, tables }) {
      const filtered = (IndexName: string, key: string) =>
        port.query({
          TableName: tables.indexed,
          IndexName,
          KeyConditionExpression: `${key} = :p`,
          FilterExpression: "m = :p OR attribute_exists(b[0]) OR sk = :p",
          ExpressionAttributeValues: { ":p": s("p") },
        });
      for (const [index, key] of [
        ["by-l-keys", "pk"],
        ["by-g-h", "g"],
      ] as const) {
        const text = `One or more parameter values were invalid: Secondary index ${index} does not project one or more filter attributes: [b, m]`;
        await refuses(filtered(index, key), "ValidationException", text);
      }
    },
  },
  {
    name: "A local index refuses a condition on the table's sort key",
    source: "public conformance suites",
    async run(world) {
      const refused = query(world, s("p"), { KeyConditionExpression: "pk = :p AND sk = :p" });
      await refuses(refused, "ValidationException", "Query condition missed key schema element: l");
    },
    ...localGap("does not name the element"),
  },
  ...[1, 2, 3, 4].map(
    (Limit): PortCase => ({
      name: `A local index pages through equal sort keys with Limit ${Limit}, each item once`,
      source: api,
      async run(world) {
        const names = ["1", "2", "3", "4", "5"];
        const pk = await partition(
          world,
          names.map((sk) => ({ sk: s(sk), l: s(sk < "5" ? "same" : "tail") })),
        );
        for (const ScanIndexForward of [true, false]) {
          const seen: (string | undefined)[] = [];
          let ExclusiveStartKey: Item | undefined;
          for (let round = 0; round < 10; round++) {
            const page = await query(world, pk, { Limit, ScanIndexForward, ExclusiveStartKey });
            seen.push(...column(page.Items, "sk"));
            ExclusiveStartKey = page.LastEvaluatedKey;
            if (ExclusiveStartKey === undefined) break;
          }
          same([...seen].sort(), names);
          same(seen.indexOf("5"), ScanIndexForward ? 4 : 0);
        }
      },
    }),
  ),
  {
    name: "A local index gives the keys of table and index as LastEvaluatedKey",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      same((await query(world, pk, { Limit: 2 })).LastEvaluatedKey, { pk, sk: s("2"), l: s("b") });
    },
  },
  ...starts.map(
    ({ what, key, gap }): PortCase => ({
      name: `A local index refuses an ExclusiveStartKey ${what}`,
      source: "public conformance suites",
      async run(world) {
        const refused = query(world, s("p"), { ExclusiveStartKey: { pk: s("p"), ...key } });
        await refuses(refused, "ValidationException", "The provided starting key is invalid");
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "A local index sees an update of its key, and the loss of it",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const pk = await partition(world, rows);
      const Key = { pk, sk: s("2") };
      const set = { ":x": s("z") };
      await port.updateItem({
        TableName: tables.indexed,
        Key,
        UpdateExpression: "SET l = :x",
        ExpressionAttributeValues: set,
      });
      same(column((await query(world, pk)).Items, "sk"), ["3", "1", "2"]);
      await port.updateItem({ TableName: tables.indexed, Key, UpdateExpression: "REMOVE l" });
      same(column((await query(world, pk)).Items, "sk"), ["3", "1"]);
      await port.deleteItem({ TableName: tables.indexed, Key: { pk, sk: s("3") } });
      same(column((await query(world, pk)).Items, "sk"), ["1"]);
    },
  },
  {
    name: "A local index shows the new values after a put replaced the item",
    source: api,
    async run(world) {
      const pk = await partition(world, rows);
      const item = { pk, sk: s("3"), l: s("a"), fresh: s("yes") };
      await world.port.putItem({ TableName: world.tables.indexed, Item: item });
      same((await query(world, pk, { Limit: 1 })).Items, [item]);
    },
  },
  ...wrongTypes(),
];

/** Writes whose index key has a type that the index does not have. */
function wrongTypes(): PortCase[] {
  const values: { what: string; value: AttributeValue; putGap?: string; updateGap?: string }[] = [
    {
      what: "a number",
      value: { N: "1" },
      putGap: "does not name the key and its types",
      updateGap: "stores the item and leaves it out of the index",
    },
    { what: "NULL", value: { NULL: true } },
    { what: "an empty text", value: { S: "" } },
    { what: "a list", value: { L: [] } },
  ];
  return values.flatMap(({ what, value, putGap, updateGap }): PortCase[] => [
    {
      name: `PutItem refuses ${what} as an index key of type S`,
      source: "public conformance suites",
      async run({ port, tables, unique }) {
        const put = port.putItem({
          TableName: tables.indexed,
          Item: { pk: s(unique()), sk: s("1"), l: value },
        });
        await refuses(
          put,
          "ValidationException",
          value.N ? "Type mismatch for Index Key l Expected: S Actual: N" : undefined,
        );
      },
      ...localGap(putGap),
    },
    {
      name: `UpdateItem refuses to set an index key of type S to ${what}`,
      source: "public conformance suites",
      async run({ port, tables, unique }) {
        const update = port.updateItem({
          TableName: tables.indexed,
          Key: { pk: s(unique()), sk: s("1") },
          UpdateExpression: "SET l = :x",
          ExpressionAttributeValues: { ":x": value },
        });
        await refuses(update, "ValidationException");
      },
      ...localGap(updateGap),
    },
  ]);
}

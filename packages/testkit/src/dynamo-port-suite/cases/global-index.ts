import type { AttributeValue, Item, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { column, seed, settles } from "../seed.ts";

const api = "AWS docs: Using global secondary indexes in DynamoDB";
const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

/** Items of a fresh index partition `g`: one with `h`, one without, two with equal `h`; all in other table partitions. */
async function rowsOf({ port, tables, unique }: PortWorld): Promise<{ g: AttributeValue; items: Item[] }> {
  const g = s(unique());
  const items = [
    { pk: s(unique()), sk: s("1"), g, h: n("10"), a: s("a1"), b: s("b1") },
    { pk: s(unique()), sk: s("2"), g, h: n("9"), a: s("a2"), b: s("b2") },
    { pk: s(unique()), sk: s("3"), g, a: s("a3") },
    { pk: s(unique()), sk: s("4"), g, h: n("10"), b: s("b4") },
  ];
  await seed(port, tables.indexed, items);
  return { g, items };
}

function query(
  world: PortWorld,
  IndexName: string,
  g: AttributeValue,
  over: Partial<QueryInput> = {},
): Promise<QueryOutput> {
  const { ExpressionAttributeValues, ...rest } = over;
  return world.port.query({
    TableName: world.tables.indexed,
    IndexName,
    KeyConditionExpression: "g = :g",
    ExpressionAttributeValues: { ":g": g, ...ExpressionAttributeValues },
    ...rest,
  });
}

const byKey = (items: readonly Item[] | undefined): Item[] =>
  [...(items ?? [])].sort((one, two) => ((one["sk"]?.S ?? "") < (two["sk"]?.S ?? "") ? -1 : 1));

const only = (item: Item | undefined, ...names: string[]): Item =>
  Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => names.includes(name)));

const refusals: readonly { what: string; index: string; input: Partial<QueryInput>; text?: string }[] = [
  {
    what: "ConsistentRead",
    index: "by-g",
    input: { ConsistentRead: true },
    text: "Consistent reads are not supported on global secondary indexes",
  },
  {
    what: "Select ALL_ATTRIBUTES on a projection that is not ALL",
    index: "by-g-h",
    input: { Select: "ALL_ATTRIBUTES" },
    text: "Select type ALL_ATTRIBUTES is not supported for global secondary index",
  },
  {
    what: "a projection of an attribute that the index does not hold",
    index: "by-g-h",
    input: { ProjectionExpression: "b" },
    text: "Global secondary index by-g-h does not project",
  },
  {
    what: "a filter on its sort key",
    index: "by-g-h",
    input: { FilterExpression: "h = :g" },
    text: "Filter Expression can only contain non-primary key attributes: Primary key attribute: h",
  },
  {
    what: "a condition on the table's key",
    index: "by-g-h",
    input: { KeyConditionExpression: "pk = :g" },
    text: "Query condition missed key schema element",
  },
  {
    what: "an ExclusiveStartKey without the table's keys",
    index: "by-g",
    input: { ExclusiveStartKey: { g: s("g") } },
    text: "The provided starting key is invalid",
  },
];

export const globalIndexCases: readonly PortCase[] = [
  ...refusals.map(
    ({ what, index, input, text }): PortCase => ({
      name: `A global index refuses ${what}`,
      source: `${api}; conformance suites run against AWS`,
      async run(world) {
        await refuses(query(world, index, s("g"), input), "ValidationException", text);
      },
    }),
  ),
  {
    name: "A global index gathers items of many partitions by its own key",
    source: api,
    async run(world) {
      const { g, items } = await rowsOf(world);
      await settles(world, async () => byKey((await query(world, "by-g", g)).Items), items);
    },
  },
  {
    name: "A global index leaves out items that lack one of its keys",
    source: "AWS docs: Take advantage of sparse indexes",
    async run(world) {
      const { g } = await rowsOf(world);
      await settles(world, async () => column((await query(world, "by-g-h", g)).Items, "sk").sort(), [
        "1",
        "2",
        "4",
      ]);
    },
  },
  {
    name: "A global index orders by its sort key, by value, both ways",
    source: api,
    async run(world) {
      const { g } = await rowsOf(world);
      await settles(world, async () => column((await query(world, "by-g-h", g)).Items, "h"), [
        "9",
        "10",
        "10",
      ]);
      const back = () => query(world, "by-g-h", g, { ScanIndexForward: false });
      await settles(world, async () => column((await back()).Items, "h"), ["10", "10", "9"]);
    },
  },
  {
    name: "A global index of KEYS_ONLY gives the keys of table and index",
    source: api,
    async run(world) {
      const { g, items } = await rowsOf(world);
      await settles(world, async () => (await query(world, "by-g-keys", g, { Limit: 1 })).Items, [
        only(items[1], "pk", "sk", "g", "h"),
      ]);
    },
  },
  {
    name: "A global index of INCLUDE gives the keys and the included attributes",
    source: api,
    async run(world) {
      const { g, items } = await rowsOf(world);
      await settles(world, async () => (await query(world, "by-g-h", g, { Limit: 1 })).Items, [
        only(items[1], "pk", "sk", "g", "h", "a"),
      ]);
    },
  },
  {
    name: "A global index of ALL gives whole items with Select ALL_ATTRIBUTES",
    source: "AWS: API_Query, Select",
    async run(world) {
      const { g, items } = await rowsOf(world);
      const read = async () => byKey((await query(world, "by-g", g, { Select: "ALL_ATTRIBUTES" })).Items);
      await settles(world, read, items);
    },
  },
  {
    name: "A global index projects what it holds and filters on the table's keys",
    source: api,
    async run(world) {
      const { g } = await rowsOf(world);
      const read = () =>
        query(world, "by-g-h", g, {
          ProjectionExpression: "a, h",
          FilterExpression: "sk < :x",
          ExpressionAttributeValues: { ":x": s("2") },
        });
      await settles(world, read, { Items: [{ a: s("a1"), h: n("10") }], Count: 1, ScannedCount: 3 });
    },
  },
  {
    name: "A global index is read by a condition on its sort key",
    source: api,
    async run(world) {
      const { g } = await rowsOf(world);
      const read = async () => {
        const over = {
          KeyConditionExpression: "g = :g AND h < :x",
          ExpressionAttributeValues: { ":x": n("10") },
        };
        return column((await query(world, "by-g-h", g, over)).Items, "sk");
      };
      await settles(world, read, ["2"]);
    },
  },
  ...[1, 2, 3].flatMap((Limit) =>
    [true, false].map(
      (ScanIndexForward): PortCase => ({
        name: `A global index pages ${ScanIndexForward ? "forwards" : "backwards"} through equal keys with Limit ${Limit}, each item once`,
        source: api,
        async run(world) {
          const { g } = await rowsOf(world);
          const walk = async () => {
            const seen: (string | undefined)[] = [];
            let ExclusiveStartKey: Item | undefined;
            for (let round = 0; round < 10; round++) {
              const page = await query(world, "by-g-h", g, { Limit, ScanIndexForward, ExclusiveStartKey });
              seen.push(...column(page.Items, "sk"));
              ExclusiveStartKey = page.LastEvaluatedKey;
              if (ExclusiveStartKey === undefined) return seen.sort();
            }
            return "does not end";
          };
          await settles(world, walk, ["1", "2", "4"]);
        },
      }),
    ),
  ),
  {
    name: "A global index gives the keys of index and table as LastEvaluatedKey",
    source: api,
    async run(world) {
      const { g, items } = await rowsOf(world);
      const read = async () => (await query(world, "by-g-h", g, { Limit: 1 })).LastEvaluatedKey;
      await settles(world, read, only(items[1], "pk", "sk", "g", "h"));
    },
  },
  {
    name: "A global index follows puts, updates and deletes of its items",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { g, items } = await rowsOf(world);
      const elsewhere = s(unique());
      const key = (index: number) => only(items[index], "pk", "sk");
      const shows = (where: AttributeValue, expected: string[]) =>
        settles(
          world,
          async () => column((await query(world, "by-g-h", where)).Items, "sk").sort(),
          expected,
        );
      await port.updateItem({
        TableName: tables.indexed,
        Key: key(0),
        UpdateExpression: "SET g = :x",
        ExpressionAttributeValues: { ":x": elsewhere },
      });
      await shows(g, ["2", "4"]);
      await shows(elsewhere, ["1"]);
      await port.updateItem({ TableName: tables.indexed, Key: key(1), UpdateExpression: "REMOVE h" });
      await shows(g, ["4"]);
      await port.putItem({ TableName: tables.indexed, Item: { ...items[2], h: n("1") } });
      await shows(g, ["3", "4"]);
      await port.deleteItem({ TableName: tables.indexed, Key: key(3) });
      await shows(g, ["3"]);
    },
  },
  {
    name: "A global index shows the changed attributes that it projects",
    source: api,
    async run(world) {
      const { g, items } = await rowsOf(world);
      await world.port.updateItem({
        TableName: world.tables.indexed,
        Key: only(items[1], "pk", "sk"),
        UpdateExpression: "SET a = :x, b = :x",
        ExpressionAttributeValues: { ":x": s("new") },
      });
      const read = async () => (await query(world, "by-g-h", g, { Limit: 1 })).Items;
      await settles(world, read, [{ ...only(items[1], "pk", "sk", "g", "h"), a: s("new") }]);
    },
  },
  {
    name: "A global index follows batch writes and transactions",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const { g, items } = await rowsOf(world);
      const keys = items.map((item) => only(item, "pk", "sk"));
      await port.batchWriteItem({
        RequestItems: { [tables.indexed]: [{ DeleteRequest: { Key: keys[0] } }] },
      });
      await port.transactWriteItems({
        TransactItems: [
          { Delete: { TableName: tables.indexed, Key: keys[1] } },
          { Put: { TableName: tables.indexed, Item: { ...items[2], h: n("7") } } },
        ],
      });
      await settles(world, async () => column((await query(world, "by-g-h", g)).Items, "sk"), ["3", "4"]);
    },
  },
  {
    name: "Scan of a global index gives its items only, projected",
    source: "AWS: API_Scan",
    async run(world) {
      const { g } = await rowsOf(world);
      const read = async () => {
        const all: Item[] = [];
        let ExclusiveStartKey: Item | undefined;
        do {
          const page = await world.port.scan({
            TableName: world.tables.indexed,
            IndexName: "by-g-keys",
            FilterExpression: "g = :g",
            ExpressionAttributeValues: { ":g": g },
            ExclusiveStartKey,
          });
          all.push(...(page.Items ?? []));
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey !== undefined);
        return byKey(all).map((item) => [item["sk"]?.S, Object.keys(item).sort().join()]);
      };
      await settles(world, read, [
        ["1", "g,h,pk,sk"],
        ["2", "g,h,pk,sk"],
        ["4", "g,h,pk,sk"],
      ]);
    },
  },
  {
    name: "Scan of a global index refuses ConsistentRead",
    source: "AWS: API_Scan",
    async run({ port, tables }) {
      const scan = port.scan({ TableName: tables.indexed, IndexName: "by-g", ConsistentRead: true });
      await refuses(
        scan,
        "ValidationException",
        "Consistent reads are not supported on global secondary indexes",
      );
    },
  },
  {
    name: "PutItem refuses a global index key of the wrong type and stores nothing",
    source: "conformance suites run against AWS",
    async run({ port, tables, unique }) {
      const key = { pk: s(unique()), sk: s("1") };
      const put = port.putItem({ TableName: tables.indexed, Item: { ...key, g: s("g"), h: s("text") } });
      await refuses(put, "ValidationException", "Type mismatch for Index Key");
      same(await port.getItem({ TableName: tables.indexed, Key: key, ConsistentRead: true }), {});
    },
  },
];

import type { AttributeValue, DynamoPort } from "@tablekeep/core";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { column, seed, seedPartition } from "../sample-rows.ts";

const api = "AWS: API_Query, ScanIndexForward";

async function ordered(
  port: DynamoPort,
  TableName: string,
  pk: AttributeValue,
  ScanIndexForward?: boolean,
): Promise<Record<string, AttributeValue>[]> {
  const { Items } = await port.query({
    TableName,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk },
    ScanIndexForward,
    ConsistentRead: true,
  });
  return Items ?? [];
}

/** The largest and the smallest magnitude of a number. */
const largest = "9".repeat(38) + "0".repeat(88);
const smallest = `0.${"0".repeat(129)}1`;

/** Sort keys of type N, ascending. */
const numbers: readonly { what: string; ascending: string[] }[] = [
  { what: "with different digits", ascending: ["2", "9", "10", "100", "1000"] },
  { what: "below zero", ascending: ["-100", "-20", "-3", "-0.5", "0", "0.25", "7"] },
  {
    what: "of extreme magnitude",
    ascending: [`-${largest}`, "-1", `-${smallest}`, "0", smallest, "1", largest],
  },
  {
    what: "that differ in the 38th digit only",
    ascending: [
      "12345678901234567890123456789012345677",
      "12345678901234567890123456789012345678",
      "12345678901234567890123456789012345679",
    ],
  },
  {
    what: "beyond the integers of a double",
    ascending: ["9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994"],
  },
];

const numeric: readonly PortCase[] = numbers.flatMap(({ what, ascending }) =>
  [true, false].map((forward) => ({
    name: `Query orders numbers ${what} by value, ${forward ? "ascending" : "descending"}`,
    source: api,
    async run({ port, tables, unique }: PortWorld) {
      const pk = { S: unique() };
      const shuffled = [...ascending].sort();
      await seed(
        port,
        tables.numeric,
        shuffled.map((n) => ({ pk, n: { N: n } })),
      );
      const items = await ordered(port, tables.numeric, pk, forward);
      same(column(items, "n"), forward ? ascending : [...ascending].reverse());
    },
  })),
);

export const queryOrderCases: readonly PortCase[] = [
  ...numeric,
  {
    name: "Query orders texts by their UTF-8 bytes",
    source: api,
    async run(world) {
      // U+FFFD sorts after U+1F600 by UTF-16 code units, before it by UTF-8 bytes.
      const ascending = ["A", "B", "Z", "a", "aa", "z", "é", "\u{4e2d}", "\u{fffd}", "\u{1f600}"];
      const pk = await seedPartition(world, [...ascending].reverse());
      same(column(await ordered(world.port, world.tables.composite, pk), "sk"), ascending);
    },
  },
  {
    name: "Query orders texts of digits as texts",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, ["10", "9", "1", "2"]);
      same(column(await ordered(world.port, world.tables.composite, pk), "sk"), ["1", "10", "2", "9"]);
    },
  },
  {
    name: "Query orders binary keys by unsigned bytes, a prefix first",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { B: Buffer.from(unique()) };
      const ascending = [[0], [0, 0], [1], [1, 0], [0x7f], [0x80], [0x80, 1], [0xff], [0xff, 0xff]];
      const rows = [...ascending].reverse().map((bytes) => ({ pk, b: { B: Uint8Array.from(bytes) } }));
      await seed(port, tables.binary, rows);
      const items = await ordered(port, tables.binary, pk);
      same(
        items.map((item) => [...(item["b"]?.B ?? [])]),
        ascending,
      );
    },
  },
  {
    name: "Query orders ascending unless told otherwise",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, ["c", "a", "b"]);
      const order = async (forward?: boolean) =>
        column(await ordered(world.port, world.tables.composite, pk, forward), "sk");
      same(await order(), ["a", "b", "c"]);
      same(await order(true), ["a", "b", "c"]);
      same(await order(false), ["c", "b", "a"]);
    },
  },
  {
    name: "Query with ScanIndexForward false and Limit 1 gives the last item",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      await seed(
        port,
        tables.numeric,
        ["9", "10", "11", "100"].map((n) => ({ pk, n: { N: n } })),
      );
      const { Items, LastEvaluatedKey } = await port.query({
        TableName: tables.numeric,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        ScanIndexForward: false,
        Limit: 1,
        ConsistentRead: true,
      });
      same(column(Items, "n"), ["100"]);
      same(LastEvaluatedKey, { pk, n: { N: "100" } });
    },
  },
  {
    name: "Query keeps partitions apart whose keys begin alike",
    source: "AWS: API_Query",
    async run({ port, tables, unique }) {
      const name = unique();
      const partitions = [name, `${name}a`, `${name}\u0000`, `${name}b`].map((text) => ({ S: text }));
      await seed(
        port,
        tables.composite,
        partitions.map((pk) => ({ pk, sk: { S: "x" } })),
      );
      for (const pk of partitions) {
        same(await ordered(port, tables.composite, pk), [{ pk, sk: { S: "x" } }]);
      }
    },
  },
];

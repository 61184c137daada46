import type { AttributeValue, ComparisonOperator, Condition, Item, ScanOutput } from "@tablekeep/core";
import { fill, n, s, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { column, ownTable, seed } from "../sample-rows.ts";
import { keySchema } from "../shared-tables.ts";

const legacy = "AWS docs: Legacy DynamoDB conditional parameters";

/** Items of keys 0 to count-1 and the number `n`; `odd` is on every other. */
const counted = (count: number) => ({
  table: upTo(count).map((each) => ({ pk: s(String(each)), n: n(each), ...(each % 2 === 1 && { odd: { BOOL: true } }) })),
});

const numbered = (count: number): string[] => upTo(count).map(String);

const when = (ComparisonOperator: ComparisonOperator, ...AttributeValueList: AttributeValue[]): Condition => ({
  ComparisonOperator,
  ...(AttributeValueList.length > 0 && { AttributeValueList }),
});

const consistent = { ConsistentRead: true };
const keys = "Items.*.pk.S";
const filter = { n: when("GT", n(6)), odd: when("NULL") };

export const scanCases: readonly PortCase[] = cases({ source: "AWS: API_Scan", own: {}, table: "table" }, [
  { name: "Scan of an empty table returns an empty page", scan: {}, returns: { Items: [], Count: 0, ScannedCount: 0 } },
  {
    name: "Scan returns every item once, whole",
    given: counted(30),
    scan: consistent,
    inAnyOrder: true,
    shows: { Items: counted(30).table, Count: 30, ScannedCount: 30, LastEvaluatedKey: undefined },
  },
  ...[1, 3, 10, 29, 30, 31].map(
    (Limit): Row => ({
      name: `Scan with Limit ${Limit} returns thirty items once each over its pages`,
      given: counted(30),
      steps: [
        {
          scan: { Limit, ...consistent },
          shows: { Count: Math.min(Limit, 30), ...(Limit > 30 && { LastEvaluatedKey: undefined }) },
        },
        {
          scan: { Limit, ...consistent },
          allPages: true,
          inAnyOrder: true,
          shows: { [keys]: numbered(30), "Pages.length": Math.floor(30 / Limit) + 1 },
        },
      ],
    }),
  ),
  {
    name: "Scan returns the same order every time, and goes on after its last key",
    async run(world) {
      const TableName = await ownTable(world);
      await seed(world.port, TableName, counted(12).table);
      const whole = column((await world.port.scan({ TableName, ...consistent })).Items, "pk");
      const first = await world.port.scan({ TableName, Limit: 5, ...consistent });
      same(column(first.Items, "pk"), whole.slice(0, 5));
      same(first.LastEvaluatedKey, { pk: { S: whole[4] } });
      const over = { ...consistent, ExclusiveStartKey: first.LastEvaluatedKey };
      same(column((await world.port.scan({ TableName, ...over })).Items, "pk"), whole.slice(5));
    },
  },
  {
    name: "Scan keeps the items of one partition together and in order",
    async run(world) {
      const TableName = await ownTable(world, {
        AttributeDefinitions: [
          { AttributeName: "pk", AttributeType: "S" },
          { AttributeName: "n", AttributeType: "N" },
        ],
        KeySchema: keySchema("pk", "n"),
      });
      const rows = ["a", "b", "c"].flatMap((pk) => [10, 9, 1].map((each) => ({ pk: s(pk), n: n(each) })));
      await seed(world.port, TableName, rows);
      const { Items } = await world.port.scan({ TableName, ...consistent });
      const runs = column(Items, "pk").filter((pk, index, all) => pk !== all[index - 1]);
      same(runs.sort(), ["a", "b", "c"]);
      same(column(Items, "n"), ["1", "9", "10", "1", "9", "10", "1", "9", "10"]);
    },
  },
  {
    name: "Scan filters, and counts what it read",
    given: counted(10),
    scan: { FilterExpression: "n >= :x AND attribute_exists(odd)", ExpressionAttributeValues: { ":x": n(4) }, ...consistent },
    inAnyOrder: true,
    shows: { [keys]: ["5", "7", "9"], Count: 3, ScannedCount: 10 },
  },
  {
    name: "Scan may filter on the key, unlike Query",
    source: "AWS docs: Filter expressions for scan",
    given: counted(5),
    scan: { FilterExpression: "pk IN (:x, :y)", ExpressionAttributeValues: { ":x": s("1"), ":y": s("3") }, ...consistent },
    inAnyOrder: true,
    shows: { [keys]: ["1", "3"] },
  },
  {
    name: "Scan counts Limit before the filter",
    given: counted(10),
    scan: { Limit: 4, FilterExpression: "attribute_exists(absent)" },
    shows: { Count: 0, ScannedCount: 4, Items: [], "LastEvaluatedKey.pk.S": /^\d$/ },
  },
  {
    name: "Scan with Select COUNT returns counts and no items",
    given: counted(7),
    scan: { Select: "COUNT", ...consistent },
    returns: { Count: 7, ScannedCount: 7 },
  },
  {
    name: "Scan projects",
    given: counted(3),
    scan: { ProjectionExpression: "n", ...consistent },
    inAnyOrder: true,
    shows: { Items: [{ n: n(0) }, { n: n(1) }, { n: n(2) }] },
  },
  {
    name: "Scan ends a page at 1 MB and goes on from there",
    source: "AWS docs: Scanning tables, Paginating the results",
    given: { table: numbered(5).map((pk) => ({ pk: s(pk), fill: fill(300_000) })) },
    steps: [
      { scan: consistent, shows: { Count: /^[1-4]$/, "LastEvaluatedKey.pk.S": /^\d$/ } },
      { scan: consistent, allPages: true, inAnyOrder: true, shows: { [keys]: numbered(5) } },
    ],
  },
  ...[1, 2, 4, 7].map((TotalSegments) => ({
    name: `Scan in ${TotalSegments} segments returns every item in exactly one of them`,
    source: "AWS docs: Scanning tables, Parallel scan",
    run: scansInSegments(TotalSegments),
  })),
  {
    name: "Scan accepts 1,000,000 segments",
    own: undefined,
    scan: { TableName: "$simple", Segment: 999_999, TotalSegments: 1_000_000, Limit: 1 },
  },
  {
    name: "Scan by ScanFilter keeps what all conditions allow, or any with OR",
    source: legacy,
    given: counted(10),
    steps: [
      { scan: { ScanFilter: filter, ...consistent }, shows: { [keys]: ["8"] } },
      {
        scan: { ScanFilter: filter, ConditionalOperator: "OR", ...consistent },
        inAnyOrder: true,
        shows: { [keys]: ["0", "2", "4", "6", "7", "8", "9"] },
      },
    ],
  },
  {
    name: "Scan by ScanFilter compares keys too, and returns AttributesToGet",
    source: legacy,
    given: counted(4),
    scan: { ScanFilter: { pk: when("IN", s("1"), s("9")) }, AttributesToGet: ["n"], ...consistent },
    shows: { Items: [{ n: n(1) }] },
  },
]);

function scansInSegments(TotalSegments: number): PortCase["run"] {
  return async (world) => {
    const TableName = await ownTable(world);
    await seed(world.port, TableName, counted(40).table);
    const seen: (string | undefined)[] = [];
    for (let Segment = 0; Segment < TotalSegments; Segment++) {
      let ExclusiveStartKey: Item | undefined;
      do {
        const input = { TableName, Segment, TotalSegments, Limit: 6, ...consistent, ExclusiveStartKey };
        const page: ScanOutput = await world.port.scan(input);
        seen.push(...column(page.Items, "pk"));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined && seen.length < 1_000);
    }
    same(seen.sort(), numbered(40).sort());
  };
}

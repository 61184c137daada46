import type { AttributeValue, Item, UpdateTableInput } from "@tablekeep/core";
import { n, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { keySchema } from "../shared-tables.ts";

const strings = (...names: string[]) => names.map((AttributeName) => ({ AttributeName, AttributeType: "S" }) as const);

/** A request that adds the index `by-g` (`g` of type S). */
const addIndex = (ProjectionType: "ALL" | "KEYS_ONLY" = "ALL"): UpdateTableInput => ({
  TableName: "$table",
  AttributeDefinitions: strings("g"),
  GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "by-g", KeySchema: keySchema("g"), Projection: { ProjectionType } } }],
});
const dropIndex = (IndexName: string): UpdateTableInput => ({
  TableName: "$table",
  GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }],
});

/** Waits until the table is as described. */
const described = (shows: Record<string, unknown>): Step => ({
  describeTable: { TableName: "$table" },
  eventually: true,
  shows: { "Table.TableStatus": "ACTIVE", ...shows },
});

/** Changes the table, and waits until it is as described. */
const change = (over: Partial<UpdateTableInput>, shows: Record<string, unknown> = {}): Step[] => [
  { updateTable: { TableName: "$table", ...over } },
  described(shows),
];
const addedIndex = (projection?: "KEYS_ONLY") =>
  change(addIndex(projection), { "Table.GlobalSecondaryIndexes.*.IndexStatus": ["ACTIVE"] });

const byG = (g: string) => ({
  TableName: "$table",
  IndexName: "by-g",
  KeyConditionExpression: "g = :g",
  ExpressionAttributeValues: { ":g": s(g) },
});
const set = (name: string) => ({
  Key: { pk: s("1") },
  UpdateExpression: `SET ${name} = :v`,
  ExpressionAttributeValues: { ":v": n(2) },
});
const units = (ReadCapacityUnits: number, WriteCapacityUnits: number) => ({
  ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits },
});
const throughput = "Table.ProvisionedThroughput";
const mode = "Table.BillingModeSummary.BillingMode";

const items: readonly Item[] = [
  { pk: s("1"), g: s("x"), a: s("a") },
  { pk: s("2"), g: s("x") },
  { pk: s("3"), g: s("y") },
  { pk: s("4") },
];
const otherType: Item = { pk: s("1"), g: n(1) };

const indexes: readonly Row[] = [
  {
    name: "UpdateTable adds a global index and fills it with the items that are there",
    given: { table: items },
    steps: [
      ...addedIndex(),
      { query: byG("x"), inAnyOrder: true, shows: { Items: items.slice(0, 2) } },
      { query: byG("y"), shows: { Items: items.slice(2, 3) } },
    ],
  },
  {
    name: "UpdateTable leaves items out of a new index whose key has another type",
    source: "AWS docs: Detecting and correcting index key violations",
    gap: "puts them into the index",
    given: { table: [otherType, { pk: s("2"), g: s("x") }] },
    steps: [...addedIndex("KEYS_ONLY"), { scan: { IndexName: "by-g" }, shows: { Items: [{ pk: s("2"), g: s("x") }] } }],
    after: { table: [otherType, { pk: s("2"), g: s("x") }] },
  },
  {
    name: "An item that a new index leaves out is updated as long as its key in the index stays",
    source: "dynoxide's tests after measurements on AWS: an update checks the index keys that it changes",
    gap: "checks an index key that stays as it is",
    given: { table: [otherType] },
    steps: [...addedIndex("KEYS_ONLY"), { updateItem: set("a") }, { updateItem: set("g"), rejected: "" }],
  },
  {
    name: "A new index follows later writes, and rejects its key in another type",
    steps: [
      ...addedIndex(),
      { putItem: { Item: { pk: s("1"), g: s("x") } } },
      { query: byG("x"), eventually: true, shows: { "Items.*.pk.S": ["1"] } },
      { putItem: { Item: { pk: s("2"), g: n(1) } }, rejected: "Type mismatch for Index Key" },
    ],
  },
  {
    name: "UpdateTable removes a global index",
    steps: [
      ...addedIndex(),
      ...change(dropIndex("by-g"), { "Table.GlobalSecondaryIndexes": undefined }),
      { query: byG("x"), rejected: "The table does not have the specified index" },
      { putItem: { Item: otherType } },
    ],
  },
  {
    name: "UpdateTable rejects a second index of the same name",
    steps: [...addedIndex(), { updateTable: addIndex(), rejected: "" }],
  },
  {
    name: "UpdateTable rejects removing an index that does not exist",
    updateTable: dropIndex("absent"),
    rejected: "ResourceNotFoundException",
  },
  {
    name: "UpdateTable rejects an index on an attribute without definition",
    updateTable: { ...addIndex(), AttributeDefinitions: undefined },
    rejected: "",
  },
  {
    name: "UpdateTable rejects a new index that defines a known attribute with another type",
    source: "DynamoDB Local; sources on AWS disagree",
    updateTable: { ...addIndex(), AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "N" }, ...strings("g")] },
    rejected: "SchemaElement redefined should be of same type as previously defined",
  },
];

const settings: readonly Row[] = [
  { name: "UpdateTable rejects a request that changes nothing", updateTable: { TableName: "$table" }, rejected: "" },
  {
    name: "UpdateTable changes the throughput of a provisioned table",
    own: { BillingMode: "PROVISIONED", ...units(1, 1) },
    steps: change(units(4, 2), { [`${throughput}.ReadCapacityUnits`]: 4, [`${throughput}.WriteCapacityUnits`]: 2 }),
  },
  {
    name: "UpdateTable changes the billing mode both ways",
    steps: [
      ...change(
        { BillingMode: "PROVISIONED", ...units(5, 5) },
        { [mode]: "PROVISIONED", [`${throughput}.ReadCapacityUnits`]: 5 },
      ),
      ...change({ BillingMode: "PAY_PER_REQUEST" }, { [mode]: "PAY_PER_REQUEST", [`${throughput}.ReadCapacityUnits`]: 0 }),
    ],
  },
  {
    name: "UpdateTable switches a stream on and off",
    steps: [
      ...change(
        { StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } },
        {
          "Table.StreamSpecification": { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
          "Table.LatestStreamArn": /\/stream\//,
        },
      ),
      ...change({ StreamSpecification: { StreamEnabled: false } }, { "Table.StreamSpecification.StreamEnabled": /^(false|)$/ }),
    ],
  },
];

const multi = (pk: string, g2: string, h1: string, h2?: string): Item => ({
  pk: s(pk),
  g1: s("g"),
  g2: s(g2),
  h1: s(h1),
  ...(h2 !== undefined && { h2: s(h2) }),
});

/** A query of the index `multi` by these values of placeholders. */
const byMulti = (KeyConditionExpression: string, values: Record<string, string>) => ({
  TableName: "$table",
  IndexName: "multi",
  KeyConditionExpression,
  ExpressionAttributeValues: Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, AttributeValue] => [`:${name}`, s(value)]),
  ),
});
const ofX = (sort: string, values: Record<string, string> = {}) =>
  byMulti(`g1 = :g AND g2 = :x${sort}`, { g: "g", x: "x", ...values });
const found = (...keys: string[]) => ({ "Items.*.pk.S": keys });
const rangeGap = (gaps: string, named: string) =>
  `RANGE key attributes ${gaps} must have equality conditions specified in the query because a condition is present on key attribute ${named}`;
const skipped = rangeGap("h1", "h2");
const whole = (names: string) => `HASH key attributes ${names} must have equality conditions specified in the query`;

const multiAttributeKeys: Row = {
  name: "A global index may have two partition and two sort attributes, read by equality and prefix",
  source: "AWS docs: Multi-attribute keys pattern",
  own: {
    AttributeDefinitions: strings("pk", "g1", "g2", "h1", "h2"),
    GlobalSecondaryIndexes: [
      {
        IndexName: "multi",
        KeySchema: [...keySchema("g1"), ...keySchema("g2", "h1"), { AttributeName: "h2", KeyType: "RANGE" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  },
  given: {
    table: [
      multi("1", "x", "b", "1"),
      multi("2", "x", "a", "2"),
      multi("3", "x", "a", "1"),
      multi("4", "y", "a", "1"),
      multi("5", "x", "a"),
    ],
  },
  steps: [
    { query: ofX(""), eventually: true, shows: found("3", "2", "1") },
    { query: ofX(" AND h1 = :h", { h: "a" }), shows: found("3", "2") },
    { query: ofX(" AND h1 = :h AND h2 > :i", { h: "a", i: "1" }), shows: found("2") },
    { query: ofX(" AND h2 = :i", { i: "1" }), rejected: skipped },
    { query: ofX(" AND h1 > :h AND h2 = :i", { h: "a", i: "1" }), rejected: skipped },
    { query: byMulti("g1 = :g", { g: "g" }), rejected: whole("g2") },
    { query: byMulti("g1 = :g AND g2 > :g", { g: "g" }), rejected: whole("g2") },
    { query: byMulti("h1 = :g", { g: "g" }), rejected: whole("g1, g2") },
  ],
};

const rangeKey = (AttributeName: string) => ({ AttributeName, KeyType: "RANGE" as const });

const manyKeyConditions: Row = {
  name: "A query of an index with several partition or sort attributes names those that need an equality",
  source: "DynamoDB Local",
  own: {
    AttributeDefinitions: strings("pk", "g1", "g2", "h1", "h2", "h3", "h4"),
    GlobalSecondaryIndexes: [
      {
        IndexName: "multi",
        KeySchema: [...keySchema("g1"), ...keySchema("g2", "h1"), ...["h2", "h3", "h4"].map(rangeKey)],
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: "pairs",
        KeySchema: [...keySchema("g1"), ...keySchema("g2")],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  },
  steps: [
    ...(
      [
        ["h2 = :g AND h3 = :g", "h1", "h2"],
        ["h3 = :g AND h2 = :g", "h1", "h2"],
        ["h2 = :g AND h4 = :g", "h1", "h2"],
        ["h4 = :g AND h3 = :g", "h1, h2", "h3"],
        ["h1 > :g AND h3 = :g AND h4 = :g", "h2", "h3"],
        ["h1 = :g AND h2 > :g AND h4 = :g", "h3", "h4"],
        ["h1 > :g AND h2 > :g AND h3 = :g", "h1, h2", "h3"],
        ["h4 < :g", "h1, h2, h3", "h4"],
      ] as const
    ).map(([conditions, gaps, named]) => ({
      query: byMulti(`g1 = :g AND g2 = :g AND ${conditions}`, { g: "g" }),
      rejected: rangeGap(gaps, named),
    })),
    ...(
      [
        ["g1 = :g", "g2"],
        ["g2 = :g", "g1"],
        ["g1 = :g AND g2 < :g", "g2"],
        ["h1 = :g", "g1, g2"],
      ] as const
    ).map(([conditions, names]) => ({
      query: { ...byMulti(conditions, { g: "g" }), IndexName: "pairs" },
      rejected: whole(names),
    })),
  ],
};

export const updateTableCases: readonly PortCase[] = cases({ source: "AWS: API_UpdateTable", own: {}, table: "table" }, [
  ...indexes,
  ...settings,
  multiAttributeKeys,
  manyKeyConditions,
]);

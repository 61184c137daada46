import type { AttributeValue, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seedPartition } from "../sample-rows.ts";

const api = "AWS docs: Filter expressions for the Query operation";

/** Five items a to e; `n` counts from 1, `odd` is on every other, `m` is a map, `t` a set. */
async function fiveItems(world: PortWorld): Promise<{ S: string }> {
  return seedPartition(world, ["a", "b", "c", "d", "e"], (sk, index) => ({
    n: { N: String(index + 1) },
    m: { M: { name: { S: `name-${sk}` }, list: { L: [{ N: "0" }, { N: String(index) }] } } },
    t: { SS: ["all", sk] },
    ...(index % 2 === 0 ? { odd: { BOOL: true } } : {}),
  }));
}

async function query(world: PortWorld, pk: AttributeValue, over: Partial<QueryInput>): Promise<QueryOutput> {
  const { ExpressionAttributeValues, ...rest } = over;
  return world.port.query({
    TableName: world.tables.composite,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk, ...ExpressionAttributeValues },
    ConsistentRead: true,
    ...rest,
  });
}

const filters: readonly { filter: string; x?: AttributeValue; y?: AttributeValue; keeps: string }[] = [
  { filter: "n = :x", x: { N: "3.0" }, keeps: "c" },
  { filter: "n <> :x", x: { N: "3" }, keeps: "abde" },
  { filter: "n < :x", x: { N: "3" }, keeps: "ab" },
  { filter: "n >= :x", x: { N: "4" }, keeps: "de" },
  { filter: "n BETWEEN :x AND :y", x: { N: "2" }, y: { N: "3" }, keeps: "bc" },
  { filter: "n IN (:x, :y)", x: { N: "1" }, y: { N: "5" }, keeps: "ae" },
  { filter: "n = :x OR n = :y", x: { N: "1" }, y: { N: "2" }, keeps: "ab" },
  { filter: "NOT n = :x", x: { N: "1" }, keeps: "bcde" },
  { filter: "n = :x", x: { S: "3" }, keeps: "" },
  { filter: "attribute_exists(odd)", keeps: "ace" },
  { filter: "attribute_not_exists(odd)", keeps: "bd" },
  { filter: "attribute_type(m, :x)", x: { S: "M" }, keeps: "abcde" },
  { filter: "begins_with(m.#name, :x)", x: { S: "name-d" }, keeps: "d" },
  { filter: "contains(t, :x)", x: { S: "e" }, keeps: "e" },
  { filter: "m.#list[1] > :x", x: { N: "2" }, keeps: "de" },
  { filter: "size(m.#name) = :x AND odd = :y", x: { N: "6" }, y: { BOOL: true }, keeps: "ace" },
];

const kept: readonly PortCase[] = filters.map(({ filter, x, y, keeps }) => ({
  name: `Query keeps ${keeps || "nothing"} by the filter ${filter}${x?.S === "3" ? " of another type" : ""}`,
  source: api,
  async run(world) {
    const pk = await fiveItems(world);
    const names = {
      ...(filter.includes("#name") && { "#name": "name" }),
      ...(filter.includes("#list") && { "#list": "list" }),
    };
    const page = await query(world, pk, {
      FilterExpression: filter,
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ...(x && { ":x": x }), ...(y && { ":y": y }) },
    });
    same(column(page.Items, "sk").join(""), keeps);
    same([page.Count, page.ScannedCount], [keeps.length, 5]);
  },
}));

export const queryFilterCases: readonly PortCase[] = [
  ...kept,
  {
    name: "Query counts Limit before the filter",
    source: api,
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, { FilterExpression: "attribute_not_exists(odd)", Limit: 3 });
      same(column(page.Items, "sk"), ["b"]);
      same([page.Count, page.ScannedCount], [1, 3]);
      same(page.LastEvaluatedKey, { pk, sk: { S: "c" } });
    },
  },
  {
    name: "Query gives an empty page with a LastEvaluatedKey when the filter keeps none of Limit items",
    source: api,
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, { FilterExpression: "attribute_not_exists(odd)", Limit: 1 });
      same(page, { Items: [], Count: 0, ScannedCount: 1, LastEvaluatedKey: { pk, sk: { S: "a" } } });
    },
  },
  {
    name: "Query refuses a filter on the sort key",
    source: "AWS docs: Filter expressions for the Query operation",
    async run(world) {
      const refused = query(world, { S: "p" }, { FilterExpression: "sk = :p" });
      const text = "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk";
      await refuses(refused, "ValidationException", text);
    },
  },
  {
    name: "Query refuses a filter on the partition key",
    source: "AWS docs: Filter expressions for the Query operation",
    async run(world) {
      const refused = query(world, { S: "p" }, { FilterExpression: "n > :p AND pk = :p" });
      const text = "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk";
      await refuses(refused, "ValidationException", text);
    },
  },
  {
    name: "Query refuses a filter that names a reserved word bare",
    source: "AWS docs: Reserved words in DynamoDB",
    async run(world) {
      const refused = query(world, { S: "p" }, { FilterExpression: "name = :p" });
      const text = "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: name";
      await refuses(refused, "ValidationException", text);
    },
  },
  {
    name: "Query refuses an empty filter",
    source: "public conformance suites",
    async run(world) {
      const refused = query(world, { S: "p" }, { FilterExpression: "" });
      await refuses(refused, "ValidationException", "The expression can not be empty;");
    },
  },
  {
    name: "Query with Select COUNT gives counts and no items, filter included",
    source: "AWS: API_Query, Select",
    async run(world) {
      const pk = await fiveItems(world);
      same(await query(world, pk, { Select: "COUNT" }), { Count: 5, ScannedCount: 5 });
      const counted = await query(world, pk, { Select: "COUNT", FilterExpression: "attribute_exists(odd)" });
      same(counted, { Count: 3, ScannedCount: 5 });
    },
  },
  {
    name: "Query with Select COUNT pages by Limit",
    source: "AWS: API_Query, Select",
    async run(world) {
      const pk = await fiveItems(world);
      const counted = await query(world, pk, { Select: "COUNT", Limit: 2 });
      same(counted, { Count: 2, ScannedCount: 2, LastEvaluatedKey: { pk, sk: { S: "b" } } });
    },
  },
  {
    name: "Query with Select ALL_ATTRIBUTES gives whole items",
    source: "AWS: API_Query, Select",
    async run(world) {
      const pk = await fiveItems(world);
      same(await query(world, pk, { Select: "ALL_ATTRIBUTES" }), await query(world, pk, {}));
    },
  },
  {
    name: "Query with Select SPECIFIC_ATTRIBUTES gives the projection",
    source: "AWS: API_Query, Select",
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, {
        Select: "SPECIFIC_ATTRIBUTES",
        ProjectionExpression: "n",
        Limit: 2,
      });
      same(page.Items, [{ n: { N: "1" } }, { n: { N: "2" } }]);
    },
  },
  {
    name: "Query projects nested paths, rebuilds their parents and leaves out what is absent",
    source: "AWS docs: Using projection expressions in DynamoDB",
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, {
        ProjectionExpression: "m.#name, m.#list[1], odd, absent.deep",
        ExpressionAttributeNames: { "#name": "name", "#list": "list" },
        Limit: 2,
      });
      same(page.Items, [
        { m: { M: { name: { S: "name-a" }, list: { L: [{ N: "0" }] } } }, odd: { BOOL: true } },
        { m: { M: { name: { S: "name-b" }, list: { L: [{ N: "1" }] } } } },
      ]);
    },
  },
  {
    name: "Query gives an empty item where the projection finds nothing",
    source: "public conformance suites",
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, { ProjectionExpression: "odd", Limit: 2 });
      same(page.Items, [{ odd: { BOOL: true } }, {}]);
      same([page.Count, page.ScannedCount], [2, 2]);
    },
  },
  {
    name: "Query filters on attributes that it does not project",
    source: api,
    async run(world) {
      const pk = await fiveItems(world);
      const page = await query(world, pk, {
        ProjectionExpression: "sk",
        FilterExpression: "n > :x",
        ExpressionAttributeValues: { ":x": { N: "4" } },
      });
      same(page.Items, [{ sk: { S: "e" } }]);
    },
  },
  ...selectRefusals(),
];

function selectRefusals(): PortCase[] {
  const refusals: { what: string; input: Partial<QueryInput>; text?: string; gap?: string }[] = [
    {
      what: "Select SPECIFIC_ATTRIBUTES without a projection",
      input: { Select: "SPECIFIC_ATTRIBUTES" },
      text: "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    },
    {
      what: "Select COUNT with a projection",
      input: { Select: "COUNT", ProjectionExpression: "n" },
      text: "Cannot specify the ProjectionExpression when choosing to get only the Count",
    },
    {
      what: "Select ALL_ATTRIBUTES with a projection",
      input: { Select: "ALL_ATTRIBUTES", ProjectionExpression: "n" },
      text: "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
    },
    {
      what: "Select ALL_PROJECTED_ATTRIBUTES without an index",
      input: { Select: "ALL_PROJECTED_ATTRIBUTES" },
      text: "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
    },
    {
      what: "an unknown Select",
      input: { Select: "NOTHING" as "COUNT" },
      text: "enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
      gap: "refuses with other words",
    },
    {
      what: "overlapping projection paths",
      input: { ProjectionExpression: "m, m.a" },
      text: "Invalid ProjectionExpression: Two document paths overlap with each other",
    },
    {
      what: "an empty projection",
      input: { ProjectionExpression: "" },
      text: "The expression can not be empty;",
    },
    {
      what: "a projection that names a reserved word bare",
      input: { ProjectionExpression: "name" },
      text: "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name",
    },
    {
      what: "an index that does not exist",
      input: { IndexName: "no-such-index" },
      text: "The table does not have the specified index",
    },
  ];
  return refusals.map(({ what, input, text, gap }) => ({
    name: `Query refuses ${what}`,
    source: "AWS: API_Query; public conformance suites",
    async run(world) {
      await refuses(query(world, { S: "p" }, input), "ValidationException", text);
    },
    ...localGap(gap),
  }));
}

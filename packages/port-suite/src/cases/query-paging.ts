import type { QueryInput } from "@tablekeep/core";
import { fill, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const letters = ["a", "b", "c", "d", "e"];
const key = (sk: string) => ({ pk, sk: s(sk) });
const sortKeys = "Items.*.sk.S";

/** A query of the partition. */
const of = (over: Partial<QueryInput> = {}) => ({
  KeyConditionExpression: "pk = :p",
  ExpressionAttributeValues: { ":p": pk },
  ConsistentRead: true,
  ...over,
});

const within = {
  KeyConditionExpression: "pk = :p AND sk BETWEEN :x AND :y",
  ExpressionAttributeValues: { ":p": pk, ":x": s("b"), ":y": s("d") },
  Limit: 2,
};
const ascending = ["-5", "1", "3", "20", "100"];

/** Items of about 300 KB: four of them pass 1 MB. */
const large = { composite: letters.map((sk) => ({ ...key(sk), fill: fill(300_000), even: { BOOL: true } })) };

export const queryPagingCases: readonly PortCase[] = cases(
  {
    source: "AWS docs: Paginating table query results",
    table: "composite",
    given: { composite: letters.map((sk) => ({ ...key(sk), a: s(sk) })) },
  },
  [
    ...[true, false].flatMap((ScanIndexForward) =>
      [1, 2, 4, 5, 6].map(
        (Limit): Row => ({
          name: `Query with Limit ${Limit} walks five items ${ScanIndexForward ? "forwards" : "backwards"}`,
          query: of({ Limit, ScanIndexForward }),
          allPages: true,
          shows: {
            [sortKeys]: ScanIndexForward ? letters : [...letters].reverse(),
            // The limit stops the query on the last item too, so an empty page follows where it divides the count.
            "Pages.length": Math.floor(letters.length / Limit) + 1,
          },
        }),
      ),
    ),
    {
      name: "Query returns the key of the last item as LastEvaluatedKey when Limit ends the page",
      query: of({ Limit: 2 }),
      shows: { LastEvaluatedKey: key("b"), Count: 2 },
    },
    {
      name: "Query leaves the fraction of a Limit out",
      source: "dynalite's suite, run against AWS: whole numbers are rounded down",
      query: of({ Limit: 1.9 }),
      shows: { Count: 1 },
    },
    {
      name: "Query returns a LastEvaluatedKey even when Limit ends on the last item",
      source: "public conformance suites",
      steps: [
        { query: of({ Limit: 5 }), shows: { LastEvaluatedKey: key("e") } },
        { query: of({ ExclusiveStartKey: key("e") }), returns: { Items: [], Count: 0, ScannedCount: 0 } },
      ],
    },
    {
      name: "Query returns no LastEvaluatedKey when the items end before Limit",
      query: of({ Limit: 6 }),
      shows: { LastEvaluatedKey: undefined },
    },
    {
      name: "Query pages with a LastEvaluatedKey of the keys only, whatever is projected",
      query: of({ Limit: 1, ProjectionExpression: "a" }),
      shows: { LastEvaluatedKey: key("a"), Items: [{ a: s("a") }] },
    },
    {
      name: "Query of a table without a sort key has no second page",
      source: "Amazon's list of errors for a starting key; DynamoDB Local returns no LastEvaluatedKey either",
      gap: "accepts a starting key",
      table: "simple",
      given: { simple: [{ pk }] },
      steps: [
        { query: of({ Limit: 1 }), returns: { Items: [{ pk }], Count: 1, ScannedCount: 1 } },
        { query: of({ Limit: 1, ExclusiveStartKey: { pk: s("$other") } }), rejected: "" },
        {
          query: of({ Limit: 1, ExclusiveStartKey: { pk } }),
          rejected: "The query can return at most one row and cannot be restarted",
        },
      ],
    },
    {
      name: "Query starts after a key that no item has",
      steps: [
        { query: of({ ExclusiveStartKey: key("bb") }), shows: { [sortKeys]: ["c", "d", "e"] } },
        { query: of({ ExclusiveStartKey: key("bb"), ScanIndexForward: false }), shows: { [sortKeys]: ["b", "a"] } },
      ],
    },
    {
      name: "Query goes on where it stopped after the last item read was deleted",
      steps: [
        { query: of({ Limit: 3 }), shows: { LastEvaluatedKey: key("c") } },
        { deleteItem: { Key: key("c") } },
        { query: of({ ExclusiveStartKey: key("c") }), shows: { [sortKeys]: ["d", "e"] } },
      ],
    },
    {
      name: "Query sees items written behind the start key of its next page",
      steps: [
        { query: of({ Limit: 3 }), shows: { LastEvaluatedKey: key("c") } },
        { putItem: { Item: key("aa") } },
        { putItem: { Item: key("cc") } },
        { query: of({ ExclusiveStartKey: key("c") }), shows: { [sortKeys]: ["cc", "d", "e"] } },
      ],
    },
    {
      name: "Query pages inside a sort key condition",
      steps: [
        { query: of(within), allPages: true, shows: { "Pages.*.*.sk.S": [["b", "c"], ["d"]] } },
        { query: of({ ...within, ScanIndexForward: false }), allPages: true, shows: { "Pages.*.*.sk.S": [["d", "c"], ["b"]] } },
      ],
    },
    {
      name: "Query pages numbers by value in both directions",
      table: "numeric",
      given: { numeric: ascending.map((each) => ({ pk, n: n(each) })) },
      steps: [true, false].map((ScanIndexForward) => ({
        query: of({ Limit: 1, ScanIndexForward }),
        allPages: true,
        shows: { "Items.*.n.N": ScanIndexForward ? ascending : [...ascending].reverse() },
      })),
    },
    {
      name: "Query ends a page at 1 MB, with a LastEvaluatedKey, and goes on from there",
      given: large,
      query: of(),
      allPages: true,
      shows: { [sortKeys]: letters, "Pages.0.length": /^[1-4]$/, "Pages.length": /^[2-5]$/ },
    },
    {
      name: "Query counts 1 MB before the filter: a page may be empty and have a LastEvaluatedKey",
      source: "AWS docs: Filter expressions for the Query operation",
      gap: "counts the 1 MB after the filter",
      given: large,
      query: of({ FilterExpression: "attribute_not_exists(even)" }),
      shows: { Items: [], ScannedCount: /^[1-4]$/, "LastEvaluatedKey.pk": pk },
    },
    {
      name: "Query counts 1 MB before the projection",
      given: large,
      query: of({ ProjectionExpression: "sk" }),
      shows: { Count: /^[1-4]$/, "LastEvaluatedKey.pk": pk },
    },
  ],
);

import type { Item, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { seedPartition } from "../sample-rows.ts";

function page(
  { port, tables }: PortWorld,
  pk: { S: string },
  over: Partial<QueryInput>,
): Promise<QueryOutput> {
  return port.query({
    TableName: tables.composite,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk },
    ...over,
  });
}

const otherWords = "refuses with other words";

/** Start keys that no query of the partition `p` of a table with keys pk and sk (S) may use. */
const badStarts: readonly { what: string; key: Item; text?: string; gap?: string }[] = [
  {
    what: "without the sort key",
    key: { pk: { S: "p" } },
    text: "The provided starting key is invalid",
    gap: otherWords,
  },
  {
    what: "without the partition key",
    key: { sk: { S: "s" } },
    text: "The provided starting key is invalid",
    gap: otherWords,
  },
  {
    what: "with a further attribute",
    key: { pk: { S: "p" }, sk: { S: "s" }, x: { S: "x" } },
    text: "The provided starting key is invalid",
    gap: otherWords,
  },
  {
    what: "with a key of the wrong type",
    key: { pk: { S: "p" }, sk: { N: "1" } },
    text: "The provided starting key is invalid",
    gap: otherWords,
  },
  {
    what: "of another partition",
    key: { pk: { S: "other" }, sk: { S: "s" } },
    text: "The provided starting key is outside query boundaries based on provided conditions",
    gap: otherWords,
  },
  { what: "with an empty key value", key: { pk: { S: "p" }, sk: { S: "" } } },
];

const refusedStarts: readonly PortCase[] = badStarts.map(({ what, key, text, gap }) => ({
  name: `Query refuses an ExclusiveStartKey ${what}`,
  source: "public conformance suites",
  async run(world) {
    await refuses(page(world, { S: "p" }, { ExclusiveStartKey: key }), "ValidationException", text);
  },
  ...localGap(gap),
}));

export const queryStartKeyCases: readonly PortCase[] = [
  ...refusedStarts,
  {
    name: "Query refuses an ExclusiveStartKey outside its sort key condition",
    source: "public conformance suites",
    async run(world) {
      const pk = await seedPartition(world, ["a", "b", "c", "d"]);
      const query = page(world, pk, {
        KeyConditionExpression: "pk = :p AND sk > :x",
        ExpressionAttributeValues: { ":p": pk, ":x": { S: "c" } },
        ExclusiveStartKey: { pk, sk: { S: "a" } },
      });
      await refuses(
        query,
        "ValidationException",
        "The provided starting key does not match the range key predicate",
      );
    },
  },
  {
    name: "Query refuses Limit 0",
    source: "AWS: API_Query",
    async run(world) {
      await refuses(page(world, { S: "p" }, { Limit: 0 }), "ValidationException");
    },
  },
  {
    name: "Query refuses a negative Limit",
    source: "AWS: API_Query",
    async run(world) {
      await refuses(page(world, { S: "p" }, { Limit: -1 }), "ValidationException");
    },
  },
];

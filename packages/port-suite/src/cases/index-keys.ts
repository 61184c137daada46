import type { AttributeValue } from "@tablekeep/core";
import { n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const unchecked = "does not check the keys of local indexes in updates";
const Key = { pk, sk: s("a") };

const rejected: readonly (readonly [what: string, attribute: string, value: AttributeValue, updateGap?: string])[] = [
  ["a global index key of another type", "g", n(1)],
  ["a global index sort key of another type", "h", s("1")],
  ["a local index key of another type", "l", n(1), unchecked],
  ["a global index key that is null", "g", { NULL: true }],
  ["a local index key that is a set", "l", ss("a")],
  ["an empty global index key", "g", s("")],
  ["an empty local index key", "l", s("")],
  ["a global index key of 2,049 bytes", "g", s("g".repeat(2049))],
  ["a local index key of 1,025 bytes", "l", s("l".repeat(1025)), unchecked],
];

const notValid = "One or more parameter values are not valid. ";
const emptyKey = "The AttributeValue for a key attribute cannot contain an empty string value.";
const put = { TableName: "$indexed", Item: { ...Key, g: s("") } };
const putSays = `${notValid}A value specified for a secondary index key is not supported. ${emptyKey} IndexName: by-g, IndexKey: g`;
const update = { TableName: "$indexed", Key, UpdateExpression: "SET g = :v", ExpressionAttributeValues: { ":v": s("") } };
const updateSays = `${notValid}The update expression attempted to update a secondary index key to a value that is not supported. ${emptyKey}`;

export const indexKeyCases: readonly PortCase[] = cases(
  { source: "AWS docs: GSI and LSI, item collections and keys; public conformance suites", table: "indexed" },
  [
    ...rejected.flatMap(([what, attribute, value, updateGap]): Row[] => [
      {
        name: `PutItem rejects ${what}`,
        putItem: { Item: { ...Key, [attribute]: value } },
        rejected: "",
        after: { indexed: [] },
      },
      {
        name: `UpdateItem rejects ${what}`,
        gap: updateGap,
        updateItem: {
          Key,
          UpdateExpression: "SET #i = :v",
          ExpressionAttributeNames: { "#i": attribute },
          ExpressionAttributeValues: { ":v": value },
        },
        rejected: "",
        after: { indexed: [] },
      },
    ]),
    {
      name: "An empty value for an index key is rejected in the words of each operation, also of a transaction",
      source: "public conformance suites; the first index by name, seen on AWS by the authors of ExtendDB",
      gap: "names another index",
      steps: [
        { updateItem: update, rejected: updateSays },
        { transactWriteItems: { TransactItems: [{ Update: update }] }, rejected: updateSays },
        { putItem: put, rejected: putSays },
        { transactWriteItems: { TransactItems: [{ Put: put }] }, rejected: putSays },
      ],
    },
    {
      name: "Query rejects an empty value for an index key: g = :v",
      source: "reported of AWS by users of Query",
      query: { IndexName: "by-g", KeyConditionExpression: "g = :v", ExpressionAttributeValues: { ":v": s("") } },
      rejected: "cannot contain an empty string value. IndexName: by-g, IndexKey: g",
    },
    {
      name: "Query rejects an empty value for an index key: begins_with(l, :v) AND pk = :p",
      source: "reported of AWS by users of Query",
      query: {
        IndexName: "by-l",
        KeyConditionExpression: "begins_with(l, :v) AND pk = :p",
        ExpressionAttributeValues: { ":v": s(""), ":p": s("p") },
      },
      rejected: "cannot contain an empty string value. IndexName: by-l, IndexKey: l",
    },
    {
      name: "index keys may have 2,048 and 1,024 bytes",
      putItem: { Item: { ...Key, g: s("g".repeat(2048)), l: s("l".repeat(1024)) } },
    },
    {
      name: "an item may lack the keys of every index",
      putItem: { Item: { ...Key, a: n(1) } },
      after: { indexed: [{ ...Key, a: n(1) }] },
    },
  ],
);

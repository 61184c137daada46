import type { AttributeDefinition, CreateTableInput } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { keySchema, tableInput } from "../tables.ts";

const define = (...names: string[]): AttributeDefinition[] =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: "S" }));

const composite = { AttributeDefinitions: define("pk", "sk", "x"), KeySchema: keySchema("pk", "sk") };
const all = { ProjectionType: "ALL" } as const;

/** Table requests that DynamoDB rejects. */
const refusals: readonly { what: string; over: Partial<CreateTableInput>; text?: string; gap?: string }[] = [
  {
    what: "a name of 2 characters",
    over: { TableName: "ab" },
    text: "length greater than or equal to 3",
    gap: "refuses with other words",
  },
  {
    what: "a name of 256 characters",
    over: { TableName: "a".repeat(256) },
    text: "length less than or equal to 255",
    gap: "refuses with other words",
  },
  {
    what: "a name with a blank",
    over: { TableName: "bad name" },
    text: "regular expression pattern: [a-zA-Z0-9_.-]+",
    gap: "refuses with other words",
  },
  { what: "no key schema", over: { KeySchema: [] } },
  { what: "a sort key alone", over: { KeySchema: [{ AttributeName: "pk", KeyType: "RANGE" }] } },
  {
    what: "two partition keys",
    over: {
      AttributeDefinitions: define("pk", "sk"),
      KeySchema: [...keySchema("pk"), ...keySchema("sk")],
    },
  },
  {
    what: "three key attributes",
    over: {
      AttributeDefinitions: define("pk", "sk", "x"),
      KeySchema: [...keySchema("pk", "sk"), { AttributeName: "x", KeyType: "RANGE" }],
    },
    text: "length less than or equal to 2",
    gap: "refuses with other words",
  },
  { what: "one attribute as both keys", over: { KeySchema: keySchema("pk", "pk") } },
  { what: "a key attribute without definition", over: { KeySchema: keySchema("pk", "sk") } },
  { what: "a definition that no key uses", over: { AttributeDefinitions: define("pk", "unused") } },
  { what: "no definitions", over: { AttributeDefinitions: [] } },
  {
    what: "a key of type BOOL",
    over: { AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "BOOL" as "S" }] },
    text: "Member must satisfy enum value set: [B, N, S]",
  },
  {
    what: "an unknown key type",
    over: { KeySchema: [{ AttributeName: "pk", KeyType: "SORT" as "RANGE" }] },
    text: "Member must satisfy enum value set: [HASH, RANGE]",
    gap: "refuses with other words",
  },
  {
    what: "PROVISIONED without throughput",
    over: { BillingMode: "PROVISIONED" },
    text: "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    gap: "refuses with other words",
  },
  {
    what: "PAY_PER_REQUEST with throughput",
    over: { ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
    text: "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    gap: "accepts it",
  },
  {
    what: "zero throughput",
    over: {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 1 },
    },
  },
  { what: "an unknown billing mode", over: { BillingMode: "FREE" as "PROVISIONED" }, gap: "answers 500" },
  {
    what: "a local index on a table without sort key",
    over: {
      AttributeDefinitions: define("pk", "x"),
      LocalSecondaryIndexes: [{ IndexName: "local", KeySchema: keySchema("pk", "x"), Projection: all }],
    },
    text: "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    gap: "refuses with other words",
  },
  {
    what: "a local index on another partition key",
    over: {
      ...composite,
      LocalSecondaryIndexes: [{ IndexName: "local", KeySchema: keySchema("x", "sk"), Projection: all }],
    },
  },
  {
    what: "a local index without sort key",
    over: {
      AttributeDefinitions: define("pk", "sk"),
      KeySchema: keySchema("pk", "sk"),
      LocalSecondaryIndexes: [{ IndexName: "local", KeySchema: keySchema("pk"), Projection: all }],
    },
  },
  {
    what: "two indexes of one name",
    over: {
      ...composite,
      LocalSecondaryIndexes: [{ IndexName: "same", KeySchema: keySchema("pk", "x"), Projection: all }],
      GlobalSecondaryIndexes: [{ IndexName: "same", KeySchema: keySchema("x"), Projection: all }],
    },
    text: "Duplicate index name: same",
    gap: "refuses with other words",
  },
  {
    what: "an index name of 2 characters",
    over: {
      ...composite,
      GlobalSecondaryIndexes: [{ IndexName: "ab", KeySchema: keySchema("x"), Projection: all }],
    },
  },
  {
    what: "an index key without definition",
    over: { GlobalSecondaryIndexes: [{ IndexName: "global", KeySchema: keySchema("x"), Projection: all }] },
  },
  {
    what: "an index without projection type",
    over: {
      ...composite,
      GlobalSecondaryIndexes: [{ IndexName: "global", KeySchema: keySchema("x"), Projection: {} }],
    },
  },
  {
    what: "INCLUDE without attributes",
    over: {
      ...composite,
      GlobalSecondaryIndexes: [
        { IndexName: "global", KeySchema: keySchema("x"), Projection: { ProjectionType: "INCLUDE" } },
      ],
    },
  },
  {
    what: "KEYS_ONLY with attributes",
    over: {
      ...composite,
      GlobalSecondaryIndexes: [
        {
          IndexName: "global",
          KeySchema: keySchema("x"),
          Projection: { ProjectionType: "KEYS_ONLY", NonKeyAttributes: ["a"] },
        },
      ],
    },
  },
  { what: "an empty list of global indexes", over: { GlobalSecondaryIndexes: [] } },
  { what: "an empty list of local indexes", over: { LocalSecondaryIndexes: [] }, gap: "accepts it" },
  {
    what: "6 local indexes",
    over: {
      AttributeDefinitions: define("pk", "sk", ...letters(6)),
      KeySchema: keySchema("pk", "sk"),
      LocalSecondaryIndexes: letters(6).map((name) => ({
        IndexName: `local-${name}`,
        KeySchema: keySchema("pk", name),
        Projection: all,
      })),
    },
  },
  {
    what: "21 global indexes",
    over: {
      AttributeDefinitions: define("pk", ...letters(21)),
      GlobalSecondaryIndexes: letters(21).map((name) => ({
        IndexName: `global-${name}`,
        KeySchema: keySchema(name),
        Projection: all,
      })),
    },
  },
  { what: "a stream without view type", over: { StreamSpecification: { StreamEnabled: true } } },
  {
    what: "a disabled stream with a view type",
    over: { StreamSpecification: { StreamEnabled: false, StreamViewType: "NEW_IMAGE" } },
  },
];

function letters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${String.fromCharCode(97 + index)}`);
}

export const createTableValidationCases: readonly PortCase[] = refusals.map(({ what, over, text, gap }) => ({
  name: `CreateTable refuses ${what}`,
  source: "AWS: API_CreateTable; public conformance suites",
  async run({ port, unique }) {
    await refuses(port.createTable(tableInput(unique(), over)), "ValidationException", text);
  },
  ...localGap(gap),
}));

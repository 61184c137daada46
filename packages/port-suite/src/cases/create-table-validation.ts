import type { AttributeDefinition, CreateTableInput, GlobalSecondaryIndex } from "@tablekeep/core";
import { upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { keySchema, tableInput } from "../shared-tables.ts";

const define = (...names: string[]): AttributeDefinition[] =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: "S" }));

const composite = { AttributeDefinitions: define("pk", "sk", "x"), KeySchema: keySchema("pk", "sk") };
const all = { ProjectionType: "ALL" } as const;
const local = (IndexName: string, hash: string, range?: string) => ({
  IndexName,
  KeySchema: keySchema(hash, range),
  Projection: all,
});
const global = (IndexName: string, Projection: GlobalSecondaryIndex["Projection"] = all) => ({
  ...composite,
  GlobalSecondaryIndexes: [{ IndexName, KeySchema: keySchema("x"), Projection }],
});
const throughput = (ReadCapacityUnits: number) => ({ ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits: 1 } });
const letters = (count: number) => upTo(count).map((index) => `k${String.fromCharCode(97 + index)}`);
const otherWords = "rejects with other words";

/** Table requests that DynamoDB rejects. */
const rejections: readonly (readonly [what: string, over: Partial<CreateTableInput>, says?: string, gap?: string])[] = [
  ["a name of 2 characters", { TableName: "ab" }, "length greater than or equal to 3", otherWords],
  ["a name of 256 characters", { TableName: "a".repeat(256) }, "length less than or equal to 255", otherWords],
  ["a name with a blank", { TableName: "bad name" }, "regular expression pattern: [a-zA-Z0-9_.-]+", otherWords],
  ["no key schema", { KeySchema: [] }],
  ["a sort key alone", { KeySchema: [{ AttributeName: "pk", KeyType: "RANGE" }] }],
  ["two partition keys", { AttributeDefinitions: define("pk", "sk"), KeySchema: [...keySchema("pk"), ...keySchema("sk")] }],
  [
    "three key attributes",
    { ...composite, KeySchema: [...keySchema("pk", "sk"), { AttributeName: "x", KeyType: "RANGE" }] },
    "length less than or equal to 2",
    otherWords,
  ],
  ["one attribute as both keys", { KeySchema: keySchema("pk", "pk") }],
  ["a key attribute without definition", { KeySchema: keySchema("pk", "sk") }],
  ["a definition that no key uses", { AttributeDefinitions: define("pk", "unused") }],
  ["no definitions", { AttributeDefinitions: [] }],
  [
    "a key of type BOOL",
    { AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "BOOL" as "S" }] },
    "Member must satisfy enum value set: [B, N, S]",
  ],
  [
    "an unknown key type",
    { KeySchema: [{ AttributeName: "pk", KeyType: "SORT" as "RANGE" }] },
    "Member must satisfy enum value set: [HASH, RANGE]",
    otherWords,
  ],
  [
    "PROVISIONED without throughput",
    { BillingMode: "PROVISIONED" },
    "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    otherWords,
  ],
  [
    "PAY_PER_REQUEST with throughput",
    throughput(1),
    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    "accepts it",
  ],
  ["zero throughput", { BillingMode: "PROVISIONED", ...throughput(0) }],
  ["an unknown billing mode", { BillingMode: "FREE" as "PROVISIONED" }, "", "answers 500"],
  [
    "a local index on a table without sort key",
    { AttributeDefinitions: define("pk", "x"), LocalSecondaryIndexes: [local("local", "pk", "x")] },
    "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    otherWords,
  ],
  ["a local index on another partition key", { ...composite, LocalSecondaryIndexes: [local("local", "x", "sk")] }],
  [
    "a local index without sort key",
    { ...composite, AttributeDefinitions: define("pk", "sk"), LocalSecondaryIndexes: [local("local", "pk")] },
  ],
  [
    "two indexes of one name",
    { ...global("same"), LocalSecondaryIndexes: [local("same", "pk", "x")] },
    "Duplicate index name: same",
    otherWords,
  ],
  ["an index name of 2 characters", global("ab")],
  ["an index key without definition", { GlobalSecondaryIndexes: global("global").GlobalSecondaryIndexes }],
  ["an index without projection type", global("global", {})],
  ["INCLUDE without attributes", global("global", { ProjectionType: "INCLUDE" })],
  ["KEYS_ONLY with attributes", global("global", { ProjectionType: "KEYS_ONLY", NonKeyAttributes: ["a"] })],
  ["an empty list of global indexes", { GlobalSecondaryIndexes: [] }],
  ["an empty list of local indexes", { LocalSecondaryIndexes: [] }, "", "accepts it"],
  [
    "6 local indexes",
    {
      AttributeDefinitions: define("pk", "sk", ...letters(6)),
      KeySchema: keySchema("pk", "sk"),
      LocalSecondaryIndexes: letters(6).map((name) => local(`local-${name}`, "pk", name)),
    },
  ],
  [
    "21 global indexes",
    {
      AttributeDefinitions: define("pk", ...letters(21)),
      GlobalSecondaryIndexes: letters(21).map((name) => local(`global-${name}`, name)),
    },
  ],
  ["a stream without view type", { StreamSpecification: { StreamEnabled: true } }],
  ["a disabled stream with a view type", { StreamSpecification: { StreamEnabled: false, StreamViewType: "NEW_IMAGE" } }],
];

export const createTableValidationCases: readonly PortCase[] = cases(
  { source: "AWS: API_CreateTable; public conformance suites" },
  rejections.map(
    ([what, over, says = "", gap]): Row => ({
      name: `CreateTable rejects ${what}`,
      gap,
      createTable: tableInput("$name", over),
      rejected: says,
    }),
  ),
);

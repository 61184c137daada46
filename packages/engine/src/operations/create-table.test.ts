import type { CreateTableInput, GlobalSecondaryIndex, Tag } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  define,
  describeThings,
  keySchema,
  openTestDatabase,
  rejectionOf,
  tableInput,
} from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";

const all = { ProjectionType: "ALL" } as const;
const composite = { AttributeDefinitions: define("pk", "sk", "x"), KeySchema: keySchema("pk", "sk") };
const units = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(2, "0")}`);
const range = (AttributeName: string) => ({ AttributeName, KeyType: "RANGE" as const });
const hash = (AttributeName: string) => ({ AttributeName, KeyType: "HASH" as const });

/** An invalid table, and DynamoDB's message after "One or more parameter values were invalid: ". */
const parameterRejections: Record<string, [Partial<CreateTableInput>, string]> = {
  "throughput on demand": [
    { ProvisionedThroughput: units },
    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
  ],
  "no throughput": [
    { BillingMode: undefined },
    "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
  ],
  "bounds of a provisioned table": [
    {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: units,
      OnDemandThroughput: { MaxReadRequestUnits: 5 },
    },
    "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
  ],
  "bounds of an index of a provisioned table": [
    {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: units,
      ...oneIndex({ ProvisionedThroughput: units, OnDemandThroughput: { MaxWriteRequestUnits: 5 } }),
    },
    "MaxWriteRequestUnits for OnDemandThroughput for index: by-g cannot be specified when table BillingMode is PROVISIONED.",
  ],
  "a bound to remove": [
    { OnDemandThroughput: { MaxReadRequestUnits: -1 } },
    "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
  ],
  "a bound of zero": [
    { OnDemandThroughput: { MaxWriteRequestUnits: 0 } },
    "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range",
  ],
  "a key of another name than the definition": [
    { KeySchema: keySchema("other") },
    "Some index key attributes are not defined in AttributeDefinitions. Keys: [other], AttributeDefinitions: [pk]",
  ],
  "a superfluous definition": [
    { AttributeDefinitions: define("pk", "x") },
    "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
  ],
  "an unused definition beside an index": [
    {
      AttributeDefinitions: define("pk", "g", "unused"),
      GlobalSecondaryIndexes: [{ IndexName: "by-g", KeySchema: keySchema("g"), Projection: all }],
    },
    "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, g, unused], keys used: [pk, g]",
  ],
  "a local index with another partition key": [
    {
      ...composite,
      LocalSecondaryIndexes: [{ IndexName: "loc", KeySchema: keySchema("x", "sk"), Projection: all }],
    },
    "Index KeySchema does not have the same leading hash key as table KeySchema for index: loc. " +
      "index hash key: x, table hash key: pk",
  ],
  "a local index without sort key": [
    {
      ...composite,
      LocalSecondaryIndexes: [{ IndexName: "loc", KeySchema: keySchema("pk"), Projection: all }],
    },
    "Index KeySchema does not have a range key for index: loc",
  ],
  "6 local indexes": [
    {
      AttributeDefinitions: define("pk", "sk", ...numbered(6, "l")),
      KeySchema: keySchema("pk", "sk"),
      LocalSecondaryIndexes: numbered(6, "l").map((name) => ({
        IndexName: name,
        KeySchema: keySchema("pk", name),
        Projection: all,
      })),
    },
    "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
  ],
  "21 global indexes": [
    {
      AttributeDefinitions: define("pk", ...numbered(21, "g")),
      GlobalSecondaryIndexes: numbered(21, "g").map((name) => ({
        IndexName: name,
        KeySchema: keySchema(name),
        Projection: all,
      })),
    },
    "GlobalSecondaryIndex count exceeds the per-table limit of 20",
  ],
  "101 projected attributes": [
    {
      AttributeDefinitions: define("pk", "g"),
      GlobalSecondaryIndexes: numbered(6, "index").map((IndexName, at) => ({
        IndexName,
        KeySchema: keySchema("g"),
        Projection: {
          ProjectionType: "INCLUDE" as const,
          NonKeyAttributes: numbered(at === 0 ? 1 : 20, "a"),
        },
      })),
    },
    "Number of NonKeyAttributes of all indexes, 101, exceeds the per-table limit of 100",
  ],
  "a projected attribute twice": [
    {
      AttributeDefinitions: define("pk", "g"),
      GlobalSecondaryIndexes: [
        {
          IndexName: "by-g",
          KeySchema: keySchema("g"),
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["a", "a"] },
        },
      ],
    },
    "Duplicate element in NonKeyAttributes: a",
  ],
  "throughput of an index on demand": [
    {
      AttributeDefinitions: define("pk", "g"),
      GlobalSecondaryIndexes: [
        { IndexName: "by-g", KeySchema: keySchema("g"), Projection: all, ProvisionedThroughput: units },
      ],
    },
    "ProvisionedThroughput should not be specified for index: by-g when BillingMode is PAY_PER_REQUEST",
  ],
  "a provisioned table with an index without throughput": [
    {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: units,
      AttributeDefinitions: define("pk", "g"),
      GlobalSecondaryIndexes: [{ IndexName: "by-g", KeySchema: keySchema("g"), Projection: all }],
    },
    "ProvisionedThroughput is not specified for index: by-g",
  ],
  "five partition attributes": [
    multiIndex(...numbered(5, "h").map(hash)),
    "The KeySchema exceeds the maximum allowed number of HASH key attributes",
  ],
  "five sort attributes": [
    multiIndex(hash("h"), ...numbered(5, "r").map(range)),
    "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
  ],
  "a partition attribute after a sort attribute": [
    multiIndex(hash("h"), range("r"), hash("i")),
    "All HASH key attributes must precede RANGE key attributes in the KeySchema",
  ],
  "a stream without view type": [
    { StreamSpecification: { StreamEnabled: true } },
    "Table is being created with a stream enabled, UpdateViewType is required",
  ],
  "a view type without stream": [
    { StreamSpecification: { StreamEnabled: false, StreamViewType: "KEYS_ONLY" } },
    "Table is being created with a stream disabled, UpdateViewType should not be specified",
  ],
};

/** The same, with the whole message. */
const rejections: Record<string, [Partial<CreateTableInput>, string]> = {
  "no definitions": [
    { AttributeDefinitions: undefined },
    "1 validation error detected: Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be null",
  ],
  "empty throughput": [
    { ProvisionedThroughput: {} as typeof units },
    "2 validation errors detected: Value null at 'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: " +
      "Member must not be null; Value null at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: " +
      "Member must not be null",
  ],
  "an empty key for encryption": [
    { SSESpecification: { Enabled: true, SSEType: "KMS", KMSMasterKeyId: "" } },
    "1 validation error detected: Value '' at 'sSESpecification.kMSMasterKeyId' failed to satisfy constraint: " +
      "Member must have length greater than or equal to 1",
  ],
  "a tag without a key": [{ Tags: [{ Value: "1" } as Tag] }, "The Tag Key provided is invalid, Key: null"],
  "a tag without a value": [
    { Tags: [{ Key: "a" } as Tag] },
    "The Tag Value provided is invalid, Value: null",
  ],
  "a tag with a long key": [
    { Tags: [{ Key: "k".repeat(129), Value: "" }] },
    `The Tag Key provided is invalid, Key: ${"k".repeat(129)}`,
  ],
  "one definition twice": [{ AttributeDefinitions: define("pk", "pk") }, "Attribute Name is duplicated: pk"],
  "more keys than definitions": [
    { KeySchema: keySchema("pk", "sk") },
    "Invalid KeySchema: Some index key attribute have no definition",
  ],
  "one attribute twice in an index": [
    multiIndex(hash("h"), range("r"), range("r")),
    "The KeySchema contains multiple key attributes with the same name",
  ],
  "51 tags": [
    { Tags: numbered(51, "t").map((Key) => ({ Key, Value: "" })) },
    "Number of Tags exceed the current limit for the provided ResourceArn",
  ],
  "a tag twice": [
    {
      Tags: [
        { Key: "a", Value: "1" },
        { Key: "a", Value: "2" },
      ],
    },
    "Duplicate Tag Keys provided as input: Duplicate Tag Key found a",
  ],
  "a tag with Amazon's prefix": [
    { Tags: [{ Key: "aws:a", Value: "1" }] },
    "Tag Key cannot be prefixed with aws:, Key: aws:a",
  ],
  "enormous throughput": [
    {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: { ReadCapacityUnits: 1e12 + 1, WriteCapacityUnits: 1 },
    },
    "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
  ],
};

function oneIndex(over: Partial<GlobalSecondaryIndex>): Partial<CreateTableInput> {
  return {
    AttributeDefinitions: define("pk", "g"),
    GlobalSecondaryIndexes: [{ IndexName: "by-g", KeySchema: keySchema("g"), Projection: all, ...over }],
  };
}

function multiIndex(...KeySchema: NonNullable<CreateTableInput["KeySchema"]>): Partial<CreateTableInput> {
  const names = [...new Set(KeySchema.map(({ AttributeName = "" }) => AttributeName))];
  return {
    AttributeDefinitions: define("pk", ...names),
    GlobalSecondaryIndexes: [{ IndexName: "multi", KeySchema, Projection: all }],
  };
}

const open = () => openTestDatabase(new MemoryStorage()).port;

describe("CreateTable", () => {
  test.each(Object.entries(parameterRejections))("rejects %s", async (_, [over, words]) => {
    const reported = await rejectionOf(open().createTable(tableInput(over)));
    expect(reported).toBe(`ValidationException: One or more parameter values were invalid: ${words}`);
  });

  test.each(Object.entries(rejections))("rejects %s", async (_, [over, words]) => {
    expect(await rejectionOf(open().createTable(tableInput(over)))).toBe(`ValidationException: ${words}`);
  });

  test("accepts 4 partition and 4 sort attributes in a global index", async () => {
    const port = open();
    const keys = [...numbered(4, "h").map(hash), ...numbered(4, "r").map(range)];
    await port.createTable(tableInput(multiIndex(...keys)));
    const item = Object.fromEntries(
      ["pk", ...keys.map((key) => key.AttributeName)].map((n) => [n, { S: "v" }]),
    );
    await port.putItem({ TableName: "things", Item: item });
    expect((await describeThings(port)).GlobalSecondaryIndexes?.[0]?.ItemCount).toBe(1);
  });

  test("rejects a key of several attributes that is too long in total", async () => {
    const port = open();
    await port.createTable(tableInput(multiIndex(hash("h"), range("r"), range("s"))));
    const long = { S: "x".repeat(600) };
    const put = port.putItem({
      TableName: "things",
      Item: { pk: { S: "1" }, h: { S: "h" }, r: long, s: long },
    });
    expect(await rejectionOf(put)).toContain(
      "Aggregate size for RANGE key attributes [r, s] of index multi has exceeded limit 1024 bytes, with actual size 1200 bytes",
    );
  });

  test("describes a provisioned table completely, before and after it is stored", async () => {
    const storage = new MemoryStorage();
    const clock = fakeClock();
    const { port } = openTestDatabase(storage, { clock, region: "eu-west-1", accountId: "123456789012" });
    const { TableDescription } = await port.createTable({
      TableName: "things",
      AttributeDefinitions: define("pk", "sk", "l", "g"),
      KeySchema: keySchema("pk", "sk"),
      ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
      LocalSecondaryIndexes: [{ IndexName: "loc", KeySchema: keySchema("pk", "l"), Projection: all }],
      GlobalSecondaryIndexes: [
        { IndexName: "glo", KeySchema: keySchema("g"), Projection: all, ProvisionedThroughput: units },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
      SSESpecification: { Enabled: true },
      TableClass: "STANDARD_INFREQUENT_ACCESS",
      DeletionProtectionEnabled: true,
    });
    const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/things";
    const now = new Date(clock.now());
    const { TableId, ...rest } = TableDescription ?? {};
    expect(TableId).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      TableName: "things",
      TableStatus: "ACTIVE",
      TableArn: arn,
      CreationDateTime: now,
      AttributeDefinitions: define("g", "l", "pk", "sk"),
      KeySchema: keySchema("pk", "sk"),
      ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
      WarmThroughput: { ReadUnitsPerSecond: 3, WriteUnitsPerSecond: 2, Status: "ACTIVE" },
      LocalSecondaryIndexes: [
        {
          IndexName: "loc",
          KeySchema: keySchema("pk", "l"),
          Projection: all,
          IndexArn: `${arn}/index/loc`,
          IndexSizeBytes: 0,
          ItemCount: 0,
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "glo",
          KeySchema: keySchema("g"),
          Projection: all,
          IndexStatus: "ACTIVE",
          IndexArn: `${arn}/index/glo`,
          ProvisionedThroughput: { NumberOfDecreasesToday: 0, ...units },
          WarmThroughput: { ReadUnitsPerSecond: 1, WriteUnitsPerSecond: 1, Status: "ACTIVE" },
          IndexSizeBytes: 0,
          ItemCount: 0,
        },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
      LatestStreamArn: `${arn}/stream/2020-01-01T00:00:00.000`,
      LatestStreamLabel: "2020-01-01T00:00:00.000",
      SSEDescription: {
        Status: "ENABLED",
        SSEType: "KMS",
        KMSMasterKeyArn: "arn:aws:kms:eu-west-1:123456789012:alias/aws/dynamodb",
      },
      TableClassSummary: { TableClass: "STANDARD_INFREQUENT_ACCESS" },
      DeletionProtectionEnabled: true,
      ItemCount: 0,
      TableSizeBytes: 0,
    });
    const again = openTestDatabase(storage, { clock });
    expect(await describeThings(again.port)).toEqual(TableDescription);
  });

  test("rejects more than 20 projected attributes in one index", async () => {
    const names = { ProjectionType: "INCLUDE" as const, NonKeyAttributes: numbered(21, "a") };
    const reported = await rejectionOf(open().createTable(tableInput(oneIndex({ Projection: names }))));
    expect(reported).toMatch(
      /at 'globalSecondaryIndexes\.1\.member\.projection\.nonKeyAttributes' .* have length less than or equal to 20$/,
    );
  });

  test("describes definitions and projected attributes in the order of their names", async () => {
    const port = open();
    const projection = { ProjectionType: "INCLUDE" as const, NonKeyAttributes: ["zz", "aa", "mm"] };
    const index = { IndexName: "by-a", KeySchema: keySchema("a"), Projection: projection };
    await port.createTable(
      tableInput({ AttributeDefinitions: define("pk", "a"), GlobalSecondaryIndexes: [index] }),
    );
    const table = await describeThings(port);
    expect(table.AttributeDefinitions).toEqual(define("a", "pk"));
    expect(table.GlobalSecondaryIndexes?.[0]?.Projection?.NonKeyAttributes).toEqual(["aa", "mm", "zz"]);
  });

  test("reports since when a table is on-demand", async () => {
    const clock = fakeClock();
    const { port } = openTestDatabase(new MemoryStorage(), { clock });
    await port.createTable(tableInput());
    expect((await describeThings(port)).BillingModeSummary).toEqual({
      BillingMode: "PAY_PER_REQUEST",
      LastUpdateToPayPerRequestDateTime: new Date(clock.now()),
    });
  });

  test("creates one table for two concurrent calls", async () => {
    const { port } = openTestDatabase(new MemoryStorage());
    const reported = await Promise.all([1, 2].map(() => rejectionOf(port.createTable(tableInput()))));
    expect(reported).toEqual(["accepted", "ResourceInUseException: Table already exists: things"]);
  });
});

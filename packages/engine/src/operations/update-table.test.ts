import type { CreateTableInput, UpdateTableInput } from "@tablekeep/core";
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
const units = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
const onDemand: Partial<CreateTableInput> = {
  AttributeDefinitions: define("pk", "sk", "l", "g"),
  KeySchema: keySchema("pk", "sk"),
  LocalSecondaryIndexes: [{ IndexName: "loc", KeySchema: keySchema("pk", "l"), Projection: all }],
  GlobalSecondaryIndexes: [{ IndexName: "glo", KeySchema: keySchema("g"), Projection: all }],
};
const provisioned: Partial<CreateTableInput> = { BillingMode: "PROVISIONED", ProvisionedThroughput: units };
const create = { IndexName: "new", KeySchema: keySchema("n"), Projection: all };
const withNew = { AttributeDefinitions: define("n"), GlobalSecondaryIndexUpdates: [{ Create: create }] };
const streamOn = { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } as const;

const prefix = "ValidationException: One or more parameter values were invalid: ";

/** A table, a change to it, and DynamoDB's error. */
const rejections: Record<string, [Partial<CreateTableInput>, Omit<UpdateTableInput, "TableName">, string]> = {
  "nothing to change": [
    {},
    { GlobalSecondaryIndexUpdates: [] },
    "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, " +
      "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, " +
      "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, " +
      "WarmThroughput or TableClass is required",
  ],
  "protection and class at once": [
    {},
    { DeletionProtectionEnabled: true, TableClass: "STANDARD" },
    `${prefix}TableClass modification must be the only operation in the request`,
  ],
  "protection and stream at once": [
    {},
    { DeletionProtectionEnabled: true, StreamSpecification: streamOn },
    `${prefix}DeletionProtection modification must be the only operation in the request`,
  ],
  "stream and throughput at once": [
    provisioned,
    { ProvisionedThroughput: { ...units, ReadCapacityUnits: 2 }, StreamSpecification: streamOn },
    `${prefix}You cannot modify stream status while updating table IOPS`,
  ],
  "index and stream at once": [
    {},
    { ...withNew, StreamSpecification: streamOn },
    `${prefix}You cannot create or delete index while changing stream status`,
  ],
  "two indexes at once": [
    onDemand,
    { ...withNew, GlobalSecondaryIndexUpdates: [{ Create: create }, { Delete: { IndexName: "glo" } }] },
    "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted " +
      "simultaneously per table",
  ],
  "two changes of one index": [
    onDemand,
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "glo" } }, { Delete: { IndexName: "glo" } }] },
    `${prefix}Only one global secondary index update per index is allowed simultaneously. Index: glo`,
  ],
  "an index update without an action": [
    {},
    { GlobalSecondaryIndexUpdates: [{}] },
    `${prefix}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, ` +
      "GlobalSecondaryIndexUpdate.Delete must not be null",
  ],
  "an existing index": [
    onDemand,
    { ...withNew, GlobalSecondaryIndexUpdates: [{ Create: { ...create, IndexName: "loc" } }] },
    "ValidationException: Attempting to create an index which already exists",
  ],
  "an index without definitions": [
    {},
    { GlobalSecondaryIndexUpdates: [{ Create: create }] },
    `${prefix}AttributeDefinitions is not specified for index: new`,
  ],
  "an index whose key is not defined": [
    {},
    { ...withNew, AttributeDefinitions: define("other") },
    `${prefix}Some index key attributes are not defined in AttributeDefinitions. Keys: [n], ` +
      "AttributeDefinitions: [pk, other]",
  ],
  "an index without throughput on a provisioned table": [
    provisioned,
    withNew,
    `${prefix}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new`,
  ],
  "a list without index updates beside another change": [
    {},
    { GlobalSecondaryIndexUpdates: [], DeletionProtectionEnabled: true },
    `${prefix}List of GlobalSecondaryIndexUpdates is empty`,
  ],
  "the removal of an index that does not exist": [
    {},
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "ghost" } }] },
    "ResourceNotFoundException: Requested resource not found: Index ghost for table things",
  ],
  "a change of an index that does not exist": [
    provisioned,
    { GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "ghost", ProvisionedThroughput: units } }] },
    "ResourceNotFoundException: Requested resource not found: Index ghost for table things",
  ],
  "a change of an index that changes nothing": [
    onDemand,
    { GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "glo" } }] },
    `${prefix}The only Updates for index: glo when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, ` +
      "WarmThroughput",
  ],
  "a 21st index": [
    {
      AttributeDefinitions: define("pk"),
      GlobalSecondaryIndexes: Array.from({ length: 20 }, (_, at) => ({
        IndexName: `index-${at}`,
        KeySchema: keySchema("pk"),
        Projection: all,
      })),
    },
    withNew,
    "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20",
  ],
  "encryption by default of a table that has it": [
    {},
    { SSESpecification: { Enabled: false } },
    `${prefix}Table is already encrypted by default`,
  ],
  "encryption with the current key": [
    { SSESpecification: { Enabled: true, SSEType: "KMS", KMSMasterKeyId: "arn:aws:kms:us-east-1:1:key/k" } },
    { SSESpecification: { Enabled: true, SSEType: "KMS", KMSMasterKeyId: "arn:aws:kms:us-east-1:1:key/k" } },
    `${prefix}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key`,
  ],
  "bounds of a provisioned table": [
    provisioned,
    { OnDemandThroughput: { MaxReadRequestUnits: 5 } },
    `${prefix}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
  ],
  "the removal of a local index": [
    onDemand,
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "loc" } }] },
    "ValidationException: Cannot delete an index that is not a GlobalSecondaryIndex: loc",
  ],
  "throughput on demand": [
    {},
    { ProvisionedThroughput: units },
    `${prefix}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ],
  "a provisioned mode without throughput": [
    {},
    { BillingMode: "PROVISIONED" },
    `${prefix}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
  ],
  "a provisioned mode without the throughput of an index": [
    onDemand,
    { BillingMode: "PROVISIONED", ProvisionedThroughput: units },
    `${prefix}ProvisionedThroughput must be specified for index: glo`,
  ],
  "the current throughput": [
    provisioned,
    { ProvisionedThroughput: units },
    "ValidationException: The provisioned throughput for the table will not change. The requested value equals the " +
      "current value. Current ReadCapacityUnits provisioned for the table: 1. Requested ReadCapacityUnits: 1. " +
      "Current WriteCapacityUnits provisioned for the table: 1. Requested WriteCapacityUnits: 1. Refer to the " +
      "Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
  ],
  "a stream without view type": [
    {},
    { StreamSpecification: { StreamEnabled: true } },
    `${prefix}If stream is being enabled then UpdateViewType is required`,
  ],
  "a second stream": [
    { StreamSpecification: streamOn },
    { StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } },
    "ValidationException: Table already has an enabled stream: TableName: things",
  ],
  "disabling a missing stream": [
    {},
    { StreamSpecification: { StreamEnabled: false } },
    "ValidationException: Table has no stream to disable: TableName: things",
  ],
};

async function opened(over: Partial<CreateTableInput> = {}, clock = fakeClock()) {
  const opening = openTestDatabase(new MemoryStorage(), { clock });
  await opening.port.createTable(tableInput(over));
  return { ...opening, clock };
}

describe("UpdateTable", () => {
  test.each(Object.entries(rejections))(
    "rejects %s, and changes nothing",
    async (_, [table, change, words]) => {
      const { port } = await opened(table);
      const before = await describeThings(port);
      expect(await rejectionOf(port.updateTable({ TableName: "things", ...change }))).toBe(words);
      expect(await describeThings(port)).toEqual(before);
    },
  );

  test("reports when throughput increased and decreased, and how often it decreased today", async () => {
    const { port, clock } = await opened(provisioned);
    const change = async (read: number, write: number) => {
      const ProvisionedThroughput = { ReadCapacityUnits: read, WriteCapacityUnits: write };
      await port.updateTable({ TableName: "things", ProvisionedThroughput });
      return (await describeThings(port)).ProvisionedThroughput;
    };
    const first = new Date(clock.now());
    expect(await change(5, 5)).toEqual({
      NumberOfDecreasesToday: 0,
      ReadCapacityUnits: 5,
      WriteCapacityUnits: 5,
      LastIncreaseDateTime: first,
    });
    await clock.advance(1000);
    expect(await change(4, 5)).toMatchObject({
      NumberOfDecreasesToday: 1,
      LastIncreaseDateTime: first,
      LastDecreaseDateTime: new Date(clock.now()),
    });
    expect(await change(3, 5)).toMatchObject({ NumberOfDecreasesToday: 2 });
    await clock.advance(24 * 60 * 60 * 1000);
    expect(await change(2, 5)).toMatchObject({ NumberOfDecreasesToday: 1 });
  });

  test("provisions a table and its indexes in one call, and returns to on-demand", async () => {
    const { port } = await opened(onDemand);
    await port.updateTable({
      TableName: "things",
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: units,
      GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "glo", ProvisionedThroughput: units } }],
    });
    const table = await describeThings(port);
    expect(table.GlobalSecondaryIndexes?.[0]?.ProvisionedThroughput).toMatchObject(units);
    expect(table.BillingModeSummary?.BillingMode).toBe("PROVISIONED");
    await port.updateTable({ TableName: "things", BillingMode: "PAY_PER_REQUEST" });
    const after = await describeThings(port);
    expect(after.GlobalSecondaryIndexes?.[0]?.ProvisionedThroughput).toMatchObject({
      NumberOfDecreasesToday: 0,
      ReadCapacityUnits: 0,
    });
  });

  test("sets and describes class, encryption and limits", async () => {
    const { port, clock } = await opened();
    const TableName = "things";
    await port.updateTable({ TableName, TableClass: "STANDARD_INFREQUENT_ACCESS" });
    await port.updateTable({ TableName, SSESpecification: { Enabled: true, SSEType: "KMS" } });
    await port.updateTable({ TableName, OnDemandThroughput: { MaxReadRequestUnits: 7 } });
    expect(await describeThings(port)).toMatchObject({
      TableClassSummary: {
        TableClass: "STANDARD_INFREQUENT_ACCESS",
        LastUpdateDateTime: new Date(clock.now()),
      },
      SSEDescription: { Status: "ENABLED", SSEType: "KMS" },
      OnDemandThroughput: { MaxReadRequestUnits: 7 },
    });
    await port.updateTable({ TableName, SSESpecification: { Enabled: false } });
    expect((await describeThings(port)).SSEDescription).toBeUndefined();
  });

  test("reports the new index as in progress, and keeps only definitions that keys use", async () => {
    const { port, database } = await opened(onDemand);
    const { TableDescription } = await port.updateTable({
      TableName: "things",
      ...withNew,
      AttributeDefinitions: define("n", "unused"),
    });
    expect(TableDescription?.TableStatus).toBe("UPDATING");
    expect(TableDescription?.GlobalSecondaryIndexes?.[1]).toMatchObject({
      IndexStatus: "CREATING",
      Backfilling: true,
    });
    await database.background.idle();
    const table = await describeThings(port);
    expect(table.AttributeDefinitions).toEqual(define("g", "l", "n", "pk", "sk"));
    expect(table.GlobalSecondaryIndexes?.[1]).toMatchObject({ IndexName: "new", IndexStatus: "ACTIVE" });
    expect(table.GlobalSecondaryIndexes?.[1]).not.toHaveProperty("Backfilling");
    const removal = { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "new" } }] };
    const answer = await port.updateTable({ TableName: "things", ...removal });
    expect(answer.TableDescription?.GlobalSecondaryIndexes?.[1]?.IndexStatus).toBe("DELETING");
    expect((await describeThings(port)).AttributeDefinitions).toEqual(define("g", "l", "pk", "sk"));
  });

  test.each(["constructor", "__proto__", "toString"])("an index may be named %s", async (IndexName) => {
    const { port, database } = await opened(onDemand);
    await port.updateTable({
      TableName: "things",
      ...withNew,
      GlobalSecondaryIndexUpdates: [{ Create: { ...create, IndexName } }],
    });
    await database.background.idle();
    expect((await describeThings(port)).GlobalSecondaryIndexes?.[1]).toMatchObject({ IndexName });
    const removal = { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] };
    const { TableDescription } = await port.updateTable({ TableName: "things", ...removal });
    expect(TableDescription?.TableStatus).toBe("UPDATING");
    expect(TableDescription?.GlobalSecondaryIndexes?.[1]).toMatchObject({
      IndexName,
      IndexStatus: "DELETING",
    });
    expect((await describeThings(port)).GlobalSecondaryIndexes).toHaveLength(1);
  });

  test("while an index is being filled it cannot be read, and neither the table nor a second index can be deleted", async () => {
    const { port, database } = await opened(onDemand);
    await port.updateTable({ TableName: "things", ...withNew });
    expect(await rejectionOf(port.scan({ TableName: "things", IndexName: "new" }))).toBe(
      "ValidationException: Cannot read from backfilling global secondary index: new",
    );
    expect(await rejectionOf(port.deleteTable({ TableName: "things" }))).toBe(
      "ResourceInUseException: Attempt to change a resource which is still in use: Cannot delete table while indexes " +
        "are being created, updated, or deleted.",
    );
    const second = {
      ...withNew,
      GlobalSecondaryIndexUpdates: [{ Create: { ...create, IndexName: "newer" } }],
    };
    expect(await rejectionOf(port.updateTable({ TableName: "things", ...second }))).toContain(
      "Only 1 online index",
    );
    await database.background.idle();
    expect(await rejectionOf(port.scan({ TableName: "things", IndexName: "new" }))).toBe("accepted");
    expect(await rejectionOf(port.deleteTable({ TableName: "things" }))).toBe("accepted");
  });
});

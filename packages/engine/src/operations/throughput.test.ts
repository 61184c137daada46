import type {
  CreateTableInput,
  GlobalSecondaryIndex,
  OnDemandThroughput,
  UpdateTableInput,
} from "@tablekeep/core";
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
const provisioned: Partial<CreateTableInput> = { BillingMode: "PROVISIONED", ProvisionedThroughput: units };
const prefix = "ValidationException: One or more parameter values were invalid: ";
const initial =
  "initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/" +
  "on-demand-capacity-mode.html#on-demand-capacity-mode-initial";

const oneIndex = (over: Partial<GlobalSecondaryIndex> = {}): Partial<CreateTableInput> => ({
  AttributeDefinitions: define("pk", "g"),
  GlobalSecondaryIndexes: [{ IndexName: "glo", KeySchema: keySchema("g"), Projection: all, ...over }],
});
const onDemand = oneIndex();
const withNew = {
  AttributeDefinitions: define("n"),
  GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "new", KeySchema: keySchema("n"), Projection: all } }],
};
const open = () => openTestDatabase(new MemoryStorage()).port;

async function opened(over: Partial<CreateTableInput>) {
  const port = open();
  await port.createTable(tableInput(over));
  return { port };
}

/** A new table, and DynamoDB's message after "One or more parameter values were invalid: ". */
const creations: Record<string, [Partial<CreateTableInput>, string]> = {
  "warm throughput below that of a new on-demand table": [
    { WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 3_999 } },
    `Requested WriteUnitsPerSecond for WarmThroughput for table is lower than ${initial}`,
  ],
  "warm throughput of an index below that of a new one": [
    oneIndex({ WarmThroughput: { ReadUnitsPerSecond: 0 } }),
    `Requested ReadUnitsPerSecond for WarmThroughput for index glo is lower than ${initial}`,
  ],
  "warm throughput below what is provisioned": [
    {
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
      WarmThroughput: { ReadUnitsPerSecond: 5, WriteUnitsPerSecond: 5 },
    },
    "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than ReadCapacityUnits of ProvisionedThroughput",
  ],
};

/** A table, a change to it, and DynamoDB's error. */
const changes: Record<string, [Partial<CreateTableInput>, Omit<UpdateTableInput, "TableName">, string]> = {
  "less warm throughput": [
    {},
    { WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 3_999 } },
    `${prefix}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, ` +
      "decreasing WarmThroughput is not supported",
  ],
  "less warm throughput of an index": [
    onDemand,
    {
      GlobalSecondaryIndexUpdates: [
        { Update: { IndexName: "glo", WarmThroughput: { ReadUnitsPerSecond: 0 } } },
      ],
    },
    `${prefix}Requested ReadUnitsPerSecond for WarmThroughput for index glo is lower than current WarmThroughput, ` +
      "decreasing WarmThroughput is not supported",
  ],
  "warm throughput of an index without units": [
    onDemand,
    { GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "glo", WarmThroughput: {} } }] },
    `${prefix}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: glo`,
  ],
  "warm throughput without units": [
    {},
    { WarmThroughput: {} },
    "ValidationException: Tablekeep: WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified",
  ],
  "warm throughput and a new index at once": [
    {},
    { ...withNew, WarmThroughput: { ReadUnitsPerSecond: 13_000 } },
    `${prefix}Create global secondary index cannot be specified when updating WarmThroughput`,
  ],
};

describe("the throughput of tables and indexes", () => {
  test.each(Object.entries(creations))("%s is rejected in a new table", async (_, [over, words]) => {
    expect(await rejectionOf(open().createTable(tableInput(over)))).toBe(prefix + words);
  });

  test.each(Object.entries(changes))(
    "%s is rejected, and changes nothing",
    async (_, [table, change, words]) => {
      const { port } = await opened(table);
      const before = await describeThings(port);
      expect(await rejectionOf(port.updateTable({ TableName: "things", ...change }))).toBe(words);
      expect(await describeThings(port)).toEqual(before);
    },
  );

  test("describes warm throughput, as requested or that of a new on-demand table", async () => {
    const warm = async (over: Partial<CreateTableInput>) => {
      const port = open();
      await port.createTable(tableInput(over));
      const { WarmThroughput, GlobalSecondaryIndexes } = await describeThings(port);
      return [WarmThroughput, GlobalSecondaryIndexes?.[0]?.WarmThroughput];
    };
    const units = (ReadUnitsPerSecond: number, WriteUnitsPerSecond: number) => ({
      ReadUnitsPerSecond,
      WriteUnitsPerSecond,
      Status: "ACTIVE",
    });
    expect(await warm(oneIndex({}))).toEqual([units(12_000, 4_000), units(12_000, 4_000)]);
    expect(
      await warm({
        ...oneIndex({ WarmThroughput: { WriteUnitsPerSecond: 5_000 } }),
        WarmThroughput: { ReadUnitsPerSecond: 12_001 },
      }),
    ).toEqual([units(12_001, 4_000), units(12_000, 5_000)]);
  });

  test("merges limits of on-demand throughput, removes one by -1, and all with provisioned billing", async () => {
    const { port } = await opened(onDemand);
    const limits = async (OnDemandThroughput: OnDemandThroughput) => {
      await port.updateTable({ TableName: "things", OnDemandThroughput });
      await port.updateTable({
        TableName: "things",
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "glo", OnDemandThroughput } }],
      });
      const table = await describeThings(port);
      const index = table.GlobalSecondaryIndexes?.[0];
      expect(index?.OnDemandThroughput).toEqual(table.OnDemandThroughput);
      return table.OnDemandThroughput;
    };
    expect(await limits({ MaxReadRequestUnits: 1000, MaxWriteRequestUnits: 500 })).toBeDefined();
    expect(await limits({ MaxReadRequestUnits: 2000 })).toEqual({
      MaxReadRequestUnits: 2000,
      MaxWriteRequestUnits: 500,
    });
    expect(await limits({ MaxReadRequestUnits: -1 })).toEqual({ MaxWriteRequestUnits: 500 });
    expect(await limits({ MaxWriteRequestUnits: -1 })).toBeUndefined();
    expect(await limits({ MaxWriteRequestUnits: 700 })).toEqual({ MaxWriteRequestUnits: 700 });
    await port.updateTable({
      TableName: "things",
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: units,
      GlobalSecondaryIndexUpdates: [{ Update: { IndexName: "glo", ProvisionedThroughput: units } }],
    });
    const table = await describeThings(port);
    expect(table.OnDemandThroughput).toBeUndefined();
    expect(table.GlobalSecondaryIndexes?.[0]?.OnDemandThroughput).toBeUndefined();
  });

  test("warm throughput follows what is provisioned and requested, and never decreases", async () => {
    const { port } = await opened(provisioned);
    const warmAfter = async (change: Omit<UpdateTableInput, "TableName">) => {
      await port.updateTable({ TableName: "things", ...change });
      const { ReadUnitsPerSecond, WriteUnitsPerSecond, Status } =
        (await describeThings(port)).WarmThroughput ?? {};
      return [ReadUnitsPerSecond, WriteUnitsPerSecond, Status];
    };
    const provision = (read: number, write: number) => ({
      ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: write },
    });
    expect(await warmAfter(provision(3, 2))).toEqual([3, 2, "ACTIVE"]);
    expect(await warmAfter(provision(1, 3))).toEqual([3, 3, "ACTIVE"]);
    expect(await warmAfter({ WarmThroughput: { ReadUnitsPerSecond: 50 } })).toEqual([50, 3, "ACTIVE"]);
    expect(await warmAfter({ BillingMode: "PAY_PER_REQUEST" })).toEqual([12_000, 4_000, "ACTIVE"]);
    const again = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 };
    expect(await warmAfter({ WarmThroughput: again })).toEqual([12_000, 4_000, "ACTIVE"]);
    expect(await warmAfter({ BillingMode: "PROVISIONED", ...provision(1, 1) })).toEqual([
      12_000,
      4_000,
      "ACTIVE",
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { createTableInput } from "./create-table-input.ts";
import type { TableSpec } from "./table-spec.ts";

describe("createTableInput", () => {
  it("requests an on-demand table unless capacity is reserved", () => {
    expect(createTableInput(bareTable("sessions"))).toEqual({
      TableName: "sessions",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    });
  });

  it("sets the capacity of the table for an index without its own", () => {
    const indexes = createTableInput(fullTable("events")).GlobalSecondaryIndexes;
    expect(indexes?.map(({ ProvisionedThroughput }) => ProvisionedThroughput)).toEqual([
      { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
      { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
    ]);
  });

  it("defines each key attribute once", () => {
    const definitions = createTableInput(fullTable("events")).AttributeDefinitions;
    expect(definitions?.map(({ AttributeName }) => AttributeName)).toEqual([
      "par",
      "num",
      "ts",
      "tag",
      "writer",
    ]);
  });

  const id = { name: "id", type: "S" } as const;
  const wrong: [why: string, spec: TableSpec, option: string][] = [
    ["a short name", { name: "ab", partitionKey: id }, "name"],
    ["a name with a blank", { name: "a b c", partitionKey: id }, "name"],
    ["an unknown field", { ...bareTable("abc"), indexes: [] } as TableSpec, "indexes"],
    ["one attribute as both keys", { ...bareTable("abc"), sortKey: id }, "id"],
    ["a key without a name", { name: "abc", partitionKey: { name: "", type: "S" } }, "key"],
    ["a key of type BOOL", { name: "abc", partitionKey: { name: "id", type: "BOOL" as "S" } }, "id"],
    [
      "an attribute of two types",
      { ...bareTable("abc"), globalIndexes: [{ name: "idx", partitionKey: { name: "id", type: "N" } }] },
      "id",
    ],
    [
      "two indexes of one name",
      {
        ...bareTable("abc"),
        globalIndexes: [
          { name: "idx", partitionKey: id },
          { name: "idx", partitionKey: id },
        ],
      },
      "idx",
    ],
    [
      "a local index on a table without sort key",
      { ...bareTable("abc"), localIndexes: [{ name: "idx", sortKey: { name: "ts", type: "N" } }] },
      "localIndexes",
    ],
    [
      "an empty projection",
      { ...bareTable("abc"), globalIndexes: [{ name: "idx", partitionKey: id, projection: [] }] },
      "idx",
    ],
    [
      "reserved capacity of an index on demand",
      {
        ...bareTable("abc"),
        globalIndexes: [{ name: "idx", partitionKey: id, capacity: { readUnits: 1, writeUnits: 1 } }],
      },
      "idx",
    ],
    ["no capacity", { ...bareTable("abc"), billing: { readUnits: 0, writeUnits: 1 } }, "billing"],
    ["no name", { partitionKey: id } as never, "name"],
    ["no partition key", { name: "abc" } as never, "partitionKey"],
    [
      "a global index without a partition key",
      { ...bareTable("abc"), globalIndexes: [{ name: "idx", sortKey: id } as never] },
      "idx",
    ],
    [
      "a local index without a sort key",
      { ...bareTable("abc"), sortKey: { name: "sk", type: "S" }, localIndexes: [{ name: "idx" } as never] },
      "idx",
    ],
    ["an empty expiry attribute", { ...bareTable("abc"), ttlAttribute: "" }, "ttlAttribute"],
  ];
  it.each(wrong)("rejects %s before anything is sent", (_, spec, option) => {
    expect(() => createTableInput(spec)).toThrow(
      expect.objectContaining({
        code: "CLIENT_OPTION_INVALID",
        details: expect.objectContaining({ option: expect.stringContaining(option) }),
      }),
    );
  });
});

import type { TableDescription } from "@tablekeep/core";
import { describe, expect, it } from "vitest";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { type ActualTable, compareTable } from "./compare-table.ts";
import { createTableInput } from "./create-table-input.ts";
import type { TableSpec } from "./table-spec.ts";

/** The description that DynamoDB would return for a table of this specification. */
function made(spec: TableSpec): ActualTable {
  const { BillingMode, TableClass, Tags, GlobalSecondaryIndexes, ...input } = createTableInput(spec);
  const description: TableDescription = {
    ...input,
    TableStatus: "ACTIVE",
    BillingModeSummary: { BillingMode },
    TableClassSummary: { TableClass },
    GlobalSecondaryIndexes: GlobalSecondaryIndexes?.map((index) => ({ ...index, IndexStatus: "ACTIVE" })),
  };
  const { ttlAttribute } = spec;
  const timeToLive = ttlAttribute
    ? ({ TimeToLiveStatus: "ENABLED", AttributeName: ttlAttribute } as const)
    : ({ TimeToLiveStatus: "DISABLED" } as const);
  return { description, timeToLive, tags: Tags ?? [] };
}

const spec = fullTable("events");

/** The differences between a table made for `spec` and one whose specification was changed. */
function differences(wanted: Partial<TableSpec>, actual: ActualTable = made(spec)): string[] {
  return compareTable({ ...spec, ...wanted }, actual).map((one) =>
    [one.severity, ...(one.updatable ? ["updatable"] : []), one.message].join(": "),
  );
}

describe("compareTable", () => {
  it("finds nothing in a table made for its specification", () => {
    expect(compareTable(spec, made(spec))).toEqual([]);
    expect(compareTable(bareTable("bare"), made(bareTable("bare")))).toEqual([]);
  });

  it("names keys that are other, of another type, missing or unwanted", () => {
    expect(differences({ localIndexes: [], partitionKey: { name: "pid", type: "S" } })[0]).toBe(
      "breaking: the table has the partition key par (S); it should be pid (S); keys cannot be changed, so it must be created again",
    );
    expect(differences({ sortKey: { name: "num", type: "S" } })).toEqual([
      expect.stringContaining("sort key num with type N; it should be of type S"),
    ]);
    const { sortKey: _, localIndexes: __, ...unsorted } = spec;
    expect(compareTable(unsorted, made(spec))[0]?.message).toContain(
      "has the sort key num; it should have none",
    );
    expect(
      compareTable({ ...unsorted, sortKey: { name: "num", type: "N" } }, made(unsorted))[0]?.message,
    ).toContain("has no sort key; it should be num (N)");
  });

  it("distinguishes a missing global index, which can be added, from a missing local one, which cannot", () => {
    const bare = made({ ...spec, globalIndexes: [], localIndexes: [] });
    expect(differences({}, bare)).toEqual([
      expect.stringMatching(/^breaking: the local index by-time is missing; .* must be created again$/),
      "breaking: updatable: the global index by-tag is missing",
      "breaking: updatable: the global index by-writer is missing",
    ]);
  });

  it("notes indexes that are not in the specification", () => {
    expect(differences({ globalIndexes: [], localIndexes: [] })).toEqual([
      expect.stringMatching(/^note: the local index by-time is not in the specification/),
      expect.stringMatching(/^note: the global index by-tag is not/),
      expect.stringMatching(/^note: the global index by-writer is not/),
    ]);
  });

  it("finds an index with other keys", () => {
    const byTag = { name: "by-tag", partitionKey: { name: "label", type: "S" } } as const;
    expect(differences({ globalIndexes: [byTag] }).slice(0, 2)).toEqual([
      expect.stringContaining(
        "the global index by-tag has the partition key tag (S); it should be label (S)",
      ),
      expect.stringContaining("the global index by-tag has the sort key ts; it should have none"),
    ]);
  });

  it("reports a projection that holds more as a note, and one that lacks something as breaking", () => {
    const sortKey = { name: "ts", type: "N" } as const;
    const local = (projection: "ALL" | "KEYS_ONLY" | string[]) => ({
      localIndexes: [{ name: "by-time", sortKey, projection }],
    });
    expect(differences(local("ALL"))).toEqual([
      "breaking: the local index by-time projects keys and pid, it's; it should also project all other attributes",
    ]);
    expect(differences(local(["pid", "extra"]))).toEqual([
      "breaking: the local index by-time projects keys and pid, it's; it should also project extra",
    ]);
    expect(differences(local(["pid"]))).toEqual([
      "note: the local index by-time projects keys and pid, it's, more than the specified keys and pid",
    ]);
    expect(differences(local("KEYS_ONLY"))).toEqual([expect.stringMatching(/^note: /)]);
    expect(differences(local(["it's", "pid"]))).toEqual([]);
  });

  it("reports that an index that is being built cannot be queried yet", () => {
    const building = made(spec);
    const [first, second] = building.description.GlobalSecondaryIndexes ?? [];
    const GlobalSecondaryIndexes = [
      { ...first, IndexStatus: "CREATING" as const, Backfilling: true },
      { ...second, IndexStatus: "DELETING" as const },
    ];
    const actual = { ...building, description: { ...building.description, GlobalSecondaryIndexes } };
    expect(differences({}, actual)).toEqual([
      expect.stringMatching(/by-tag is being filled with the items of the table; it cannot be queried/),
      "breaking: the global index by-writer is being deleted",
    ]);
  });

  it("distinguishes disabled expiry, expiry by a wrong attribute and unwanted expiry", () => {
    const off = { ...made(spec), timeToLive: { TimeToLiveStatus: "DISABLED" as const } };
    const going = { TimeToLiveStatus: "DISABLING" as const, AttributeName: 'expires "at"' };
    const coming = { TimeToLiveStatus: "ENABLING" as const, AttributeName: 'expires "at"' };
    expect(differences({}, off)).toEqual([expect.stringMatching(/^breaking: updatable: expiry is off/)]);
    expect(differences({}, { ...off, timeToLive: going })).toHaveLength(1);
    expect(differences({}, { ...off, timeToLive: coming })).toEqual([]);
    expect(differences({ ttlAttribute: "gone" })).toEqual([
      expect.stringMatching(/^breaking: items expire by/),
    ]);
    const { ttlAttribute: _, ...lasting } = spec;
    expect(compareTable(lasting, made(spec))).toMatchObject([{ aspect: "expiry", severity: "note" }]);
  });

  it("reports a stream that holds more as a note, and one that holds less or is off as breaking", () => {
    expect(differences({ stream: "KEYS_ONLY" })).toEqual([expect.stringMatching(/^note: /)]);
    const newOnly = made({ ...spec, stream: "NEW_IMAGE" });
    expect(differences({}, newOnly)).toEqual([
      expect.stringMatching(/^breaking: the change stream holds NEW_IMAGE/),
    ]);
    const { stream: _, ...quiet } = spec;
    expect(differences({}, made(quiet))).toEqual([expect.stringMatching(/^breaking: updatable: .* is off/)]);
    expect(compareTable(quiet, made(spec))).toMatchObject([{ aspect: "stream", severity: "note" }]);
  });

  it("only notes billing, protection, class and tags", () => {
    const { globalIndexes: _, ...plain } = spec;
    const wanted: TableSpec = {
      ...plain,
      billing: "on-demand",
      deletionProtection: true,
      tableClass: "STANDARD",
      tags: { team: "other", more: "x" },
    };
    const found = compareTable(wanted, made(plain));
    expect(found.map(({ aspect, severity }) => `${severity} ${aspect}`)).toEqual([
      "note billing",
      "note deletion-protection",
      "note table-class",
      "note tag",
      "note tag",
    ]);
    expect(differences({ billing: { readUnits: 5, writeUnits: 7 } })).toEqual([
      "note: the table is provisioned with 5 read and 6 write units; it should be provisioned with 5 read and 7 write units",
    ]);
  });
});

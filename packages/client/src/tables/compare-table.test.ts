import type { TableDescription } from "@tablekeep/core";
import { describe, expect, it } from "vitest";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { type ActualTable, compareTable } from "./compare-table.ts";
import { createTableInput } from "./create-table-input.ts";
import type { TableDifference } from "./table-difference.ts";
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

/** The differences between a table made for `spec` and one whose specification was changed, without their wording. */
function differences(wanted: Partial<TableSpec>, actual: ActualTable = made(spec)): object[] {
  return fieldsOf(compareTable({ ...spec, ...wanted }, actual));
}

function fieldsOf(found: readonly TableDifference[]): object[] {
  return found.map(({ message, updatable, ...fields }) => {
    expect(message).not.toBe("");
    return updatable ? { ...fields, updatable } : fields;
  });
}

const breaking = { severity: "breaking" };
const note = { severity: "note" };

describe("compareTable", () => {
  it("finds nothing in a table made for its specification", () => {
    expect(compareTable(spec, made(spec))).toEqual([]);
    expect(compareTable(bareTable("bare"), made(bareTable("bare")))).toEqual([]);
  });

  it("names keys that are other, of another type, missing or unwanted", () => {
    const key = { ...breaking, aspect: "key" };
    const sortKey = { ...key, part: "sort-key" };
    expect(differences({ localIndexes: [], partitionKey: { name: "pid", type: "S" } })[0]).toEqual({
      ...key,
      problem: "different",
      part: "partition-key",
      expected: "pid (S)",
      actual: "par (S)",
    });
    expect(differences({ sortKey: { name: "num", type: "S" } })).toEqual([
      { ...sortKey, problem: "different", expected: "num (S)", actual: "num (N)" },
    ]);
    const { sortKey: _, localIndexes: __, ...unsorted } = spec;
    expect(fieldsOf(compareTable(unsorted, made(spec)))[0]).toEqual({
      ...sortKey,
      problem: "unspecified",
      actual: "num (N)",
    });
    const sorted = { ...unsorted, sortKey: { name: "num", type: "N" } } as const;
    expect(fieldsOf(compareTable(sorted, made(unsorted)))[0]).toEqual({
      ...sortKey,
      problem: "missing",
      expected: "num (N)",
    });
  });

  it("distinguishes a missing global index, which can be added, from a missing local one, which cannot", () => {
    const bare = made({ ...spec, globalIndexes: [], localIndexes: [] });
    const missing = { ...breaking, problem: "missing" };
    expect(differences({}, bare)).toEqual([
      { ...missing, aspect: "local-index", name: "by-time" },
      { ...missing, aspect: "global-index", name: "by-tag", updatable: true },
      { ...missing, aspect: "global-index", name: "by-writer", updatable: true },
    ]);
  });

  it("notes indexes that are not in the specification", () => {
    const unspecified = { ...note, problem: "unspecified" };
    expect(differences({ globalIndexes: [], localIndexes: [] })).toEqual([
      { ...unspecified, aspect: "local-index", name: "by-time" },
      { ...unspecified, aspect: "global-index", name: "by-tag" },
      { ...unspecified, aspect: "global-index", name: "by-writer" },
    ]);
  });

  it("finds an index with other keys", () => {
    const byTag = { name: "by-tag", partitionKey: { name: "label", type: "S" } } as const;
    const ofIndex = { ...breaking, aspect: "global-index", name: "by-tag" };
    expect(differences({ globalIndexes: [byTag] }).slice(0, 2)).toEqual([
      { ...ofIndex, problem: "different", part: "partition-key", expected: "label (S)", actual: "tag (S)" },
      { ...ofIndex, problem: "unspecified", part: "sort-key", actual: "ts (N)" },
    ]);
  });

  it("reports a projection that holds more as a note, and one that lacks something as breaking", () => {
    const sortKey = { name: "ts", type: "N" } as const;
    const local = (projection: "ALL" | "KEYS_ONLY" | string[]) => ({
      localIndexes: [{ name: "by-time", sortKey, projection }],
    });
    const actual = "keys and pid, it's";
    const projected = { aspect: "local-index", name: "by-time", part: "projection", actual };
    const lacks = { ...breaking, ...projected, problem: "missing" };
    const has = { ...note, ...projected, problem: "unspecified" };
    expect(differences(local("ALL"))).toEqual([{ ...lacks, expected: "all attributes" }]);
    expect(differences(local(["pid", "extra"]))).toEqual([{ ...lacks, expected: "keys and pid, extra" }]);
    expect(differences(local(["pid"]))).toEqual([{ ...has, expected: "keys and pid" }]);
    expect(differences(local("KEYS_ONLY"))).toEqual([{ ...has, expected: "keys only" }]);
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
      { ...breaking, aspect: "global-index", name: "by-tag", problem: "building", updatable: true },
      { ...breaking, aspect: "global-index", name: "by-writer", problem: "deleting" },
    ]);
  });

  it("distinguishes disabled expiry, expiry by a wrong attribute and unwanted expiry", () => {
    const off = { ...made(spec), timeToLive: { TimeToLiveStatus: "DISABLED" as const } };
    const going = { TimeToLiveStatus: "DISABLING" as const, AttributeName: 'expires "at"' };
    const coming = { TimeToLiveStatus: "ENABLING" as const, AttributeName: 'expires "at"' };
    const expected = 'expires "at"';
    const missing = { ...breaking, aspect: "expiry", problem: "missing", expected, updatable: true };
    expect(differences({}, off)).toEqual([missing]);
    expect(differences({}, { ...off, timeToLive: going })).toEqual([missing]);
    expect(differences({}, { ...off, timeToLive: coming })).toEqual([]);
    expect(differences({ ttlAttribute: "gone" })).toEqual([
      { ...breaking, aspect: "expiry", problem: "different", expected: "gone", actual: expected },
    ]);
    const { ttlAttribute: _, ...lasting } = spec;
    expect(fieldsOf(compareTable(lasting, made(spec)))).toEqual([
      { ...note, aspect: "expiry", problem: "unspecified", actual: expected },
    ]);
  });

  it("reports a stream that holds more as a note, and one that holds less or is off as breaking", () => {
    const both = "NEW_AND_OLD_IMAGES";
    const different = { aspect: "stream", problem: "different" };
    expect(differences({ stream: "KEYS_ONLY" })).toEqual([
      { ...note, ...different, expected: "KEYS_ONLY", actual: both },
    ]);
    const newOnly = made({ ...spec, stream: "NEW_IMAGE" });
    expect(differences({}, newOnly)).toEqual([
      { ...breaking, ...different, expected: both, actual: "NEW_IMAGE" },
    ]);
    const { stream: _, ...quiet } = spec;
    expect(differences({}, made(quiet))).toEqual([
      { ...breaking, aspect: "stream", problem: "missing", expected: both, updatable: true },
    ]);
    expect(fieldsOf(compareTable(quiet, made(spec)))).toEqual([
      { ...note, aspect: "stream", problem: "unspecified", actual: both },
    ]);
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
    const different = { ...note, problem: "different" };
    const provisioned = "provisioned with 5 read and 6 write units";
    expect(fieldsOf(compareTable(wanted, made(plain)))).toEqual([
      { ...different, aspect: "billing", expected: "billed on demand", actual: provisioned },
      { ...different, aspect: "deletion-protection", expected: "on", actual: "off", updatable: true },
      { ...different, aspect: "table-class", expected: "STANDARD", actual: "STANDARD_INFREQUENT_ACCESS" },
      {
        ...different,
        aspect: "tag",
        name: "team",
        expected: "other",
        actual: "o'brien & co",
        updatable: true,
      },
      { ...note, aspect: "tag", problem: "missing", name: "more", expected: "x", updatable: true },
    ]);
    const expected = "provisioned with 5 read and 7 write units";
    expect(differences({ billing: { readUnits: 5, writeUnits: 7 } })).toEqual([
      { ...different, aspect: "billing", expected, actual: provisioned },
    ]);
  });
});

import type { StreamViewType, TableDescription, Tag, TimeToLiveDescription } from "@tablekeep/core";
import { compareIndexes } from "./compare-indexes.ts";
import { breaking, compareKeys, note, type TableDifference, updatable } from "./table-difference.ts";
import type { TableSpec } from "./table-spec.ts";

/** A table as DynamoDB describes it. */
export interface ActualTable {
  readonly description: TableDescription;
  readonly timeToLive: TimeToLiveDescription | undefined;
  /** Undefined where they were not read. */
  readonly tags: readonly Tag[] | undefined;
}

/** Every difference between a table and its specification, the keys first. Empty: the table is as specified. */
export function compareTable(spec: TableSpec, actual: ActualTable): TableDifference[] {
  const { description } = actual;
  const keys = { HASH: spec.partitionKey, RANGE: spec.sortKey };
  return [
    ...compareKeys(
      { aspect: "key", words: "the table" },
      keys,
      description.KeySchema,
      description.AttributeDefinitions,
    ),
    ...compareIndexes(spec, description),
    ...compareTimeToLive(spec, actual.timeToLive),
    ...compareStream(spec, description),
    ...compareBilling(spec, description),
    ...compareProtection(spec, description),
    ...compareTags(spec, actual.tags),
  ];
}

/** The attribute by which a table expires items; undefined if expiry is disabled or being disabled. */
export function expiryAttribute(timeToLive: TimeToLiveDescription | undefined): string | undefined {
  const status = timeToLive?.TimeToLiveStatus;
  return status === "ENABLED" || status === "ENABLING" ? timeToLive?.AttributeName : undefined;
}

function compareTimeToLive(
  spec: TableSpec,
  timeToLive: TimeToLiveDescription | undefined,
): TableDifference[] {
  const actual = expiryAttribute(timeToLive);
  const expected = spec.ttlAttribute;
  if (actual === expected) return [];
  const aspect = "expiry";
  if (expected === undefined) {
    const message = `the table expires items by their attribute ${actual}, which is not in the specification`;
    return [note({ aspect, problem: "unspecified", ...(actual === undefined ? {} : { actual }) }, message)];
  }
  if (actual === undefined) {
    const message = `expiry is off; items should expire by their attribute ${expected}`;
    return [updatable(breaking({ aspect, problem: "missing", expected }, message))];
  }
  const advice = "switch it off, and on again for the right attribute an hour later";
  const message = `items expire by their attribute ${actual}; it should be ${expected}: ${advice}`;
  return [breaking({ aspect, problem: "different", expected, actual }, message)];
}

/** Which views hold at least what another one holds. */
const covers: Record<StreamViewType, readonly StreamViewType[]> = {
  KEYS_ONLY: ["KEYS_ONLY"],
  NEW_IMAGE: ["KEYS_ONLY", "NEW_IMAGE"],
  OLD_IMAGE: ["KEYS_ONLY", "OLD_IMAGE"],
  NEW_AND_OLD_IMAGES: ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"],
};

function compareStream(spec: TableSpec, description: TableDescription): TableDifference[] {
  const { StreamEnabled = false, StreamViewType } = description.StreamSpecification ?? {};
  const actual = StreamEnabled ? StreamViewType : undefined;
  const expected = spec.stream;
  if (actual === expected) return [];
  const aspect = "stream";
  if (expected === undefined) {
    const message = `the table has a change stream of ${actual}, which is not in the specification`;
    return [note({ aspect, problem: "unspecified", ...(actual === undefined ? {} : { actual }) }, message)];
  }
  if (actual === undefined) {
    const message = `the change stream is off; it should hold ${expected}`;
    return [updatable(breaking({ aspect, problem: "missing", expected }, message))];
  }
  const what = { aspect, problem: "different", expected, actual } as const;
  const message = `the change stream holds ${actual}; it should hold ${expected}`;
  if (covers[actual].includes(expected)) return [note(what, message)];
  return [breaking(what, `${message}: switch it off and on again, which starts a new stream`)];
}

function compareBilling(spec: TableSpec, description: TableDescription): TableDifference[] {
  const onDemand = description.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const wanted = spec.billing ?? "on-demand";
  const { ReadCapacityUnits: read, WriteCapacityUnits: write } = description.ProvisionedThroughput ?? {};
  const provisioned = (reads?: number, writes?: number) =>
    `provisioned with ${reads} read and ${writes} write units`;
  const actual = onDemand ? "billed on demand" : provisioned(read, write);
  const expected =
    wanted === "on-demand" ? "billed on demand" : provisioned(wanted.readUnits, wanted.writeUnits);
  if (actual === expected) return [];
  const what = { aspect: "billing", problem: "different", expected, actual } as const;
  return [note(what, `the table is ${actual}; it should be ${expected}`)];
}

function compareProtection(spec: TableSpec, description: TableDescription): TableDifference[] {
  const notes: TableDifference[] = [];
  const guarded = description.DeletionProtectionEnabled ?? false;
  if (guarded !== (spec.deletionProtection ?? false)) {
    const [actual, expected] = guarded ? ["on", "off"] : ["off", "on"];
    const what = { aspect: "deletion-protection", problem: "different", expected, actual } as const;
    const difference = note(what, `deletion protection is ${actual}, not ${expected} as specified`);
    notes.push(guarded ? difference : updatable(difference));
  }
  const actual = description.TableClassSummary?.TableClass ?? "STANDARD";
  const expected = spec.tableClass ?? "STANDARD";
  if (actual !== expected) {
    const what = { aspect: "table-class", problem: "different", expected, actual } as const;
    notes.push(note(what, `the table class is ${actual}, not ${expected} as specified`));
  }
  return notes;
}

function compareTags(spec: TableSpec, tags: readonly Tag[] | undefined): TableDifference[] {
  if (tags === undefined) return [];
  const actual = new Map(tags.map(({ Key, Value }) => [Key, Value]));
  return Object.entries(spec.tags ?? {})
    .filter(([key, value]) => actual.get(key) !== value)
    .map(([name, expected]) => {
      const value = actual.get(name);
      const what = { aspect: "tag", name, expected } as const;
      return updatable(
        value === undefined
          ? note({ ...what, problem: "missing" }, `the tag ${name} is missing; it should be ${expected}`)
          : note(
              { ...what, problem: "different", actual: value },
              `the tag ${name} is ${value}; it should be ${expected}`,
            ),
      );
    });
}

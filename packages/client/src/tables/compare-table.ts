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
    ...compareKeys("key", "the table", keys, description.KeySchema, description.AttributeDefinitions),
    ...compareIndexes(spec, description),
    ...compareTimeToLive(spec, actual.timeToLive),
    ...compareStream(spec, description),
    ...compareBilling(spec, description),
    ...compareProtection(spec, description),
    ...compareTags(spec, actual.tags),
  ];
}

/** The attribute by which a table expires items; undefined where it does not, or is about to stop. */
export function expiryAttribute(timeToLive: TimeToLiveDescription | undefined): string | undefined {
  const status = timeToLive?.TimeToLiveStatus;
  return status === "ENABLED" || status === "ENABLING" ? timeToLive?.AttributeName : undefined;
}

function compareTimeToLive(
  spec: TableSpec,
  timeToLive: TimeToLiveDescription | undefined,
): TableDifference[] {
  const actual = expiryAttribute(timeToLive);
  if (actual === spec.ttlAttribute) return [];
  if (spec.ttlAttribute === undefined)
    return [
      note(
        "expiry",
        `the table expires items by their attribute ${actual}, which is not in the specification`,
      ),
    ];
  if (actual === undefined) {
    return [
      updatable(
        breaking("expiry", `expiry is off; items should expire by their attribute ${spec.ttlAttribute}`),
      ),
    ];
  }
  const advice = "switch it off, and on again for the right attribute an hour later";
  return [
    breaking(
      "expiry",
      `items expire by their attribute ${actual}; it should be ${spec.ttlAttribute}: ${advice}`,
    ),
  ];
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
  if (actual === spec.stream) return [];
  if (spec.stream === undefined)
    return [note("stream", `the table has a change stream of ${actual}, which is not in the specification`)];
  if (actual === undefined)
    return [updatable(breaking("stream", `the change stream is off; it should hold ${spec.stream}`))];
  const message = `the change stream holds ${actual}; it should hold ${spec.stream}`;
  if (covers[actual].includes(spec.stream)) return [note("stream", message)];
  return [breaking("stream", `${message}: switch it off and on again, which starts a new stream`)];
}

function compareBilling(spec: TableSpec, description: TableDescription): TableDifference[] {
  const onDemand = description.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const wanted = spec.billing ?? "on-demand";
  const { ReadCapacityUnits: read, WriteCapacityUnits: write } = description.ProvisionedThroughput ?? {};
  const actual = onDemand ? "billed on demand" : `provisioned with ${read} read and ${write} write units`;
  if (wanted === "on-demand") {
    return onDemand ? [] : [note("billing", `the table is ${actual}; it should be billed on demand`)];
  }
  if (!onDemand && read === wanted.readUnits && write === wanted.writeUnits) return [];
  const wish = `${wanted.readUnits} read and ${wanted.writeUnits} write units`;
  return [note("billing", `the table is ${actual}; it should be provisioned with ${wish}`)];
}

function compareProtection(spec: TableSpec, description: TableDescription): TableDifference[] {
  const notes: TableDifference[] = [];
  const guarded = description.DeletionProtectionEnabled ?? false;
  if (guarded !== (spec.deletionProtection ?? false)) {
    const message = `deletion protection is ${guarded ? "on" : "off"}, not ${guarded ? "off" : "on"} as specified`;
    notes.push(
      guarded ? note("deletion-protection", message) : updatable(note("deletion-protection", message)),
    );
  }
  const tableClass = description.TableClassSummary?.TableClass ?? "STANDARD";
  const wanted = spec.tableClass ?? "STANDARD";
  if (tableClass !== wanted)
    notes.push(note("table-class", `the table class is ${tableClass}, not ${wanted} as specified`));
  return notes;
}

function compareTags(spec: TableSpec, tags: readonly Tag[] | undefined): TableDifference[] {
  if (tags === undefined) return [];
  const actual = new Map(tags.map(({ Key, Value }) => [Key, Value]));
  return Object.entries(spec.tags ?? {})
    .filter(([key, value]) => actual.get(key) !== value)
    .map(([key]) => updatable(note("tag", `the tag ${key} is ${actual.has(key) ? "different" : "missing"}`)));
}

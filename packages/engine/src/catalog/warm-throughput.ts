import type { BillingMode, ProvisionedThroughput, WarmThroughput } from "@tablekeep/core";
import { engineMessage, invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { billingModeOf, type StoredTableDescription } from "./table-model.ts";

/** AWS: Warm throughput — what an on-demand table or index can serve from the beginning. */
const onDemandUnits = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 };

const capacityNames = {
  ReadUnitsPerSecond: "ReadCapacityUnits",
  WriteUnitsPerSecond: "WriteCapacityUnits",
} as const;
const unitNames = ["ReadUnitsPerSecond", "WriteUnitsPerSecond"] as const;

/** What warm throughput belongs to, as DynamoDB's messages name it. */
type WarmOwner = "table" | `index ${string}`;

/** A table or a global index, as far as its throughput matters. */
interface Warmed {
  readonly WarmThroughput?: WarmThroughput & { Status?: unknown };
  readonly ProvisionedThroughput?: Partial<ProvisionedThroughput>;
}

/**
 * Returns a description with the warm throughput of the table and its global indexes. AWS: Warm throughput — it is at
 * least what is provisioned, or the initial throughput of on-demand mode, and never decreases.
 */
export function withWarmThroughput(description: StoredTableDescription): StoredTableDescription {
  const mode = billingModeOf(description);
  return {
    ...description,
    WarmThroughput: { ...warmUnits(mode, description), Status: "ACTIVE" },
    GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((index) => ({
      ...index,
      WarmThroughput: { ...warmUnits(mode, index), Status: "ACTIVE" },
    })),
  };
}

function warmUnits(mode: BillingMode, { WarmThroughput: known, ProvisionedThroughput: units }: Warmed) {
  const of = (name: (typeof unitNames)[number]) =>
    Math.max(
      known?.[name] ?? 0,
      mode === "PROVISIONED" ? (units?.[capacityNames[name]] ?? 0) : onDemandUnits[name],
    );
  return { ReadUnitsPerSecond: of("ReadUnitsPerSecond"), WriteUnitsPerSecond: of("WriteUnitsPerSecond") };
}

/** Checks the warm throughput that is requested for a new table or index. */
export function checkNewWarmThroughput(mode: BillingMode, requested: Warmed, owner: WarmOwner): void {
  for (const name of unitNames) {
    const units = requested.WarmThroughput?.[name];
    if (units === undefined || units >= warmUnits(mode, { ...requested, WarmThroughput: {} })[name]) continue;
    const than =
      mode === "PROVISIONED"
        ? `${capacityNames[name]} of ProvisionedThroughput`
        : "initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/" +
          "on-demand-capacity-mode.html#on-demand-capacity-mode-initial";
    throw invalidParameter(`Requested ${name} for WarmThroughput for ${owner} is lower than ${than}`);
  }
}

/** Returns the warm throughput after a change. A member that is absent stays as it is. */
export function changeWarmThroughput(
  current: WarmThroughput | undefined,
  requested: WarmThroughput,
  owner: WarmOwner,
): WarmThroughput {
  if (unitNames.every((name) => requested[name] === undefined)) throw noUnits(owner);
  const changed: WarmThroughput = {};
  for (const name of unitNames) {
    const [before = 0, units = before] = [current?.[name], requested[name]];
    if (units < before) {
      throw invalidParameter(
        `Requested ${name} for WarmThroughput for ${owner} is lower than current WarmThroughput, ` +
          "decreasing WarmThroughput is not supported",
      );
    }
    changed[name] = units;
  }
  return changed;
}

/** DynamoDB's error for an index. For a table it answers with an internal error. */
function noUnits(owner: WarmOwner): Error {
  const words =
    "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified";
  return owner === "table"
    ? invalid(engineMessage(words))
    : invalidParameter(`${words} for ${owner.replace(" ", ": ")}`);
}

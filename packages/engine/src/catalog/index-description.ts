import type { BillingMode, GlobalSecondaryIndex, ProvisionedThroughput } from "@tablekeep/core";
import type { StoredTableDescription } from "./table-model.ts";

/** A global index as it is stored. */
export type StoredGlobalIndex = NonNullable<StoredTableDescription["GlobalSecondaryIndexes"]>[number];

/** A global index that is new. */
export function newGlobalIndex(tableArn: string, index: GlobalSecondaryIndex): StoredGlobalIndex {
  return {
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
    IndexStatus: "ACTIVE",
    ProvisionedThroughput: newThroughput(index.ProvisionedThroughput),
    OnDemandThroughput: index.OnDemandThroughput,
    IndexArn: `${tableArn}/index/${index.IndexName}`,
  };
}

/** Throughput as a description has it; none is zero. */
export function newThroughput(
  given: ProvisionedThroughput | undefined,
): NonNullable<StoredTableDescription["ProvisionedThroughput"]> {
  return {
    NumberOfDecreasesToday: 0,
    ReadCapacityUnits: given?.ReadCapacityUnits ?? 0,
    WriteCapacityUnits: given?.WriteCapacityUnits ?? 0,
  };
}

/** How a table is paid for. One that was never paid per request does not say. */
export function billingModeOf(description: StoredTableDescription): BillingMode {
  return description.BillingModeSummary?.BillingMode ?? "PROVISIONED";
}

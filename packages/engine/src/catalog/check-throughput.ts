import type { BillingMode, OnDemandThroughput, ProvisionedThroughput } from "@tablekeep/core";
import { invalid, invalidParameter } from "../item/refuse.ts";

const maxUnits = 1_000_000_000_000;

/** DynamoDB's bounds of provisioned throughput. */
export function checkUnits(throughput: ProvisionedThroughput | undefined): void {
  for (const name of ["ReadCapacityUnits", "WriteCapacityUnits"] as const) {
    const units = throughput?.[name] ?? 0;
    if (units > maxUnits) throw invalid(`Given value ${units} for ${name} is out of bounds`);
  }
}

/** The bounds of a table or index that is paid per request, which only such a one has; -1 takes one away. */
export function checkOnDemand(
  mode: BillingMode,
  throughput: OnDemandThroughput | undefined,
  owner: "table" | `index : ${string}`,
): void {
  for (const name of ["MaxReadRequestUnits", "MaxWriteRequestUnits"] as const) {
    const units = throughput?.[name];
    if (units === undefined) continue;
    if (mode === "PROVISIONED") {
      throw invalidParameter(
        `${name} for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
      );
    }
    if (units < 1 && units !== -1) {
      throw invalidParameter(
        `Requested ${name} for OnDemandThroughput for ${owner} is outside of valid range`,
      );
    }
  }
}

import type { UpdateGlobalSecondaryIndexAction } from "@tablekeep/core";
import { checkOnDemand, checkUnits } from "../../catalog/check-throughput.ts";
import { billingModeOf, newThroughput, type StoredGlobalIndex } from "../../catalog/index-description.ts";
import type { StoredTableDescription } from "../../catalog/table-model.ts";
import { invalid, invalidParameter, refusal } from "../../item/refuse.ts";
import { changedThroughput } from "./update-throughput.ts";

/** A table one of whose global indexes has another throughput. */
export function withIndexThroughput(
  description: StoredTableDescription,
  update: UpdateGlobalSecondaryIndexAction,
  now: number,
): StoredTableDescription {
  const { IndexName, ProvisionedThroughput: given, OnDemandThroughput: bounds } = update;
  if (description.LocalSecondaryIndexes?.some((index) => index.IndexName === IndexName)) {
    throw invalid(`Cannot update an index that is not a GlobalSecondaryIndex: ${IndexName}`);
  }
  const indexes = description.GlobalSecondaryIndexes ?? [];
  if (!indexes.some((index) => index.IndexName === IndexName)) {
    throw refusal("ResourceNotFoundException", "Requested resource not found");
  }
  const mode = billingModeOf(description);
  checkUnits(given);
  checkOnDemand(mode, bounds, `index : ${IndexName}`);
  if (mode === "PAY_PER_REQUEST" && given !== undefined) {
    throw invalidParameter(
      `The only Updates for index: ${IndexName} when TableThroughputMode is PAY_PER_REQUEST can be to ` +
        "OnDemandThroughput, WarmThroughput",
    );
  }
  if (mode === "PROVISIONED" && given === undefined) {
    throw invalidParameter(
      `Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${IndexName}`,
    );
  }
  const changed = (index: StoredGlobalIndex): StoredGlobalIndex => ({
    ...index,
    ...(bounds !== undefined && { OnDemandThroughput: bounds }),
    ...(given !== undefined && {
      ProvisionedThroughput: changedThroughput(
        index.ProvisionedThroughput ?? newThroughput(undefined),
        given,
        now,
        `index ${IndexName}`,
      ),
    }),
  });
  return {
    ...description,
    GlobalSecondaryIndexes: indexes.map((index) => (index.IndexName === IndexName ? changed(index) : index)),
  };
}

import type {
  OnDemandThroughput,
  ProvisionedThroughput,
  UpdateGlobalSecondaryIndexAction,
  UpdateTableInput,
} from "@tablekeep/core";
import { newThroughput, type StoredGlobalIndex } from "../catalog/describe-table.ts";
import { billingModeOf, type StoredTableDescription } from "../catalog/table-model.ts";
import { changeWarmThroughput } from "../catalog/warm-throughput.ts";
import { dynamoError, invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { checkOnDemand, checkUnits } from "./check-schema.ts";

type StoredThroughput = NonNullable<StoredTableDescription["ProvisionedThroughput"]>;

/** Returns a table with another billing mode or throughput. Updates of its indexes follow. */
export function withThroughput(
  description: StoredTableDescription,
  input: UpdateTableInput,
  now: number,
): StoredTableDescription {
  const before = billingModeOf(description);
  const mode = input.BillingMode ?? before;
  const { ProvisionedThroughput: given, OnDemandThroughput: bounds } = input;
  checkUnits(given);
  checkOnDemand(mode, bounds, "table", true);
  const bounded = withBounds(description, bounds);
  if (mode === "PAY_PER_REQUEST") {
    if (given !== undefined) {
      throw invalidParameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
      );
    }
    return before === mode ? bounded : withOnDemandBilling(bounded, now);
  }
  if (given === undefined) {
    if (input.BillingMode === undefined) return bounded;
    throw invalidParameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
  }
  if (before === mode) {
    const { ProvisionedThroughput: current = newThroughput(undefined) } = description;
    return { ...bounded, ProvisionedThroughput: changeThroughput(current, given, now, "table") };
  }
  checkEveryIndexProvisioned(description, input);
  return {
    ...bounded,
    OnDemandThroughput: undefined,
    ProvisionedThroughput: newThroughput(given),
    BillingModeSummary: { ...description.BillingModeSummary, BillingMode: mode },
    GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((index) => ({
      ...index,
      OnDemandThroughput: undefined,
    })),
  };
}

/** Returns a table or index with other limits: those that are absent stay, -1 removes one. */
function withBounds<Owner extends { readonly OnDemandThroughput?: OnDemandThroughput }>(
  owner: Owner,
  requested: OnDemandThroughput | undefined,
): Owner {
  if (requested === undefined) return owner;
  const known = Object.entries({ ...owner.OnDemandThroughput, ...requested });
  const left = known.filter(([, units]) => units !== undefined && units !== -1);
  return { ...owner, OnDemandThroughput: left.length === 0 ? undefined : Object.fromEntries(left) };
}

/** Returns throughput after a change, with the times of changes. Throws if nothing changes. */
function changeThroughput(
  current: StoredThroughput,
  given: ProvisionedThroughput,
  now: number,
  owner: "table" | `index ${string}`,
): StoredThroughput {
  const { ReadCapacityUnits: read = 0, WriteCapacityUnits: write = 0 } = given;
  const { ReadCapacityUnits: oldRead = 0, WriteCapacityUnits: oldWrite = 0 } = current;
  if (read === oldRead && write === oldWrite) {
    throw invalid(
      `The provisioned throughput for the ${owner} will not change. The requested value equals the current value. ` +
        `Current ReadCapacityUnits provisioned for the ${owner}: ${oldRead}. Requested ReadCapacityUnits: ${read}. ` +
        `Current WriteCapacityUnits provisioned for the ${owner}: ${oldWrite}. Requested WriteCapacityUnits: ${write}. ` +
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
    );
  }
  const rises = read > oldRead || write > oldWrite;
  const falls = read < oldRead || write < oldWrite;
  return {
    ...current,
    ReadCapacityUnits: read,
    WriteCapacityUnits: write,
    ...(rises && { LastIncreaseDateTime: now }),
    ...(falls && { LastDecreaseDateTime: now, NumberOfDecreasesToday: decreasesToday(current, now) + 1 }),
  };
}

/** The times and the number of changes stay in the description. */
const noUnits = { ReadCapacityUnits: 0, WriteCapacityUnits: 0 };

function withOnDemandBilling(description: StoredTableDescription, now: number): StoredTableDescription {
  return {
    ...description,
    ProvisionedThroughput: { ...description.ProvisionedThroughput, ...noUnits },
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST", LastUpdateToPayPerRequestDateTime: now },
    GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((index) => ({
      ...index,
      ProvisionedThroughput: { ...index.ProvisionedThroughput, ...noUnits },
    })),
  };
}

function checkEveryIndexProvisioned(description: StoredTableDescription, input: UpdateTableInput): void {
  for (const { IndexName } of description.GlobalSecondaryIndexes ?? []) {
    const update = input.GlobalSecondaryIndexUpdates?.find(({ Update }) => Update?.IndexName === IndexName);
    if (update?.Update?.ProvisionedThroughput === undefined) {
      throw invalidParameter(`ProvisionedThroughput must be specified for index: ${IndexName}`);
    }
  }
}

const dayMs = 24 * 60 * 60 * 1000;

function decreasesToday({ LastDecreaseDateTime, NumberOfDecreasesToday = 0 }: StoredThroughput, now: number) {
  const sameDay = Math.floor((LastDecreaseDateTime ?? 0) / dayMs) === Math.floor(now / dayMs);
  return sameDay ? NumberOfDecreasesToday : 0;
}

/** Returns a table with another throughput of one of its global indexes. */
export function withIndexThroughput(
  description: StoredTableDescription,
  update: UpdateGlobalSecondaryIndexAction,
  now: number,
): StoredTableDescription {
  const {
    IndexName,
    ProvisionedThroughput: given,
    OnDemandThroughput: bounds,
    WarmThroughput: warm,
  } = update;
  if (description.LocalSecondaryIndexes?.some((index) => index.IndexName === IndexName)) {
    throw invalid(`Cannot update an index that is not a GlobalSecondaryIndex: ${IndexName}`);
  }
  const indexes = description.GlobalSecondaryIndexes ?? [];
  if (!indexes.some((index) => index.IndexName === IndexName)) {
    throw indexNotFound(description.TableName, IndexName);
  }
  const mode = billingModeOf(description);
  checkUnits(given);
  checkOnDemand(mode, bounds, `index : ${IndexName}`, true);
  const changesNothing = warm === undefined && Object.keys(bounds ?? {}).length === 0;
  if (mode === "PAY_PER_REQUEST" && (given !== undefined || changesNothing)) {
    throw invalidParameter(
      `The only Updates for index: ${IndexName} when TableThroughputMode is PAY_PER_REQUEST can be to ` +
        "OnDemandThroughput, WarmThroughput",
    );
  }
  if (mode === "PROVISIONED" && given === undefined && warm === undefined) {
    throw invalidParameter(
      `Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${IndexName}`,
    );
  }
  const changed = (index: StoredGlobalIndex): StoredGlobalIndex => ({
    ...withBounds(index, bounds),
    ...(warm !== undefined && {
      WarmThroughput: changeWarmThroughput(index.WarmThroughput, warm, `index ${IndexName}`),
    }),
    ...(given !== undefined && {
      ProvisionedThroughput: changeThroughput(
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

/** DynamoDB's error for an index that a table does not have. */
export function indexNotFound(table: string, index: string | undefined): Error {
  return dynamoError(
    "ResourceNotFoundException",
    `Requested resource not found: Index ${index} for table ${table}`,
  );
}

import type { GlobalSecondaryIndexUpdate, UpdateTableInput } from "@tablekeep/core";
import { dynamoError, invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { checkSupported } from "./unsupported.ts";

/** Checks what shapes cannot express about a change to a table. DynamoDB allows one kind of change per request. */
export function checkUpdateTable(input: UpdateTableInput): void {
  checkSupported(input);
  const requested = requestedChanges(input);
  if (requested.size === 0) {
    throw invalid(
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, " +
        "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, " +
        "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
    );
  }
  if (input.GlobalSecondaryIndexUpdates?.length === 0) {
    throw invalidParameter("List of GlobalSecondaryIndexUpdates is empty");
  }
  checkAlone(requested, input);
  checkIndexUpdates(input.GlobalSecondaryIndexUpdates ?? []);
  checkCombination(input);
  checkStream(input);
}

type Change =
  | "throughput"
  | "billing"
  | "stream"
  | "indexes"
  | "encryption"
  | "protection"
  | "onDemand"
  | "warm"
  | "class";

function requestedChanges(input: UpdateTableInput): Set<Change> {
  const members: Record<Change, unknown> = {
    throughput: input.ProvisionedThroughput,
    billing: input.BillingMode,
    stream: input.StreamSpecification,
    indexes: input.GlobalSecondaryIndexUpdates?.[0],
    encryption: input.SSESpecification,
    protection: input.DeletionProtectionEnabled,
    onDemand: input.OnDemandThroughput,
    warm: input.WarmThroughput,
    class: input.TableClass,
  };
  return new Set((Object.keys(members) as Change[]).filter((change) => members[change] !== undefined));
}

/** Changes that exclude all others, in the order in which DynamoDB reports them. */
const alone: readonly (readonly [Change, string])[] = [
  ["encryption", "Server-Side Encryption modification must be the only operation in the request"],
  ["class", "TableClass modification must be the only operation in the request"],
  ["protection", "DeletionProtection modification must be the only operation in the request"],
  ["warm", "WarmThroughput must be the only operation in the request"],
];

function checkAlone(requested: ReadonlySet<Change>, input: UpdateTableInput): void {
  if (
    requested.has("warm") &&
    input.GlobalSecondaryIndexUpdates?.some(({ Create }) => Create !== undefined)
  ) {
    throw invalidParameter("Create global secondary index cannot be specified when updating WarmThroughput");
  }
  for (const [change, words] of alone) {
    if (requested.has(change) && requested.size > 1) throw invalidParameter(words);
  }
  if (
    requested.has("onDemand") &&
    [...requested].some((change) => change !== "onDemand" && change !== "billing")
  ) {
    throw invalidParameter(
      "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
    );
  }
}

function checkIndexUpdates(updates: readonly GlobalSecondaryIndexUpdate[]): void {
  const seen = new Set<string | undefined>();
  for (const { Create, Update, Delete } of updates) {
    const actions = [Update, Create, Delete].filter((action) => action !== undefined);
    if (actions.length === 0) {
      throw invalidParameter(
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, " +
          "GlobalSecondaryIndexUpdate.Delete must not be null",
      );
    }
    if (actions.length > 1) {
      throw invalidParameter(
        "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
      );
    }
    const name = actions[0]?.IndexName;
    if (seen.has(name)) {
      throw invalidParameter(
        `Only one global secondary index update per index is allowed simultaneously. Index: ${name}`,
      );
    }
    seen.add(name);
  }
  if (updates.filter(isOnline).length > 1) throw onlyOneIndex();
}

/** DynamoDB's error for creating or deleting an index while another one is. */
export function onlyOneIndex(): Error {
  return dynamoError(
    "LimitExceededException",
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
  );
}

function isOnline({ Create, Delete }: GlobalSecondaryIndexUpdate): boolean {
  return Create !== undefined || Delete !== undefined;
}

function checkCombination(input: UpdateTableInput): void {
  const throughput = input.ProvisionedThroughput !== undefined || input.BillingMode === "PROVISIONED";
  const stream = input.StreamSpecification !== undefined;
  const online = (input.GlobalSecondaryIndexUpdates ?? []).some(isOnline);
  if (throughput && stream)
    throw invalidParameter("You cannot modify stream status while updating table IOPS");
  if (throughput && online)
    throw invalidParameter("You cannot create or delete index while updating table IOPS");
  if (stream && online)
    throw invalidParameter("You cannot create or delete index while changing stream status");
}

function checkStream({ StreamSpecification: stream }: UpdateTableInput): void {
  if (stream?.StreamEnabled === true && stream.StreamViewType === undefined) {
    throw invalidParameter("If stream is being enabled then UpdateViewType is required");
  }
  if (stream?.StreamEnabled === false && stream.StreamViewType !== undefined) {
    throw invalidParameter("If stream is being disabled, then UpdateViewType must not be specified");
  }
}

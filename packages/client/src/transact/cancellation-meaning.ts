import type { CancellationReason } from "@tablekeep/core";

/** What the reasons of a cancelled transaction come to. In each case nothing of it was applied. */
export type CancellationMeaning = "rejected" | "conflict" | "retry";

const meanings: Readonly<Record<string, CancellationMeaning | "none">> = {
  None: "none",
  ConditionalCheckFailed: "conflict",
  DuplicateItem: "conflict",
  TransactionConflict: "retry",
  ThrottlingError: "retry",
  ProvisionedThroughputExceeded: "retry",
  RequestLimitExceeded: "retry",
  ItemCollectionSizeLimitExceeded: "rejected",
  ValidationError: "rejected",
};

/**
 * The most severe reason decides: rejected, then conflict, then retry. One action that DynamoDB cannot carry out dooms
 * the request whatever the others meet, so a caller told "conflict" would reload for nothing. A failed condition was
 * evaluated on committed data, so it is not worth waiting for a throttled or locked neighbour. A reason that we do not
 * know, and no reason at all, promise nothing from another attempt: rejected.
 */
export function cancellationMeaning(reasons: readonly CancellationReason[]): CancellationMeaning {
  const found = new Set(
    reasons.map(({ Code = "None" }) => (Object.hasOwn(meanings, Code) ? meanings[Code] : "rejected")),
  );
  if (found.has("rejected")) return "rejected";
  if (found.has("conflict")) return "conflict";
  return found.has("retry") ? "retry" : "rejected";
}

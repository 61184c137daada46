import { type CancellationReason, DynamoError, isDynamoError } from "@tablekeep/core";
import { rejectsWholeRequest } from "../values/dynamo-errors.ts";

const none: CancellationReason = { Code: "None" };

/** Collects, for each action, why a transaction cannot be applied. */
export class Cancellation {
  readonly #reasons: CancellationReason[];

  constructor(actions: number) {
    this.#reasons = new Array<CancellationReason>(actions).fill(none);
  }

  /** Runs a part of one action. DynamoDB's errors become the reason of that action, and undefined is returned. */
  attempt<Result>(action: number, run: () => Result): Result | undefined {
    try {
      return run();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      this.#reasons[action] = reason;
      return undefined;
    }
  }

  /** Throws if any action has a reason. */
  throwIfAny(): void {
    if (this.#reasons.every((reason) => reason === none)) return;
    const codes = this.#reasons.map(({ Code }) => Code).join(", ");
    throw new DynamoError({
      exception: "TransactionCanceledException",
      serviceMessage: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
      cancellationReasons: this.#reasons,
    });
  }
}

function reasonOf(error: unknown): CancellationReason | undefined {
  if (rejectsWholeRequest(error)) return undefined;
  if (isDynamoError(error, "ConditionalCheckFailedException")) {
    const { serviceMessage, item } = error.details;
    return { Code: "ConditionalCheckFailed", Message: serviceMessage, ...(item && { Item: item }) };
  }
  if (isDynamoError(error, "TransactionConflictException")) {
    return { Code: "TransactionConflict", Message: error.details.serviceMessage };
  }
  if (isDynamoError(error, "ProvisionedThroughputExceededException")) {
    return { Code: "ProvisionedThroughputExceeded", Message: error.details.serviceMessage };
  }
  if (isDynamoError(error, "ThrottlingException")) {
    return { Code: "ThrottlingError", Message: error.details.serviceMessage };
  }
  if (isDynamoError(error, "DuplicateItemException")) {
    return { Code: "DuplicateItem", Message: error.details.serviceMessage };
  }
  if (isDynamoError(error, "ValidationException")) {
    return { Code: "ValidationError", Message: error.details.serviceMessage };
  }
  return undefined;
}

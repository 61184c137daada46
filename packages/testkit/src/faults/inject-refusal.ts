import { operationTraits, statementsOf } from "@tablekeep/core";
import { cancellation, refusal } from "./fault-errors.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { FaultyRequest, Injection } from "./faulty-request.ts";

type Of<Kind extends FaultAction["kind"]> = Extract<FaultAction, { kind: Kind }>;

/** Refuses for lack of throughput, with the reason that DynamoDB would return. */
export const injectThrottle: Injection<Of<"throttle">> = async (request, _send, fault) => {
  const throttlingReason =
    fault.reason ?? `Table${request.write ? "Write" : "Read"}ProvisionedThroughputExceeded`;
  throw refusal(request, fault.exception ?? "ProvisionedThroughputExceededException", { throttlingReason });
};

/** Refuses with the exception that the schedule names. Whatever its name, nothing was applied. */
export const injectRefusal: Injection<Of<"refuse">> = async (request, _send, fault) => {
  throw refusal(request, fault.exception, { ambiguous: false });
};

/** A server fault, before or after the request was applied: the caller cannot tell which. */
export const injectServerError: Injection<Of<"error-before-apply" | "error-after-apply">> = async (
  request,
  send,
  fault,
) => {
  // A request that DynamoDB refuses is refused: only the answer to one that it carried out turns into an error.
  if (fault.kind === "error-after-apply") await send(request);
  throw refusal(request, "InternalServerError", { ambiguous: request.write });
};

/** Another's transaction is in the way. */
export const injectTransactionConflict: Injection<Of<"transaction-conflict">> = async (
  request,
  _send,
  fault,
) => {
  if (!operationTraits[request.operation].transaction) throw refusal(request, "TransactionConflictException");
  const at = fault.action ?? 0;
  throw cancellation(
    request,
    codesFor(request, (index) => (index === at ? "TransactionConflict" : "None")),
  );
};

/** A cancelled transaction with given reasons. */
export const injectCancellation: Injection<Of<"transaction-canceled">> = async (request, _send, fault) => {
  throw cancellation(
    request,
    codesFor(request, (index) => fault.reasons[index] ?? "None"),
  );
};

function codesFor(request: FaultyRequest, code: (index: number) => string): string[] {
  return Array.from({ length: actionCount(request) }, (_, index) => code(index));
}

/** The number of actions of a transaction, in DynamoDB's own form or as statements. */
function actionCount({ operation, input }: FaultyRequest): number {
  if (operation === "ExecuteTransaction") return statementsOf(operation, input).length;
  return (input as { TransactItems?: readonly unknown[] }).TransactItems?.length ?? 0;
}

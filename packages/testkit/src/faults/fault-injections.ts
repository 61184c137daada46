import { operationTraits } from "@tablekeep/core";
import type { FaultAction, FaultKind } from "./fault-schedule.ts";
import type { FaultyRequest, Injection } from "./faulty-request.ts";
import {
  injectConnectionLoss,
  injectDelay,
  injectDelayedAnswer,
  injectHang,
  injectUnreachable,
} from "./inject-connection-loss.ts";
import { injectPageCut } from "./inject-page-cut.ts";
import {
  injectCancellation,
  injectRefusal,
  injectServerError,
  injectThrottle,
  injectTransactionConflict,
} from "./inject-refusal.ts";
import { injectStaleRead, mayBeStale } from "./inject-stale-read.ts";
import { injectUnprocessed } from "./inject-unprocessed.ts";

/** The effect of each kind of fault. */
const injections: { readonly [Kind in FaultKind]: Injection<Extract<FaultAction, { kind: Kind }>> } = {
  throttle: injectThrottle,
  refuse: injectRefusal,
  "error-before-apply": injectServerError,
  "error-after-apply": injectServerError,
  unreachable: injectUnreachable,
  "lost-before-apply": injectConnectionLoss,
  "lost-after-apply": injectConnectionLoss,
  hang: injectHang,
  "hang-after-apply": injectHang,
  delay: injectDelay,
  "delay-answer": injectDelayedAnswer,
  unprocessed: injectUnprocessed,
  stale: injectStaleRead,
  "page-cut": injectPageCut,
  "transaction-conflict": injectTransactionConflict,
  "transaction-canceled": injectCancellation,
};

/** The effect of a fault on a request. */
export function injectionOf(fault: FaultAction): Injection<FaultAction> {
  // Each entry expects the parameters of its own kind, which `fault.kind` has just selected.
  return injections[fault.kind] as Injection<never> as Injection<FaultAction>;
}

const paged: readonly string[] = ["Query", "Scan", "ExecuteStatement", "ListTables", "GetRecords"];
const batched: readonly string[] = ["BatchGetItem", "BatchWriteItem"];
const itemLevel: readonly string[] = ["PutItem", "UpdateItem", "DeleteItem", "GetItem"];

/** Whether this kind of fault can happen to such a request at all. */
export function canHit(fault: FaultAction, request: FaultyRequest): boolean {
  const { operation } = request;
  const { transaction = false } = operationTraits[operation];
  switch (fault.kind) {
    case "unprocessed":
      return batched.includes(operation);
    case "stale":
      return mayBeStale(request);
    case "page-cut":
      return fault.items > 0 ? paged.includes(operation) : operation === "Query" || operation === "Scan";
    case "transaction-conflict":
      return itemLevel.includes(operation) || transaction;
    case "transaction-canceled":
      return transaction;
    default:
      return true;
  }
}

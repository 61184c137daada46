import type { OperationName } from "@tablekeep/core";

/** One request number, or all from the first to the last, both included. Requests are counted from 1. */
export type RequestRange = number | readonly [from: number, to: number];

/** Which requests a fault hits. Without any of these it hits every request that its kind can hit. */
export interface FaultTarget {
  /** By number, counting every request of the port. */
  readonly at?: RequestRange;
  /** By number, counting only the requests that `op` and `table` allow and that this kind of fault can hit. */
  readonly nth?: RequestRange;
  readonly op?: OperationName;
  /** Only requests that name this table. */
  readonly table?: string;
  /** The probability with which each of these is hit, decided by the schedule's seed. @default 1 */
  readonly p?: number;
  /** Hit no more than this many. @default no limit */
  readonly times?: number;
}

/** The faults of a request. */
export type FaultAction =
  /** Refused before it is applied, for lack of throughput. */
  | {
      readonly kind: "throttle";
      /** @default ProvisionedThroughputExceededException */
      readonly exception?: string;
      /** The `reason` of ThrottlingReasons. @default Table(Read|Write)ProvisionedThroughputExceeded */
      readonly reason?: string;
    }
  /** Refused before it is applied, with any exception of DynamoDB. */
  | { readonly kind: "refuse"; readonly exception: string }
  /** InternalServerError; the write is not there. */
  | { readonly kind: "error-before-apply" }
  /** InternalServerError; the write is there. */
  | { readonly kind: "error-after-apply" }
  /** No connection: nothing was sent, and the error says so. */
  | { readonly kind: "unreachable" }
  /** The connection ends after the request was sent; the write is not there. */
  | { readonly kind: "lost-before-apply" }
  /** The connection ends before the answer; the write is there. */
  | { readonly kind: "lost-after-apply" }
  /** No answer until the deadline or the caller's abort; the write is not there. */
  | { readonly kind: "hang" }
  /** No answer until the deadline or the caller's abort; the write is there. */
  | { readonly kind: "hang-after-apply" }
  /** The request is in flight for `ms` before it is applied, even if the caller gives up meanwhile. */
  | { readonly kind: "delay"; readonly ms: number }
  /** The response is in flight for `ms` after the request was applied. */
  | { readonly kind: "delay-answer"; readonly ms: number }
  /** Some items of a batch come back unprocessed and are not read or written. */
  | {
      readonly kind: "unprocessed";
      /** Positions in the batch, from 0, over all tables in order. */
      readonly items?: readonly number[];
      /** The part of the batch (0 to 1, at least one item), chosen by the seed. @default 1, all of it */
      readonly share?: number;
      /** For how many requests those items stay unprocessed, this one included. @default 1 */
      readonly rounds?: number;
    }
  /** An eventually consistent read is answered as if the last `behind` writes had not arrived yet. */
  | {
      readonly kind: "stale";
      /** @default 1 */
      readonly behind?: number;
    }
  /** A page ends after `items` items; 0 for an empty page that has a LastEvaluatedKey. */
  | { readonly kind: "page-cut"; readonly items: number }
  /** Another's transaction holds the item; in a transaction, that of the action at position `action`. */
  | {
      readonly kind: "transaction-conflict";
      /** @default 0 */
      readonly action?: number;
    }
  /** A transaction is cancelled with these reasons, one per action; missing ones are `None`. */
  | { readonly kind: "transaction-canceled"; readonly reasons: readonly string[] };

/** The name of a kind of fault. */
export type FaultKind = FaultAction["kind"];

/** A fault, and the requests that it applies to. */
export type Fault = FaultTarget & FaultAction;

/**
 * Faults to inject, repeatable: the same schedule over the same requests injects the same faults. Where several faults
 * hit one request, the first in the list is nearest to the caller. Each fault draws on its own, from the seed, its
 * own text and the request's number, so that taking one away does not move the others.
 */
export interface FaultSchedule {
  readonly seed: number;
  readonly faults: readonly Fault[];
}

import {
  type CallOptions,
  type DynamoErrorDetails,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Outcome,
  type TablekeepError,
} from "@tablekeep/core";
import { ClientError, requireOwnError } from "../base/client-error.ts";
import { defaultDeadlineMs } from "../retry/deadline.ts";
import {
  type OperationOptions,
  OperationRetries,
  type OperationRun,
  startOperation,
} from "../retry/operation.ts";
import { backoffMs } from "../retry/retry-policy.ts";

/**
 * Whose write an item shows. `ours`: this write was applied. `theirs`: another write was, this one was not, and no late copy
 * of it can be. `unclear`: neither is certain.
 */
export type Attribution = "ours" | "theirs" | "unclear";

/** The evidence in the item that a write would have changed. */
export interface Evidence {
  readonly attribution: Attribution;
  readonly current?: Item;
}

/** The meaning of DynamoDB's rejection of one attempt. */
export interface Rejection extends Evidence {
  /** `retry`: not applied, and worth another attempt. */
  readonly meaning: "conflict" | "rejected" | "retry";
}

/** A write whose outcome can be found out. */
interface WriteToSettle<Output> {
  readonly table: string;
  readonly send: (call: CallOptions) => Promise<Output>;
  /** Interprets a rejection by its conditions and items; undefined for any other error. */
  readonly readRejection: (error: TablekeepError, inDoubt: boolean) => Rejection | undefined;
  /** Reads the items that the write would have changed, with strong consistency. */
  readonly readBack: (call: CallOptions) => Promise<Evidence>;
  /** Whether it may be sent again after a wait: if unknown, only if applying it twice is impossible or harmless. */
  readonly mayRepeat: (inDoubt: boolean, waitMs: number) => boolean;
}

/** The evidence that a write was applied. */
export interface Applied<Output> {
  /** DynamoDB's response; undefined when it was lost and the write was found by its id. */
  readonly output?: Output;
  readonly current?: Item;
}

/** How often to read back a write whose response was lost: it may still be in flight. */
const maxReads = 4;

/**
 * Sends a write until its outcome is known or the deadline has passed. Doubt begins with the first attempt that may have been
 * applied without a response. A later rejection alone does not end it, because it concerns its own attempt only. A success,
 * the write's own id on an item, or lasting evidence of another write ends it. Otherwise the outcome is `unknown`.
 */
export async function settleWrite<Output>(
  port: DynamoPort,
  write: WriteToSettle<Output>,
  options: OperationOptions,
): Promise<Outcome<Applied<Output>>> {
  const total = startOperation(options);
  const sending = startOperation(options, sendingMs(options.deadlineMs ?? defaultDeadlineMs));
  const retries = new OperationRetries(port, sending);
  let doubt: TablekeepError | undefined;
  let failure: TablekeepError;
  for (;;) {
    try {
      sending.deadline.check();
      const output = await write.send(retries.callOptions());
      retries.succeeded();
      return { kind: "ok", value: { output } };
    } catch (error) {
      failure = requireOwnError(error);
    }
    if (failure.ambiguous) doubt = failure;
    const rejection = write.readRejection(failure, doubt !== undefined);
    if (rejection?.attribution === "ours") return { kind: "ok", value: { current: rejection.current } };
    if (rejection !== undefined && rejection.meaning !== "retry") {
      const { current } = rejection;
      if (doubt !== undefined && rejection.attribution !== "theirs") break;
      if (doubt !== undefined) return lastingConflict(write.table, failure, current);
      return rejection.meaning === "conflict"
        ? { kind: "conflict", error: failure, current }
        : { kind: "rejected", error: failure };
    }
    if (rejection === undefined && !failure.retryable) break;
    const inDoubt = doubt !== undefined;
    if (!(await retries.wait(failure, (waitMs) => write.mayRepeat(inDoubt, waitMs)))) break;
  }
  if (doubt === undefined) return { kind: "rejected", error: failure };
  return readBackWrite(write, total, doubt);
}

/** Sending ends before the deadline: one read must fit after a request without a response. */
function sendingMs(deadlineMs: number): number {
  return deadlineMs - Math.min(1000, deadlineMs / 5);
}

async function readBackWrite<Output>(
  write: WriteToSettle<Output>,
  { deadline, random }: OperationRun,
  doubt: TablekeepError,
): Promise<Outcome<Applied<Output>>> {
  try {
    for (let read = 0; read < maxReads; read++) {
      if (read > 0) await deadline.sleep(backoffMs(read, random));
      deadline.check();
      const { attribution, current } = await write.readBack(deadline.callOptions());
      if (attribution === "ours") return { kind: "ok", value: { current } };
      if (attribution === "theirs") return lastingConflict(write.table, doubt, current);
    }
  } catch (error) {
    // Without a read the write stays unknown.
    requireOwnError(error);
  }
  return { kind: "unknown", error: doubt };
}

/** A conflict that resolves an unknown outcome. `cause` is `ambiguous`; this error is not. */
function lastingConflict(table: string, cause: TablekeepError, current: Item | undefined): Outcome<never> {
  const error = new ClientError(
    "CLIENT_WRITE_CONFLICT",
    `another write already holds this key in ${table}: read it and decide again`,
    { table },
    { cause },
  );
  return { kind: "conflict", error, current };
}

/** Interprets a failed condition by the item that came back with it. */
export function readConditionFailure(
  error: TablekeepError,
  attribute: (current: Item | undefined) => Attribution,
): Rejection | undefined {
  if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
  const current = (error.details as DynamoErrorDetails).item;
  return { meaning: "conflict", attribution: attribute(current), current };
}

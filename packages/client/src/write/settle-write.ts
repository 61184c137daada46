import {
  type CallOptions,
  type DynamoErrorDetails,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Outcome,
  type TablekeepError,
} from "@tablekeep/core";
import { ClientError, ownError } from "../base/client-error.ts";
import { defaultDeadlineMs } from "../retry/deadline.ts";
import {
  type OperationOptions,
  OperationRetries,
  type OperationRun,
  startOperation,
} from "../retry/operation.ts";
import { backoffMs } from "../retry/retry-policy.ts";

/**
 * Whose write an item shows, as far as one write's fate goes: its own; another's, in a way that lasts, so that this one
 * is not stored and no late copy of it can land; or neither for sure.
 */
export type Attribution = "ours" | "theirs" | "unclear";

/** What stands where the write would have put something. */
export interface Evidence {
  readonly attribution: Attribution;
  readonly current?: Item | undefined;
}

/** DynamoDB's refusal of one attempt, understood. */
export interface Refusal extends Evidence {
  /** `retry`: surely not applied, and worth another attempt. */
  readonly meaning: "conflict" | "rejected" | "retry";
}

/** A write whose fate can be found out. */
interface WriteToSettle<Output> {
  readonly table: string;
  readonly send: (call: CallOptions) => Promise<Output>;
  /** What a refusal says about conditions and items; undefined for any other error. */
  readonly readRefusal: (error: TablekeepError, inDoubt: boolean) => Refusal | undefined;
  /** Looks, strongly consistent, at what the write would have changed. */
  readonly look: (call: CallOptions) => Promise<Evidence>;
  /** Whether it may be sent again after a wait: in doubt only if a second landing is impossible or harmless. */
  readonly mayRepeat: (inDoubt: boolean, waitMs: number) => boolean;
}

/** How a write that went through was seen to. */
export interface Applied<Output> {
  /** DynamoDB's answer; undefined when it was lost and the write was found by its id. */
  readonly output?: Output;
  readonly current?: Item | undefined;
}

/** How often to look for a write whose answer was lost: it may be on its way still. */
const looks = 4;

/**
 * Sends a write until its fate is known or the time is up. Doubt begins with the first attempt that may have been applied
 * without an answer, and no later refusal alone ends it: that speaks of its own attempt only. What ends it is an
 * answer of success, the write's own id on an item, or another's write that lasts. Otherwise the outcome is `unknown`.
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
      failure = ownError(error);
    }
    if (failure.ambiguous) doubt = failure;
    const refusal = write.readRefusal(failure, doubt !== undefined);
    if (refusal?.attribution === "ours") return { kind: "ok", value: { current: refusal.current } };
    if (refusal !== undefined && refusal.meaning !== "retry") {
      const { current } = refusal;
      if (doubt !== undefined && refusal.attribution !== "theirs") break;
      if (doubt !== undefined) return lastingConflict(write.table, failure, current);
      return refusal.meaning === "conflict"
        ? { kind: "conflict", error: failure, current }
        : { kind: "rejected", error: failure };
    }
    if (refusal === undefined && !failure.retryable) break;
    const inDoubt = doubt !== undefined;
    if (!(await retries.wait(failure, (waitMs) => write.mayRepeat(inDoubt, waitMs)))) break;
  }
  if (doubt === undefined) return { kind: "rejected", error: failure };
  return lookForWrite(write, total, doubt);
}

/** Sending ends a little before the deadline: one look must fit after a request that never answers. */
function sendingMs(deadlineMs: number): number {
  return deadlineMs - Math.min(1000, deadlineMs / 5);
}

async function lookForWrite<Output>(
  write: WriteToSettle<Output>,
  { deadline, random }: OperationRun,
  doubt: TablekeepError,
): Promise<Outcome<Applied<Output>>> {
  try {
    for (let look = 0; look < looks; look++) {
      if (look > 0) await deadline.sleep(backoffMs(look, random));
      deadline.check();
      const { attribution, current } = await write.look(deadline.callOptions());
      if (attribution === "ours") return { kind: "ok", value: { current } };
      if (attribution === "theirs") return lastingConflict(write.table, doubt, current);
    }
  } catch (error) {
    // Without a look the write is as unknown as before.
    ownError(error);
  }
  return { kind: "unknown", error: doubt };
}

/** A conflict seen after doubt. The error on the way says `ambiguous`, which this no longer is. */
function lastingConflict(table: string, cause: TablekeepError, current: Item | undefined): Outcome<never> {
  const error = new ClientError(
    "CLIENT_WRITE_CONFLICT",
    `the key in ${table} is already taken by another write (read it and decide again)`,
    { table },
    { cause },
  );
  return { kind: "conflict", error, current };
}

/** A failed condition of a single write, judged by the item that came back with it. */
export function readConditionFailure(
  error: TablekeepError,
  judge: (current: Item | undefined) => Attribution,
): Refusal | undefined {
  if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
  const current = (error.details as DynamoErrorDetails).item;
  return { meaning: "conflict", attribution: judge(current), current };
}

import { OperationRetries, startOperation } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  isTablekeepError,
  type Random,
  type TablekeepError,
} from "@tablekeep/core";

/** The meaning of a failed conditional write. */
export type Verdict =
  /** The write exists already, from an earlier copy of the same request. */
  | { readonly kind: "mine" }
  /** Another write holds the key permanently. */
  | { readonly kind: "others"; readonly error: TablekeepError }
  /** A blocking item that may be removed. */
  | { readonly kind: "passing"; readonly error: TablekeepError }
  /** The request can be changed and sent again: a dead row may be taken over. */
  | { readonly kind: "changed" }
  /** Certainly not applied, and not because of another write: locks and throttling. */
  | { readonly kind: "again" }
  /** The caller's own condition failed. */
  | { readonly kind: "refused"; readonly error: TablekeepError };

/** The result of one write of a journal. */
export type Settled =
  | { readonly kind: "ok" }
  | { readonly kind: "rejected" | "conflict" | "unknown"; readonly error: TablekeepError };

export interface Attempt {
  readonly send: (options: CallOptions) => Promise<unknown>;
  /** Reads consistently whether the write is stored. If it is, later reads see all of it. */
  readonly isStored: (options: CallOptions) => Promise<boolean>;
  /** If the write may be partially visible: resolves once it is not. Absent for a write of one item. */
  readonly untilVisible?: (options: CallOptions) => Promise<unknown>;
  /** Reads a failed condition; undefined for any other error. */
  readonly judge: (
    error: TablekeepError,
    inDoubt: boolean,
    options: CallOptions,
  ) => Promise<Verdict | undefined>;
}

interface Settling {
  readonly port: DynamoPort;
  readonly clock: Clock;
  readonly random: Random;
  /** For a call without its own deadline. */
  readonly deadlineMs: number;
}

/**
 * Sends a write until its outcome is known, from an answer or from the stored rows. A `conflict` needs lasting
 * evidence, because an earlier copy of the request may still be applied once the blocking item is gone. When attempts,
 * budget or time are used up, a write whose answer was lost is `unknown`.
 */
export async function settle(
  attempt: Attempt,
  { port, clock, random, deadlineMs }: Settling,
  options: CallOptions,
): Promise<Settled> {
  const { signal } = options;
  const run = startOperation({ clock, random, signal }, options.deadlineMs ?? deadlineMs);
  const retries = new OperationRetries(port, run);
  const call = (): CallOptions => ({
    ...retries.callOptions(),
    deadlineMs: Math.max(1, run.deadline.remainingMs()),
  });
  let doubt = false;
  for (;;) {
    let error: TablekeepError;
    try {
      await attempt.send(call());
      retries.succeeded();
      return { kind: "ok" };
    } catch (thrown) {
      if (!isTablekeepError(thrown)) throw thrown;
      error = thrown;
    }
    doubt ||= error.ambiguous;
    try {
      const verdict = await attempt.judge(error, doubt, call());
      if (verdict?.kind === "mine") {
        doubt = true;
        await attempt.untilVisible?.(call());
        return { kind: "ok" };
      }
      if (verdict?.kind === "others") return { kind: "conflict", error: verdict.error };
      if (verdict?.kind === "refused") return { kind: doubt ? "unknown" : "rejected", error: verdict.error };
      // Another request, not a retry: only the time limits how often.
      if (verdict?.kind === "changed" && run.deadline.remainingMs() > 0) continue;
      if (verdict === undefined && doubt && (await attempt.isStored(call()))) return { kind: "ok" };
      // Without an earlier copy of unknown outcome, none of our writes can still be applied, whatever happens to the
      // existing item.
      if (verdict?.kind === "passing" && !doubt) return { kind: "conflict", error: verdict.error };
      if (verdict === undefined && !error.retryable && !error.ambiguous) {
        return { kind: doubt ? "unknown" : "rejected", error };
      }
    } catch (thrown) {
      // A read that failed proves nothing.
      if (!isTablekeepError(thrown)) throw thrown;
      if (thrown.kind === "closed" || thrown.kind === "denied")
        return { kind: doubt ? "unknown" : "rejected", error };
      retries.failed(thrown);
    }
    if (!(await retries.wait(error))) return { kind: doubt ? "unknown" : "rejected", error };
  }
}

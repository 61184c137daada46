import { backoffMs, cancellationMeaning, newWriteId } from "@tablekeep/client";
import {
  type CancellationReason,
  type DynamoErrorDetails,
  isDynamoError,
  isTablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import { isAmbiguous } from "../store/projection-store.ts";
import { type SliceHold, SliceLost } from "./slice-hold.ts";

/** Thrown for a transaction that cannot be applied as it is: a condition of the handler failed, or DynamoDB rejects an action. */
export class GroupRejected extends Error {
  /** Whether a condition failed. */
  readonly isCondition: boolean;

  constructor(cause: unknown, isCondition: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.isCondition = isCondition;
  }
}

/** A transaction, and how what is stored shows that it was applied. */
export interface FencedWrite {
  /** The action on the slice comes first. */
  readonly actions: readonly TransactWriteItem[];
  /** Whether it was applied, after an answer was lost. Throws `SliceLost` if the slice is another's. */
  readonly isApplied: () => Promise<boolean>;
}

const maxAttempts = 12;

/**
 * Writes a transaction whose first action is on the slice. A lost answer is settled by reading. If it was not applied it is sent again: it may still be
 * under way, and then one of the two is rejected by the fence. Throws `SliceLost` if the fence rejects it, and `GroupRejected` if
 * something else does.
 */
export async function commit(hold: SliceHold, { actions, isApplied }: FencedWrite): Promise<void> {
  const { port, random } = hold.store.context;
  let token = newToken();
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      const TransactItems = [...actions];
      await port.transactWriteItems({ TransactItems, ClientRequestToken: token }, hold.store.call());
      return;
    } catch (error) {
      if (isAmbiguous(error)) {
        if (await isApplied()) return;
      } else {
        const reasons = reasonsOf(error);
        if (reasons?.[0]?.Code === "ConditionalCheckFailed") {
          // Its own success, if an earlier answer was lost and the token has expired.
          if (await isApplied()) return;
          throw new SliceLost("the fence rejects the group");
        }
        if (!mayRepeat(error, reasons))
          throw new GroupRejected(
            error,
            reasons?.some(({ Code }) => Code === "ConditionalCheckFailed") === true,
          );
        token = newToken();
      }
      await hold.pause(backoffMs(attempt, random));
    }
  }
  // It may be under way: the next claim fences it.
  throw new SliceLost("the group could not be written");
}

function newToken(): string {
  return newWriteId().slice(0, 36);
}

function reasonsOf(error: unknown): readonly CancellationReason[] | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  return (error.details as DynamoErrorDetails).cancellationReasons ?? [];
}

function mayRepeat(error: unknown, reasons: readonly CancellationReason[] | undefined): boolean {
  if (reasons !== undefined) return cancellationMeaning(reasons) === "retry";
  return (
    isTablekeepError(error) && (error.retryable || error.kind === "unavailable" || error.kind === "throttled")
  );
}

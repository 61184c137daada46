import { cancellationMeaning, newWriteId } from "@tablekeep/client";
import {
  type CancellationReason,
  type DynamoErrorDetails,
  isAmbiguous,
  isDynamoError,
  isTablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import { mayPass, type SliceHold, SliceLost } from "./slice-hold.ts";

/** Thrown for a transaction that cannot be applied as it is: a condition of the handler failed, or DynamoDB rejects an action. */
export class GroupRejected extends Error {
  /** Whether a condition failed. */
  readonly isCondition: boolean;
  /** DynamoDB's message about the rejected action, or about the transaction. */
  readonly reason: string;
  /** The table of that action, if it is known. */
  readonly table: string | undefined;

  constructor(cause: unknown, actions: readonly TransactWriteItem[]) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    const reasons = reasonsOf(cause) ?? [];
    this.isCondition = reasons.some(({ Code }) => Code === "ConditionalCheckFailed");
    const at = reasons.findIndex(({ Code = "None" }) => Code !== "None");
    const { Code, Message = "" } = reasons[at] ?? {};
    this.reason = Code === undefined ? this.message : `${Code}: ${Message}`;
    const { Put, Update, Delete, ConditionCheck } = actions[at] ?? {};
    this.table = (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName;
  }
}

/** A transaction, and how to find out whether it was applied. */
export interface FencedWrite {
  /** The action on the slice comes first. */
  readonly actions: readonly TransactWriteItem[];
  /** Reads whether it was applied, after a response was lost. Throws `SliceLost` if another runner has the slice. */
  readonly isApplied: () => Promise<boolean>;
}

/**
 * Writes a transaction whose first action is on the slice. A lost response is settled by reading. If the transaction was not applied it is sent again: the first copy may still be
 * in flight, and then the fence rejects one of the two. Throws `SliceLost` if the fence rejects it, and `GroupRejected` if
 * something else does. When attempts, budget or time are used up, throws `SliceLost` if it may still be applied, and the last error otherwise.
 */
export async function commit(hold: SliceHold, { actions, isApplied }: FencedWrite): Promise<void> {
  const { port } = hold.store.context;
  const retries = hold.retries();
  let token = newWriteId();
  let isInDoubt = false;
  for (;;) {
    try {
      const TransactItems = [...actions];
      await port.transactWriteItems({ TransactItems, ClientRequestToken: token }, retries.callOptions());
      retries.succeeded();
      return;
    } catch (error) {
      if (isAmbiguous(error)) {
        if (await isApplied()) return;
        isInDoubt = true;
      } else {
        const reasons = reasonsOf(error);
        if (reasons?.[0]?.Code === "ConditionalCheckFailed") {
          // Its own success, if an earlier response was lost and the token has expired.
          if (await isApplied()) return;
          throw new SliceLost("the fence rejects the group");
        }
        if (!mayRepeat(error, reasons)) throw new GroupRejected(error, actions);
        token = newWriteId();
      }
      if (isTablekeepError(error) && (await retries.wait(error))) continue;
      // It may be in flight: the next claim fences it.
      if (isInDoubt || hold.ending.aborted)
        throw new SliceLost("the group could not be written", { cause: error });
      throw error;
    }
  }
}

function reasonsOf(error: unknown): readonly CancellationReason[] | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  return (error.details as DynamoErrorDetails).cancellationReasons ?? [];
}

function mayRepeat(error: unknown, reasons: readonly CancellationReason[] | undefined): boolean {
  return reasons === undefined ? mayPass(error) : cancellationMeaning(reasons) === "retry";
}

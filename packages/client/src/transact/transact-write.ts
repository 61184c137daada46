import { randomUUID } from "node:crypto";
import {
  type DynamoPort,
  isDynamoError,
  isTablekeepError,
  type Outcome,
  silentLogger,
  systemClock,
  type TransactWriteItem,
  type TransactWriteItemsOutput,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { safeLogger } from "../base/safe-logger.ts";
import { tokenLifeMs } from "../retry/with-retries.ts";
import { settleWrite } from "../write/settle-write.ts";
import { newWriteId } from "../write/write-id.ts";
import { transactEvidence } from "./transact-evidence.ts";
import {
  type TransactWriteOptions,
  type TransactWriteResult,
  transactWriteOptionChecks,
} from "./transact-write-options.ts";
import { checkTransactLimits, markedActions, transactWriteParams } from "./transact-write-params.ts";

/**
 * Writes up to 100 items, all or none, and finds out whether they are written. Every attempt has the same token, so that
 * DynamoDB applies the transaction once; it is not sent again once the token is 10 minutes old, because DynamoDB would treat
 * it as a new transaction. Put a condition on every action anyway. Locked or throttled items are retried until the deadline.
 * A transaction that is too large is `rejected` before it is sent.
 *
 * @example
 * const outcome = await transactWrite(port, [
 *   { Put: { TableName: "carts", Item, ConditionExpression: "attribute_not_exists(id)" } },
 *   { Delete: { TableName: "drafts", Key } },
 * ]);
 */
export async function transactWrite(
  port: DynamoPort,
  actions: readonly TransactWriteItem[],
  options: TransactWriteOptions = {},
): Promise<Outcome<TransactWriteResult>> {
  checkOptions(options, transactWriteOptionChecks);
  const token = options.token ?? randomUUID();
  const marked = options.writeId && markedActions(actions, options.writeId.on);
  const mark = options.writeId && {
    attribute: options.writeId.attribute,
    id: options.writeId.id ?? newWriteId(),
  };
  const params = transactWriteParams(actions, token, mark, marked);
  const sent = params.TransactItems ?? [];
  try {
    checkTransactLimits(sent);
  } catch (error) {
    if (isTablekeepError(error)) return { kind: "rejected", error };
    throw error;
  }
  const evidence = transactEvidence(port, sent, options, mark, marked ?? []);
  const tokenLeftMs = tokenTimer(options);
  const outcome = await settleWrite<TransactWriteItemsOutput>(
    port,
    {
      table: evidence.table,
      send: (call) => {
        const deadlineMs = Math.min(call.deadlineMs ?? tokenLifeMs, tokenLeftMs());
        return port.transactWriteItems(params, { ...call, deadlineMs });
      },
      readRejection: (error, inDoubt) => {
        if (isDynamoError(error, "IdempotentParameterMismatchException"))
          safeLogger(options.logger ?? silentLogger).error(
            "transaction token was reused for another transaction",
            { token },
          );
        return evidence.readRejection(error, inDoubt);
      },
      readBack: evidence.readBack,
      mayRepeat: (_, waitMs) => waitMs < tokenLeftMs(),
    },
    options,
  );
  if (outcome.kind !== "ok") return outcome;
  return { kind: "ok", value: { token, writeId: mark?.id, output: outcome.value.output } };
}

/** Returns how long the token may still be sent, counted from its first use. */
function tokenTimer({ clock = systemClock }: TransactWriteOptions): () => number {
  let bornAt: number | undefined;
  return () => {
    bornAt ??= clock.monotonic();
    return Math.max(0, bornAt + tokenLifeMs - clock.monotonic());
  };
}

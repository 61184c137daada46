import {
  type CallOptions,
  type CancellationReason,
  type DynamoErrorDetails,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Key,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import { keyOf } from "../base/key-names.ts";
import { batchGet } from "../batch/batch-get.ts";
import type { Attribution, Evidence, Rejection } from "../write/settle-write.ts";
import { carriesMark, type WriteMark } from "../write/write-id.ts";
import type { TransactWriteOptions } from "./transact-write-options.ts";

/** The conclusion from the reasons of a cancelled transaction. In each case nothing of it was applied. */
export type CancellationMeaning = "rejected" | "conflict" | "retry";

const meanings: Readonly<Record<string, CancellationMeaning | "none">> = {
  None: "none",
  ConditionalCheckFailed: "conflict",
  DuplicateItem: "conflict",
  TransactionConflict: "retry",
  ThrottlingError: "retry",
  ProvisionedThroughputExceeded: "retry",
  RequestLimitExceeded: "retry",
  ItemCollectionSizeLimitExceeded: "rejected",
  ValidationError: "rejected",
};

/**
 * Returns the meaning of the most severe reason: rejected, then conflict, then retry. One action that DynamoDB cannot carry
 * out fails the request whatever the reasons of the others, so a caller that got "conflict" would reload for nothing. A failed
 * condition was evaluated on committed data, so a retry for a throttled or locked neighbor is pointless. Unknown reasons,
 * and no reason at all, mean rejected.
 *
 * @example
 * cancellationMeaning([{ Code: "None" }, { Code: "TransactionConflict" }]); // "retry"
 */
export function cancellationMeaning(reasons: readonly CancellationReason[]): CancellationMeaning {
  const found = new Set(
    reasons.map(({ Code = "None" }) => (Object.hasOwn(meanings, Code) ? meanings[Code] : "rejected")),
  );
  if (found.has("rejected")) return "rejected";
  if (found.has("conflict")) return "conflict";
  return found.has("retry") ? "retry" : "rejected";
}

/** Evidence about a transaction after it was sent. */
interface TransactEvidence {
  /** The table to name when another write holds the key. */
  readonly table: string;
  readonly readRejection: (error: TablekeepError, inDoubt: boolean) => Rejection | undefined;
  readonly readBack: (call: CallOptions) => Promise<Evidence>;
}

/** Where to read the item of an action that carries the write id. */
interface MarkedRow {
  readonly action: number;
  readonly table: string;
  readonly key: Key;
}

/** Judges a transaction by the items it would have changed. All or none: one item with its write id shows that all are applied. */
export function transactEvidence(
  port: DynamoPort,
  actions: readonly TransactWriteItem[],
  options: TransactWriteOptions,
  mark: WriteMark | undefined,
  marked: readonly number[],
): TransactEvidence {
  const rows = marked.flatMap((action) => rowOf(actions, action, options));
  const attribute = (current: Item | undefined, action: number, inDoubt: boolean): Attribution => {
    const carries = mark !== undefined && marked.includes(action);
    if (carries && carriesMark(current, mark)) return "ours";
    const told = inDoubt ? options.attribution?.(current, action) : undefined;
    if (told !== undefined) return told;
    const lasts = carries && options.writeId?.insertOnly === true && isInsert(actions[action]);
    return lasts && current !== undefined ? "theirs" : "unclear";
  };
  return {
    table: rows[0]?.table ?? tableOf(actions[0]),
    readRejection(error, inDoubt) {
      if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
      const reasons = (error.details as DynamoErrorDetails).cancellationReasons ?? [];
      const failed = reasons.flatMap(({ Code, Item }, action) =>
        Code === "ConditionalCheckFailed"
          ? [{ current: Item, attribution: attribute(Item, action, inDoubt) }]
          : [],
      );
      return { meaning: cancellationMeaning(reasons), ...strongest(failed) };
    },
    async readBack(call) {
      if (rows.length === 0) return { attribution: "unclear" };
      const { signal, deadlineMs, onRetry } = call;
      const reading = {
        consistent: true,
        signal,
        deadlineMs,
        onRetry,
        clock: options.clock,
        random: options.random,
      };
      const items = await batchGet(port, rows, reading);
      return strongest(
        rows.map(({ action }, n) => ({ current: items[n], attribution: attribute(items[n], action, true) })),
      );
    },
  };
}

/** Returns the evidence of our own write, else that of another write, else the first item that exists. */
function strongest(seen: readonly Evidence[]): Evidence {
  const of = (wanted: Attribution) => seen.find(({ attribution }) => attribution === wanted);
  const present = seen.find((each) => each.current !== undefined);
  return of("ours") ?? of("theirs") ?? { attribution: "unclear", current: present?.current };
}

function rowOf(
  actions: readonly TransactWriteItem[],
  action: number,
  options: TransactWriteOptions,
): MarkedRow[] {
  const { Put, Update } = actions[action] ?? {};
  const table = Put?.TableName ?? Update?.TableName;
  if (table === undefined) return [];
  const names = options.writeId?.keyNames[table];
  const key = Update?.Key ?? (names && keyOf(Put?.Item ?? {}, names));
  return key === undefined ? [] : [{ action, table, key }];
}

function tableOf(action: TransactWriteItem | undefined): string {
  const { Put, Update, Delete, ConditionCheck } = action ?? {};
  return (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? "";
}

/** A put whose only condition is `attribute_not_exists`. */
function isInsert(action: TransactWriteItem | undefined): boolean {
  return /^\s*attribute_not_exists\s*\([^()]*\)\s*$/i.test(action?.Put?.ConditionExpression ?? "");
}

import { itemSize, type TransactWriteItem, type TransactWriteItemsInput } from "@tablekeep/core";
import { checkItemSize } from "../base/check-item-size.ts";
import { ClientError } from "../base/client-error.ts";
import { markItem, markUpdate, type WriteMark } from "../write/write-id.ts";

/** AWS: a transaction has up to 100 actions, on items of 4 MB together. */
export const maxTransactActions = 100;
export const maxTransactBytes: number = 4 * 1024 * 1024;

/**
 * Throws `CLIENT_LIMIT_EXCEEDED` for a transaction that DynamoDB would reject as too large. Transactions are never split.
 *
 * @example
 * checkTransactLimits([{ Put: { TableName: "t", Item: { pk: { S: "a" } } } }]); // within the limits: does nothing
 */
export function checkTransactLimits(actions: readonly TransactWriteItem[]): void {
  if (actions.length > maxTransactActions) {
    throw new ClientError(
      "CLIENT_LIMIT_EXCEEDED",
      `transaction has ${actions.length} actions, but DynamoDB accepts at most ${maxTransactActions}: write fewer items per transaction`,
      { limit: "transaction actions", actual: actions.length, maximum: maxTransactActions },
    );
  }
  for (const { Put } of actions) if (Put?.Item !== undefined) checkItemSize(Put.Item);
  const actual = actions.reduce((bytes, action) => bytes + minSize(action), 0);
  if (actual <= maxTransactBytes) return;
  throw new ClientError(
    "CLIENT_LIMIT_EXCEEDED",
    `transaction has ${actual} bytes, but DynamoDB accepts at most ${maxTransactBytes}: write less per transaction`,
    { limit: "transaction bytes", actual, maximum: maxTransactBytes },
  );
}

/** The minimum size of an action. An update counts more, by rules that DynamoDB does not document. */
function minSize({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): number {
  return itemSize(Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {});
}

/** Returns the actions that carry the write id: those requested, or every put. */
export function markedActions(
  actions: readonly TransactWriteItem[],
  asked: readonly number[] | undefined,
): readonly number[] {
  return asked ?? actions.flatMap((action, index) => (action.Put === undefined ? [] : [index]));
}

/** Returns the request: with the mark on the actions that carry it, and returning the item of every condition that fails. */
export function transactWriteParams(
  actions: readonly TransactWriteItem[],
  token: string,
  mark?: WriteMark,
  marked: readonly number[] = [],
): TransactWriteItemsInput {
  const TransactItems = actions.map((action, index) =>
    returningItem(mark !== undefined && marked.includes(index) ? markAction(action, mark) : action),
  );
  return { TransactItems, ClientRequestToken: token };
}

function markAction(action: TransactWriteItem, mark: WriteMark): TransactWriteItem {
  const { Put, Update } = action;
  return {
    ...action,
    ...(Put && { Put: { ...Put, Item: markItem(Put.Item ?? {}, mark) } }),
    ...(Update && { Update: markUpdate(Update, mark) }),
  };
}

/** Keeps every member: DynamoDB must see, and reject, an action that has two. */
function returningItem(action: TransactWriteItem): TransactWriteItem {
  const { Put, Update, Delete, ConditionCheck } = action;
  const ReturnValuesOnConditionCheckFailure = "ALL_OLD";
  return {
    ...action,
    ...(Put?.ConditionExpression && { Put: { ...Put, ReturnValuesOnConditionCheckFailure } }),
    ...(Update?.ConditionExpression && { Update: { ...Update, ReturnValuesOnConditionCheckFailure } }),
    ...(Delete?.ConditionExpression && { Delete: { ...Delete, ReturnValuesOnConditionCheckFailure } }),
    ...(ConditionCheck && { ConditionCheck: { ...ConditionCheck, ReturnValuesOnConditionCheckFailure } }),
  };
}

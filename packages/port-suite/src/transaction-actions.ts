import type { AttributeValue, CancellationReason, Item, TransactWriteItem } from "@tablekeep/core";
import { n } from "./attribute-values.ts";
import type { Step } from "./case-table.ts";

/** The kinds of actions. */
export type ActionName = "Put" | "Update" | "Delete" | "ConditionCheck";

/** Puts an item into the shared table `simple`. */
export const put = (Item: Item): TransactWriteItem => ({ Put: { TableName: "$simple", Item } });

/** Deletes an item of `simple`. */
export const remove = (pk: AttributeValue): TransactWriteItem => ({
  Delete: { TableName: "$simple", Key: { pk } },
});

/** Adds 1 to the attribute `n` of an item of `simple`. */
export const increment = (pk: AttributeValue): TransactWriteItem => ({
  Update: {
    TableName: "$simple",
    Key: { pk },
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": n(1) },
  },
});

/** Checks that an item of `simple` is there. */
export const exists = (pk: AttributeValue): TransactWriteItem =>
  action("ConditionCheck", pk, "attribute_exists(pk)");

/** An action of each kind on `pk` of the shared table `simple`, under a condition. */
export function action(
  kind: ActionName,
  pk: AttributeValue,
  ConditionExpression: string,
  returns?: "ALL_OLD",
): TransactWriteItem {
  const shared = {
    TableName: "$simple",
    ConditionExpression,
    ReturnValuesOnConditionCheckFailure: returns,
  };
  if (kind === "Put") return { Put: { ...shared, Item: { pk } } };
  if (kind === "Update") return { Update: { ...shared, Key: { pk }, UpdateExpression: "REMOVE x" } };
  return kind === "Delete"
    ? { Delete: { ...shared, Key: { pk } } }
    : { ConditionCheck: { ...shared, Key: { pk } } };
}

/** A transaction that is cancelled with these reasons, one for each action. */
export function cancelled(TransactItems: TransactWriteItem[], reasons: CancellationReason[]): Step {
  const codes = reasons.map((reason) => reason.Code).join(", ");
  return {
    transactWriteItems: { TransactItems },
    rejected: `TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    shows: { cancellationReasons: reasons },
  };
}

import type { AttributeValue, CancellationReason, TransactWriteItem } from "@tablekeep/core";
import { refuses, same } from "./expectations.ts";
import type { PortWorld } from "./port-case.ts";

/** The reasons why the transaction was cancelled. */
export async function reasons(
  world: PortWorld,
  TransactItems: TransactWriteItem[],
): Promise<readonly CancellationReason[]> {
  const call = world.port.transactWriteItems({ TransactItems });
  const { details } = await refuses(call, "TransactionCanceledException");
  const given = details.cancellationReasons ?? [];
  const codes = given.map((reason) => reason.Code).join(", ");
  const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  same(details.serviceMessage.startsWith(text), true, details.serviceMessage);
  return given;
}

/** The kinds of actions. */
export type ActionName = "Put" | "Update" | "Delete" | "ConditionCheck";

/** An action of each kind on `pk` of the shared table `simple`, under a condition. */
export function action(
  kind: ActionName,
  TableName: string,
  pk: AttributeValue,
  ConditionExpression: string,
  give?: "ALL_OLD",
): TransactWriteItem {
  const shared = { TableName, ConditionExpression, ReturnValuesOnConditionCheckFailure: give };
  if (kind === "Put") return { Put: { ...shared, Item: { pk } } };
  if (kind === "Update") return { Update: { ...shared, Key: { pk }, UpdateExpression: "REMOVE x" } };
  return kind === "Delete"
    ? { Delete: { ...shared, Key: { pk } } }
    : { ConditionCheck: { ...shared, Key: { pk } } };
}

import type { TransactWriteItem } from "@tablekeep/core";
import type { Answer } from "../../answer/answer.ts";
import { Consumption } from "../../capacity/consumption.ts";
import { checkKey } from "../../catalog/check-keys.ts";
import { itemKey } from "../../catalog/storage-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { requestExpressions } from "../../expression/request-expressions.ts";
import { invalid } from "../../item/refuse.ts";
import { Cancellation } from "../../transaction/cancellation.ts";
import { isRepeated } from "../../transaction/request-token.ts";
import { applyChange, latestItem } from "../../write/apply-change.ts";
import { checkCondition, type ItemWrite } from "../../write/item-write.ts";
import type { WriteTransaction } from "../../write/write-queue.ts";
import { reports } from "../batch-write-item/batch-write-item.ts";
import { deleteWrite } from "../delete-item/delete-item.ts";
import type { Operation } from "../operation.ts";
import { putWrite } from "../put-item/put-item.ts";
import { updateWrite } from "../update-item/update-item.ts";

export const transactWriteItems: Operation<"TransactWriteItems"> = (database, input) => {
  const actions = (input.TransactItems ?? []).map(actionOf);
  // What is wrong in an expression, or with a table's name, is wrong with the whole request.
  for (const { parameters } of actions) requestExpressions(parameters);
  for (const { parameters } of actions) database.catalog.get(parameters.TableName ?? "");
  const cancellation = new Cancellation(actions.length);
  const writes = actions.map((action, at) => cancellation.attempt(at, () => understand(database, action)));
  checkDistinct(writes);
  return database.writes.submit((transaction) => {
    const { ClientRequestToken: token } = input;
    const repeated = token !== undefined && isRepeated(database, transaction, token, input.TransactItems);
    const used = repeated
      ? new Map<TableModel, Consumption>()
      : writeAll(database, transaction, writes, cancellation);
    return {
      ConsumedCapacity: reports([...used.values()], input.ReturnConsumedCapacity, "write"),
    } satisfies Answer;
  });
};

/** All conditions and results come before the first change: a transaction is done whole or not at all. */
export function writeAll(
  database: Database,
  transaction: WriteTransaction,
  writes: readonly (ItemWrite | undefined)[],
  cancellation: Cancellation,
): Map<TableModel, Consumption> {
  const changes = writes.map((write, at) =>
    cancellation.attempt(at, () => {
      if (write === undefined) return undefined;
      const before = latestItem(transaction, write.table, write.key);
      checkCondition(write, before);
      return { write, before, after: write.next(before) };
    }),
  );
  cancellation.throwIfAny();
  const used = new Map<TableModel, Consumption>();
  for (const change of changes) {
    if (change === undefined) continue;
    const { table } = change.write;
    const consumption = used.get(table) ?? new Consumption(table, 2);
    used.set(table, consumption);
    applyChange(database, transaction, table, change, consumption);
  }
  return used;
}

type Action = {
  [Kind in keyof TransactWriteItem]-?: { kind: Kind; parameters: NonNullable<TransactWriteItem[Kind]> };
}[keyof TransactWriteItem];

const kinds = ["ConditionCheck", "Put", "Delete", "Update"] as const;

function actionOf(item: TransactWriteItem): Action {
  const given = kinds.filter((kind) => item[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    throw invalid("TransactItems can only contain one of Check, Put, Update or Delete");
  }
  return { kind, parameters: item[kind] } as Action;
}

function understand(database: Database, action: Action): ItemWrite {
  switch (action.kind) {
    case "Put":
      return putWrite(database, action.parameters);
    case "Delete":
      return deleteWrite(database, action.parameters);
    case "Update":
      return updateWrite(database, action.parameters).write;
    case "ConditionCheck": {
      const { parameters } = action;
      const table = database.catalog.get(parameters.TableName ?? "");
      return {
        table,
        key: checkKey(table, parameters.Key),
        condition: requestExpressions(parameters).condition,
        returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
        next: (before) => before,
      };
    }
  }
}

function checkDistinct(writes: readonly (ItemWrite | undefined)[]): void {
  const known = writes.filter((write) => write !== undefined);
  if (new Set(known.map(({ table, key }) => itemKey(table, key))).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
}

import { readUnits, type TransactWriteItem } from "@tablekeep/core";
import {
  checkIndexKeysNotEmpty,
  checkKey,
  checkKeySchema,
  checkKeysNotEmpty,
} from "../catalog/check-keys.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { type RequestExpressions, requestExpressions } from "../expression/request-expressions.ts";
import { checkReadPaths } from "../read/check-read.ts";
import { itemAnswer, readItem } from "../read/read-item.ts";
import { type CheckedItem, checkItem, checkItemOfAction } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { Cancellation } from "../write/cancellation.ts";
import { checkedDelete, checkedPut, type ItemWrite } from "../write/item-write.ts";
import { checkReadBytes, transactWrites } from "../write/transaction.ts";
import { checkedUpdate } from "../write/update-write.ts";

/** Reads all items at once, with no write in between. */
export const transactGetItems: Operation<"TransactGetItems"> = (database, input) => {
  const gets = (input.TransactItems ?? []).map(({ Get }) => {
    if (Get === undefined) throw invalid("TransactItems can only contain Get");
    return { Get, projection: requestExpressions(Get, "transactionRead").projection };
  });
  for (const { Get, projection } of gets) {
    const table = database.catalog.get(Get.TableName ?? "");
    checkKeysNotEmpty(table, checkItem(Get.Key).item);
    checkReadPaths({ table }, { projection });
  }
  const cancellation = new Cancellation(gets.length);
  const reads = gets.map(({ Get, projection }, at) =>
    cancellation.attempt(at, () => {
      const table = database.catalog.get(Get.TableName ?? "");
      const key = checkKey(table, Get.Key);
      const at = itemKey(table, key);
      database.service.checkUnlocked(at);
      return { table, projection, at, stored: readItem(database, table, key, "transactional") };
    }),
  );
  const known = reads.filter((read) => read !== undefined);
  if (new Set(known.map(({ at }) => at)).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
  cancellation.throwIfAny();
  checkReadBytes(known.reduce((sum, { stored }) => sum + (stored?.size ?? 0), 0));
  const used = new Map<TableModel, Consumption>();
  const responses = reads.flatMap((read) => {
    if (read === undefined) return [];
    const { table, projection, stored } = read;
    const consumption = used.get(table) ?? new Consumption(table, "read");
    used.set(table, consumption);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
    return [{ Item: stored && itemAnswer(stored, projection) }];
  });
  return {
    Responses: responses,
    ConsumedCapacity: finishAll([...used.values()], input.ReturnConsumedCapacity, true),
  };
};

export const transactWriteItems: Operation<"TransactWriteItems"> = (database, input) => {
  // An invalid expression, value or table name rejects the whole request. DynamoDB checks one action after the other, and
  // looks up tables afterwards.
  const actions = (input.TransactItems ?? []).map(actionOf).map(checkAction);
  for (const { parameters, checked } of actions) {
    const table = database.catalog.get(parameters.TableName ?? "");
    checkKeysNotEmpty(table, checked.item);
    checkIndexKeysNotEmpty(table, checked.item);
  }
  const cancellation = new Cancellation(actions.length);
  const writes = actions.map((action, at) => cancellation.attempt(at, () => planAction(database, action)));
  return transactWrites(database, writes, cancellation, input, input.TransactItems);
};

/** An action with its expressions, and its item or key. */
type CheckedAction = Action & { readonly expressions: RequestExpressions; readonly checked: CheckedItem };

function checkAction(action: Action): CheckedAction {
  const { kind, parameters } = action;
  const expressions = requestExpressions(
    parameters,
    kind === "Update" ? "transactionUpdate" : "transactionWrite",
  );
  return { ...action, expressions, checked: checkItemOfAction(itemOf(action)) };
}

function itemOf({ parameters }: Action): unknown {
  return "Item" in parameters ? parameters.Item : parameters.Key;
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

function planAction(
  database: Database,
  { kind, parameters, expressions, checked }: CheckedAction,
): ItemWrite {
  switch (kind) {
    case "Put":
      return checkedPut(database, parameters, checked, expressions.condition);
    case "Delete":
      return checkedDelete(database, parameters, checked.item, expressions.condition);
    case "Update":
      return checkedUpdate(database, parameters, checked.item, expressions, "transaction").write;
    case "ConditionCheck": {
      const table = database.catalog.get(parameters.TableName ?? "");
      return {
        table,
        key: checkKeySchema(table, checked.item),
        condition: expressions.condition,
        returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
        next: (before) => before,
      };
    }
  }
}

import { readUnits, type TransactWriteItem } from "@tablekeep/core";
import { checkIndexKeysNotEmpty, checkKey, checkKeysNotEmpty } from "../catalog/check-keys.ts";
import { Consumption, capacityReports } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { requestExpressions } from "../expression/request-expressions.ts";
import { itemAnswer, readItem } from "../read/read-item.ts";
import { checkItem, checkItemOfAction } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { Cancellation } from "../write/cancellation.ts";
import { deleteWrite, type ItemWrite, putWrite } from "../write/item-write.ts";
import { checkReadBytes, transactWrites } from "../write/transaction.ts";
import { updateWrite } from "../write/update-write.ts";

/** Reads all items at once, with no write in between. */
export const transactGetItems: Operation<"TransactGetItems"> = (database, input) => {
  const gets = (input.TransactItems ?? []).map(({ Get }) => {
    if (Get === undefined) throw invalid("TransactItems can only contain Get");
    return { Get, projection: requestExpressions(Get, "transactionRead").projection };
  });
  for (const { Get } of gets) {
    checkKeysNotEmpty(database.catalog.get(Get.TableName ?? ""), checkItem(Get.Key).item);
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
    const consumption = used.get(table) ?? new Consumption(table);
    used.set(table, consumption);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
    return [{ Item: stored && itemAnswer(stored, projection) }];
  });
  return {
    Responses: responses,
    ConsumedCapacity: capacityReports([...used.values()], input.ReturnConsumedCapacity, "read"),
  };
};

export const transactWriteItems: Operation<"TransactWriteItems"> = (database, input) => {
  const actions = (input.TransactItems ?? []).map(actionOf);
  // An invalid expression, value or table name rejects the whole request. DynamoDB checks one action after the other, and
  // looks up tables afterwards.
  for (const action of actions) {
    const { kind, parameters } = action;
    requestExpressions(parameters, kind === "Update" ? "transactionUpdate" : "transactionWrite");
    checkItemOfAction(itemOf(action));
  }
  for (const action of actions) {
    const table = database.catalog.get(action.parameters.TableName ?? "");
    const { item } = checkItem(itemOf(action));
    checkKeysNotEmpty(table, item);
    checkIndexKeysNotEmpty(table, item);
  }
  const cancellation = new Cancellation(actions.length);
  const writes = actions.map((action, at) => cancellation.attempt(at, () => planAction(database, action)));
  return transactWrites(database, writes, cancellation, input, input.TransactItems);
};

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

function planAction(database: Database, action: Action): ItemWrite {
  switch (action.kind) {
    case "Put":
      return putWrite(database, action.parameters);
    case "Delete":
      return deleteWrite(database, action.parameters);
    case "Update":
      return updateWrite(database, action.parameters, "transaction").write;
    case "ConditionCheck": {
      const { parameters } = action;
      const table = database.catalog.get(parameters.TableName ?? "");
      return {
        table,
        key: checkKey(table, parameters.Key),
        condition: requestExpressions(parameters, "transactionWrite").condition,
        returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
        next: (before) => before,
      };
    }
  }
}

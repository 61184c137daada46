import type { TransactWriteItem, TransactWriteItemsInput } from "@tablekeep/core";
import type { Answer } from "../../answer/answer.ts";
import { Consumption } from "../../capacity/consumption.ts";
import { readUnits } from "../../capacity/units.ts";
import { checkIndexKeysNotEmpty, checkKey, checkKeysNotEmpty } from "../../catalog/check-keys.ts";
import { itemKey } from "../../catalog/storage-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { requestExpressions } from "../../expression/request-expressions.ts";
import { checkItem } from "../../item/check-item.ts";
import { itemSize } from "../../item/item-size.ts";
import { invalid } from "../../item/refuse.ts";
import { valuesFirst } from "../../item/values-first.ts";
import { Cancellation } from "../../transaction/cancellation.ts";
import { isRepeated } from "../../transaction/request-token.ts";
import { checkWrittenBytes } from "../../transaction/transaction-bytes.ts";
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
  valuesFirst(
    () => actions.map(itemOf),
    () => {
      for (const { kind, parameters } of actions)
        requestExpressions(parameters, kind === "Update" ? "transactionUpdate" : "transactionWrite");
    },
  );
  for (const action of actions) {
    const table = database.catalog.get(action.parameters.TableName ?? "");
    const { item } = checkItem(itemOf(action));
    checkKeysNotEmpty(table, item);
    checkIndexKeysNotEmpty(table, item);
  }
  const cancellation = new Cancellation(actions.length);
  const writes = actions.map((action, at) => cancellation.attempt(at, () => understand(database, action)));
  return transactWrites(database, writes, cancellation, input, input.TransactItems);
};

function itemOf({ parameters }: Action): unknown {
  return "Item" in parameters ? parameters.Item : parameters.Key;
}

/** What a write transaction is asked for beside its writes. */
interface TransactionParameters {
  readonly ClientRequestToken?: string | undefined;
  readonly ReturnConsumedCapacity?: TransactWriteItemsInput["ReturnConsumedCapacity"];
}

/** Does all writes or none. `request` is what a repeated token must come with again. */
export function transactWrites(
  database: Database,
  writes: readonly (ItemWrite | undefined)[],
  cancellation: Cancellation,
  { ClientRequestToken: token, ReturnConsumedCapacity }: TransactionParameters,
  request: unknown,
): Promise<Answer> {
  checkDistinct(writes);
  checkTotalSize(writes);
  return database.writes.submit((transaction) => {
    const repeated = token !== undefined && isRepeated(database, transaction, token, request);
    const used = repeated
      ? readAll(transaction, writes)
      : writeAll(database, transaction, writes, cancellation);
    const capacity = reports([...used.values()], ReturnConsumedCapacity, repeated ? "read" : "write");
    return { ConsumedCapacity: capacity };
  });
}

function checkTotalSize(writes: readonly (ItemWrite | undefined)[]): void {
  const bytes = writes.reduce((total, write) => total + (write === undefined ? 0 : itemSize(write.key)), 0);
  checkWrittenBytes(bytes);
}

/** AWS: Transactions — a repeated request is paid for as a read of its items. */
function readAll(
  transaction: WriteTransaction,
  writes: readonly (ItemWrite | undefined)[],
): Map<TableModel, Consumption> {
  const used = new Map<TableModel, Consumption>();
  for (const write of writes) {
    if (write === undefined) continue;
    const consumption = used.get(write.table) ?? new Consumption(write.table);
    used.set(write.table, consumption);
    const stored = latestItem(transaction, write.table, write.key);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
  }
  return used;
}

/** All conditions and results come before the first change: a transaction is done whole or not at all. */
function writeAll(
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
  for (const [at, change] of changes.entries()) {
    if (change === undefined) continue;
    const { table } = change.write;
    const consumption = used.get(table) ?? new Consumption(table, 2);
    used.set(table, consumption);
    const own = database.behaviour?.forAction(transaction, change.write, at, changes.length) ?? transaction;
    applyChange(database, own, table, change, consumption);
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

function checkDistinct(writes: readonly (ItemWrite | undefined)[]): void {
  const known = writes.filter((write) => write !== undefined);
  if (new Set(known.map(({ table, key }) => itemKey(table, key))).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
}

import {
  DynamoError,
  maxItemBytes,
  type PutItemInput,
  type ReturnValue,
  type ReturnValuesOnConditionCheckFailure,
} from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkKeyPaths } from "../catalog/check-key-paths.ts";
import { checkItemKeys, checkKeySchema } from "../catalog/check-keys.ts";
import { indexKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { indexEntry } from "../change/index-entries.ts";
import type { Database } from "../database/database.ts";
import { evaluate } from "../expression/evaluate.ts";
import { type ExpressionParameters, requestExpressions } from "../expression/request-expressions.ts";
import { type Condition, conditionPaths } from "../expression/syntax-tree.ts";
import { type CheckedItem, checkItem, updateTooLarge } from "../values/check-item.ts";
import { invalid, invalidRequest, withoutPrefix } from "../values/dynamo-errors.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";

/**
 * One write of one item, checked but not yet applied: single requests, the actions of batches and transactions, and
 * PartiQL statements all become one of these.
 */
export interface ItemWrite {
  readonly table: TableModel;
  /** The key of the item; it may include other attributes. */
  readonly key: WireItem;
  readonly condition?: Condition;
  readonly returnOnFailure?: ReturnValuesOnConditionCheckFailure;
  /** Returns the item after the write. Throws DynamoDB's error if it cannot be applied to this item. */
  readonly next: (before: StoredItem | undefined) => StoredItem | undefined;
}

const nothing: WireItem = {};

/** Throws for a condition that no item of the table can have. */
export function checkConditionPaths({ table, condition }: ItemWrite): void {
  if (condition !== undefined) checkKeyPaths(table, conditionPaths(condition));
}

/** Throws if the item does not satisfy the write's condition. */
export function checkCondition(write: ItemWrite, before: StoredItem | undefined): void {
  if (write.condition === undefined || evaluate(write.condition, before?.item ?? nothing)) return;
  const item =
    write.returnOnFailure === "ALL_OLD" && before ? ItemAnswer.ofStored(before).toItem() : undefined;
  throw new DynamoError({
    exception: "ConditionalCheckFailedException",
    serviceMessage: "The conditional request failed",
    ...(item && { item }),
  });
}

/** The parameters of a put and of a delete, alone or in a transaction. */
interface WriteParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly ReturnValues?: PutItemInput["ReturnValues"];
  readonly ReturnValuesOnConditionCheckFailure?: PutItemInput["ReturnValuesOnConditionCheckFailure"];
}

/** Prepares a put. Invalid values and expressions are reported even if the table does not exist. */
export function putWrite(
  database: Database,
  parameters: WriteParameters & { readonly Item: unknown },
  checkKeys: typeof checkItemKeys = checkItemKeys,
  runChecks: typeof withoutPrefix = withoutPrefix,
): ItemWrite {
  const { checked, condition } = runChecks(() => {
    const item = checkItem(parameters.Item);
    checkReturnValues(parameters.ReturnValues);
    return { checked: item, condition: requestExpressions(parameters, "write").condition };
  }, parameters);
  return checkedPut(database, parameters, checked, condition, checkKeys);
}

/** Prepares a put whose item and condition are checked. */
export function checkedPut(
  database: Database,
  parameters: WriteParameters,
  checked: CheckedItem,
  condition: Condition | undefined,
  checkKeys: typeof checkItemKeys = checkItemKeys,
): ItemWrite {
  const table: TableModel = database.catalog.get(parameters.TableName ?? "");
  checkKeys(table, checked.item);
  const stored = packNewItem(table, checked);
  return {
    table,
    key: checked.item,
    condition,
    returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
    next: () => stored,
  };
}

/** Prepares a delete. */
export function deleteWrite(
  database: Database,
  parameters: WriteParameters & { readonly Key: unknown },
  runChecks: typeof withoutPrefix = withoutPrefix,
): ItemWrite {
  const { key, condition } = runChecks(() => {
    const { item } = checkItem(parameters.Key);
    checkReturnValues(parameters.ReturnValues);
    return { key: item, condition: requestExpressions(parameters, "write").condition };
  }, parameters);
  return checkedDelete(database, parameters, key, condition);
}

/** Prepares a delete whose key and condition are checked. */
export function checkedDelete(
  database: Database,
  parameters: WriteParameters,
  key: WireItem,
  condition: Condition | undefined,
): ItemWrite {
  const table = database.catalog.get(parameters.TableName ?? "");
  return {
    table,
    key: checkKeySchema(table, key),
    condition,
    returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
    next: () => undefined,
  };
}

/** Only an update can return the attributes that it changed. */
function checkReturnValues(requested: ReturnValue | undefined): void {
  if (requested !== undefined && requested !== "NONE" && requested !== "ALL_OLD") {
    throw invalid("ReturnValues can only be ALL_OLD or NONE");
  }
}

/** Packs a new item. If it is too large, the whole request is rejected, even in a transaction. */
export function packNewItem(table: TableModel, checked: CheckedItem): StoredItem {
  return pack(table, checked, () => invalidRequest("Item size has exceeded the maximum allowed size"));
}

/** Packs the result of an update. */
export function packUpdatedItem(table: TableModel, checked: CheckedItem): StoredItem {
  return pack(table, checked, updateTooLarge);
}

function pack(table: TableModel, { item, size, hasBytes }: CheckedItem, tooLarge: () => Error): StoredItem {
  if (size > maxItemBytes) throw tooLarge();
  const stored = StoredItem.pack(item, size, hasBytes);
  if (size + localCopiesSize(table, stored) > maxItemBytes) throw tooLarge();
  return stored;
}

function localCopiesSize(table: TableModel, stored: StoredItem): number {
  let bytes = 0;
  for (const index of table.indexes) {
    if (index.kind !== "local" || indexKey(table, index, stored.item) === undefined) continue;
    bytes += indexEntry(index, stored).size;
  }
  return bytes;
}

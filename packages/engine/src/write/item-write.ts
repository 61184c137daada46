import {
  type DeleteItemInput,
  DynamoError,
  type PutItemInput,
  type ReturnValue,
  type ReturnValuesOnConditionCheckFailure,
} from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkItemKeys, fittingKey } from "../catalog/check-keys.ts";
import { indexKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { indexEntry } from "../change/index-entries.ts";
import type { Database } from "../database/database.ts";
import { holds } from "../expression/evaluate.ts";
import { type ExpressionParameters, requestExpressions } from "../expression/request-expressions.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { type CheckedItem, checkItem } from "../values/check-item.ts";
import { asItIs, invalid, invalidRequest } from "../values/dynamo-errors.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";

/**
 * One write of one item, understood and checked but not yet done: what a single request, each action of a batch or a
 * transaction, and a PartiQL statement come down to.
 */
export interface ItemWrite {
  readonly table: TableModel;
  /** The key of the item; it may carry other attributes too. */
  readonly key: WireItem;
  readonly condition?: Condition | undefined;
  readonly returnOnFailure?: ReturnValuesOnConditionCheckFailure | undefined;
  /** What becomes of the item. Throws DynamoDB's refusal if that cannot be done to this item. */
  readonly next: (before: StoredItem | undefined) => StoredItem | undefined;
}

const nothing: WireItem = {};

/** Throws if the write's condition does not hold. */
export function checkCondition(write: ItemWrite, before: StoredItem | undefined): void {
  if (write.condition === undefined || holds(write.condition, before?.item ?? nothing)) return;
  const item = write.returnOnFailure === "ALL_OLD" && before ? ItemAnswer.stored(before).toItem() : undefined;
  throw new DynamoError({
    exception: "ConditionalCheckFailedException",
    serviceMessage: "The conditional request failed",
    ...(item && { item }),
  });
}

/** What a put needs; PutItem has it, and so has a put in a transaction. */
export interface PutParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Item: unknown;
  readonly ReturnValues?: PutItemInput["ReturnValues"];
  readonly ReturnValuesOnConditionCheckFailure?: PutItemInput["ReturnValuesOnConditionCheckFailure"];
}

/** Understands a put. What is wrong in values and expressions is told even of a table that does not exist. */
export function putWrite(
  database: Database,
  parameters: PutParameters,
  checkKeys: typeof checkItemKeys = checkItemKeys,
  reported: typeof asItIs = asItIs,
): ItemWrite {
  const { checked, condition } = reported(() => {
    const item = checkItem(parameters.Item);
    checkReturnsOld(parameters.ReturnValues);
    return { checked: item, condition: requestExpressions(parameters, "write").condition };
  });
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

/** What a delete needs; DeleteItem has it, and so has a delete in a transaction. */
export interface DeleteParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Key: unknown;
  readonly ReturnValues?: DeleteItemInput["ReturnValues"];
  readonly ReturnValuesOnConditionCheckFailure?: DeleteItemInput["ReturnValuesOnConditionCheckFailure"];
}

/** Understands a delete. */
export function deleteWrite(
  database: Database,
  parameters: DeleteParameters,
  reported: typeof asItIs = asItIs,
): ItemWrite {
  const { key, condition } = reported(() => {
    const { item } = checkItem(parameters.Key);
    checkReturnsOld(parameters.ReturnValues);
    return { key: item, condition: requestExpressions(parameters, "write").condition };
  });
  const table = database.catalog.get(parameters.TableName ?? "");
  return {
    table,
    key: fittingKey(table, key),
    condition,
    returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
    next: () => undefined,
  };
}

/** Only an update can give what it changed. */
export function checkReturnsOld(asked: ReturnValue | undefined): void {
  if (asked !== undefined && asked !== "NONE" && asked !== "ALL_OLD") {
    throw invalid("ReturnValues can only be ALL_OLD or NONE");
  }
}

/** AWS: Limits — the size of an item with its copies in local indexes, names and values, in bytes. */
const maxItemBytes = 400 * 1024;

/** Packs an item that is to be stored as it is. Its request alone tells that it is too large: no transaction is begun. */
export function packNewItem(table: TableModel, checked: CheckedItem): StoredItem {
  return packed(table, checked, () => invalidRequest("Item size has exceeded the maximum allowed size"));
}

/** Packs an item that an update made. */
export function packUpdatedItem(table: TableModel, checked: CheckedItem): StoredItem {
  return packed(table, checked, () => invalid("Item size to update has exceeded the maximum allowed size"));
}

function packed(table: TableModel, { item, size, hasBytes }: CheckedItem, tooLarge: () => Error): StoredItem {
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

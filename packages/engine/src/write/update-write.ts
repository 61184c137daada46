import { maxItemBytes, type ReturnValue, type UpdateItemInput } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkKeyPaths } from "../catalog/check-key-paths.ts";
import {
  checkIndexKeys,
  checkIndexKeysNotEmpty,
  checkKeySchema,
  emptyValueMessage,
} from "../catalog/check-keys.ts";
import type { KeyAttribute, TableModel } from "../catalog/table-model.ts";
import type { Images } from "../change/change.ts";
import type { Database } from "../database/database.ts";
import { applyUpdate } from "../expression/apply-update.ts";
import { project } from "../expression/project.ts";
import {
  type ExpressionParameters,
  type RequestExpressions,
  requestExpressions,
} from "../expression/request-expressions.ts";
import { type Update, updatePaths, updateSources } from "../expression/syntax-tree.ts";
import { updateCharge } from "../expression/update-charge.ts";
import { checkItem, checkSized, checkUpdated, updateTooLarge } from "../values/check-item.ts";
import { equalValues } from "../values/compare-values.ts";
import { invalid, invalidParameter, invalidRequest, withValidationPrefix } from "../values/dynamo-errors.ts";
import type { StoredItem } from "../values/stored-item.ts";
import { contentOf, getOwn, setOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import { type ItemWrite, packUpdatedItem } from "./item-write.ts";

/** The parameters of an update, alone or in a transaction. */
interface UpdateParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Key: unknown;
  readonly ReturnValuesOnConditionCheckFailure?: UpdateItemInput["ReturnValuesOnConditionCheckFailure"];
}

const emptyUpdate: Update = { set: [], remove: [], add: [], delete: [] };

/** In a transaction DynamoDB reports an invalid index key in as much detail as for a put. */
type UpdateContext = "alone" | "transaction";

/** Prepares an update that is a separate request. */
export function updateWrite(
  database: Database,
  parameters: UpdateParameters,
): { write: ItemWrite; update: Update } {
  const { item: key } = withValidationPrefix(() => checkItem(parameters.Key), parameters);
  const expressions = withValidationPrefix(() => requestExpressions(parameters, "update"), parameters);
  return checkedUpdate(database, parameters, key, expressions, "alone");
}

/** Prepares an update whose key and expressions are checked. */
export function checkedUpdate(
  database: Database,
  parameters: UpdateParameters,
  givenKey: WireItem,
  { condition, update = emptyUpdate, maxValueBytes = 0 }: RequestExpressions,
  within: UpdateContext,
): { write: ItemWrite; update: Update } {
  const table = database.catalog.get(parameters.TableName ?? "");
  const key = checkKeySchema(table, givenKey);
  if (within === "alone" && !update.legacy) checkCharge(update, maxValueBytes);
  const { ReturnValuesOnConditionCheckFailure: returnOnFailure } = parameters;
  return {
    write: { ...unconditionalUpdate(table, key, update, within), condition, returnOnFailure },
    update,
  };
}

/** Throws if UpdateItem does not accept an expression that writes so much. Most expressions are small, and need not be measured. */
function checkCharge(update: Update, maxValueBytes: number): void {
  if (updateCharge(update, () => maxValueBytes) <= maxItemBytes) return;
  if (updateCharge(update, (value) => checkSized(value).size) > maxItemBytes) throw updateTooLarge();
}

/** Prepares an update of the item with this key, without a condition. */
export function unconditionalUpdate(
  table: TableModel,
  key: WireItem,
  update: Update,
  within: UpdateContext = "alone",
): ItemWrite {
  checkKeysUntouched(table, update);
  checkKeyPaths(table, [...updatePaths(update), ...updateSources(update)]);
  return { table, key, next: (before) => updatedItem(table, key, update, before, within) };
}

function updatedItem(
  table: TableModel,
  key: WireItem,
  update: Update,
  before: StoredItem | undefined,
  within: UpdateContext,
): StoredItem | undefined {
  // An update that only removes does not create an item.
  if (before === undefined && onlyRemoves(update)) return undefined;
  const item = applyUpdate(update, before?.item ?? key);
  const after = packUpdatedItem(table, checkUpdated(item));
  checkIndexKeysAfterUpdate(table, before?.item ?? {}, after.item, { legacy: update.legacy, within });
  return after;
}

/** Checks the index keys that an update changes. An unchanged one may be invalid for its index. */
function checkIndexKeysAfterUpdate(
  table: TableModel,
  before: WireItem,
  after: WireItem,
  { legacy, within }: { readonly legacy: boolean | undefined; readonly within: UpdateContext },
): void {
  if (table.indexes.length === 0) return;
  const changed: Record<string, WireValue> = {};
  let [isEmpty, wrongType] = [false, false];
  for (const { name, type } of table.indexes.flatMap((index) => [...index.hash, ...index.range])) {
    const value = getOwn(after, name);
    const old = getOwn(before, name);
    if (value === undefined || (old !== undefined && equalValues(old, value))) continue;
    setOwn(changed, name, value);
    const actual = tagOf(value);
    // An empty value is reported as empty, even if it is of another type.
    if ((actual === "S" || actual === "B") && contentOf(value) === "") {
      if (!legacy) throw emptyIndexKeyInUpdate(actual);
      isEmpty = true;
    } else if (actual !== type) wrongType = true;
  }
  if (isEmpty) checkIndexKeysNotEmpty(table, changed, { ofAnyType: true });
  if (wrongType && within === "alone") {
    throw invalid("The update expression attempted to update the secondary index key to unsupported type");
  }
  checkIndexKeys(table, changed);
}

function emptyIndexKeyInUpdate(type: KeyAttribute["type"]): Error {
  return invalidRequest(
    "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a " +
      `value that is not supported. ${emptyValueMessage(type)}`,
  );
}

function onlyRemoves(update: Update): boolean {
  const additions = update.set.length + update.add.length;
  return additions === 0 && update.remove.length + update.delete.length > 0;
}

function checkKeysUntouched(table: TableModel, update: Update): void {
  for (const [name] of updatePaths(update)) {
    if (table.keyNames.includes(name)) {
      throw invalidParameter(`Cannot update attribute ${name}. This attribute is part of the key`);
    }
  }
}

/** Returns the attributes that ReturnValues requests. */
export function returnedAttributes(
  requested: ReturnValue | undefined,
  update: Update,
  { before, after }: Images,
): ItemAnswer | undefined {
  switch (requested) {
    case "ALL_OLD":
      return before && ItemAnswer.ofStored(before);
    case "ALL_NEW":
      return after && ItemAnswer.ofStored(after);
    case "UPDATED_OLD":
      return before && updatedParts(update, before);
    case "UPDATED_NEW":
      return after && updatedParts(update, after);
    default:
      return undefined;
  }
}

/** Returns the parts of an item that an update names; undefined if there are none. */
function updatedParts(update: Update, { item }: StoredItem): ItemAnswer | undefined {
  const parts = project(updatePaths(update), item);
  return Object.keys(parts).length === 0 ? undefined : ItemAnswer.ofItem(parts);
}

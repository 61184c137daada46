import type { ReturnValue, UpdateItemInput } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkIndexKeys, emptyValue, fittingKey } from "../catalog/check-keys.ts";
import type { KeyAttribute, TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import { applyUpdate } from "../expression/apply-update.ts";
import { project } from "../expression/project.ts";
import { type ExpressionParameters, requestExpressions } from "../expression/request-expressions.ts";
import { type Update, updatePaths } from "../expression/syntax-tree.ts";
import { checkItem } from "../values/check-item.ts";
import { equalValues } from "../values/compare-values.ts";
import {
  asItIs,
  asValidationError,
  invalid,
  invalidParameter,
  invalidRequest,
} from "../values/dynamo-errors.ts";
import type { StoredItem } from "../values/stored-item.ts";
import { contentOf, getOwn, setOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import { type ItemWrite, packUpdatedItem } from "./item-write.ts";
import type { Written } from "./write-one.ts";

/** What an update needs; UpdateItem has it, and so has an update in a transaction. */
export interface UpdateParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Key: unknown;
  readonly ReturnValuesOnConditionCheckFailure?: UpdateItemInput["ReturnValuesOnConditionCheckFailure"];
}

const nothingToDo: Update = { set: [], remove: [], add: [], delete: [] };

/** Where an update stands. In a transaction DynamoDB says more of a wrong index key: as much as when it is put. */
type Within = "alone" | "transaction";

/** Understands an update. */
export function updateWrite(
  database: Database,
  parameters: UpdateParameters,
  within: Within = "alone",
): { write: ItemWrite; update: Update } {
  const reported = within === "alone" ? asValidationError : asItIs;
  const { item: givenKey } = reported(() => checkItem(parameters.Key));
  const { condition, update = nothingToDo } = reported(() => requestExpressions(parameters, "update"));
  const table = database.catalog.get(parameters.TableName ?? "");
  const key = fittingKey(table, givenKey);
  const { ReturnValuesOnConditionCheckFailure: returnOnFailure } = parameters;
  return { write: { ...writeOfUpdate(table, key, update, within), condition, returnOnFailure }, update };
}

/** An update of the item with this key, on no condition. */
export function writeOfUpdate(
  table: TableModel,
  key: WireItem,
  update: Update,
  within: Within = "alone",
): ItemWrite {
  checkKeysUntouched(table, update);
  return { table, key, next: (before) => updatedItem(table, key, update, before, within) };
}

function updatedItem(
  table: TableModel,
  key: WireItem,
  update: Update,
  before: StoredItem | undefined,
  within: Within,
): StoredItem | undefined {
  // An update that only takes away creates nothing where there is nothing.
  if (before === undefined && onlyTakesAway(update)) return undefined;
  const item = applyUpdate(update, before?.item ?? key);
  const after = packUpdatedItem(table, checkItem(item));
  checkIndexKeysAfterUpdate(table, before?.item ?? {}, after.item, { legacy: update.legacy, within });
  return after;
}

/** The index keys that an update changes. One that it leaves as it is may be one that its index does not take. */
function checkIndexKeysAfterUpdate(
  table: TableModel,
  before: WireItem,
  after: WireItem,
  { legacy, within }: { readonly legacy: boolean | undefined; readonly within: Within },
): void {
  if (table.indexes.length === 0) return;
  const changed: Record<string, WireValue> = {};
  let wrongType = false;
  for (const { name, type } of table.indexes.flatMap((index) => [...index.hash, ...index.range])) {
    const value = getOwn(after, name);
    const old = getOwn(before, name);
    if (value === undefined || (old !== undefined && equalValues(old, value))) continue;
    setOwn(changed, name, value);
    if (tagOf(value) !== type) wrongType = true;
    else if (contentOf(value) === "" && !legacy) throw emptyIndexKeyInUpdate(type);
  }
  if (wrongType && within === "alone") {
    throw invalid("The update expression attempted to update the secondary index key to unsupported type");
  }
  checkIndexKeys(table, changed);
}

function emptyIndexKeyInUpdate(type: KeyAttribute["type"]): Error {
  return invalidRequest(
    "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a " +
      `value that is not supported. ${emptyValue(type)}`,
  );
}

function onlyTakesAway(update: Update): boolean {
  const gives = update.set.length + update.add.length;
  return gives === 0 && update.remove.length + update.delete.length > 0;
}

function checkKeysUntouched(table: TableModel, update: Update): void {
  for (const [name] of updatePaths(update)) {
    if (table.keyNames.includes(name)) {
      throw invalidParameter(`Cannot update attribute ${name}. This attribute is part of the key`);
    }
  }
}

/** What ReturnValues asks for. */
export function returned(
  asked: ReturnValue | undefined,
  update: Update,
  { before, after }: Written,
): ItemAnswer | undefined {
  switch (asked) {
    case "ALL_OLD":
      return before && ItemAnswer.stored(before);
    case "ALL_NEW":
      return after && ItemAnswer.stored(after);
    case "UPDATED_OLD":
      return before && touched(update, before);
    case "UPDATED_NEW":
      return after && touched(update, after);
    default:
      return undefined;
  }
}

/** The parts of an item that an update names; absent where there are none. */
function touched(update: Update, { item }: StoredItem): ItemAnswer | undefined {
  const parts = project(updatePaths(update), item);
  return Object.keys(parts).length === 0 ? undefined : ItemAnswer.built(parts);
}

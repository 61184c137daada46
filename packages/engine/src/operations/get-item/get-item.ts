import type { ConsumedCapacity } from "@tablekeep/core";
import { ItemAnswer } from "../../answer/item-answer.ts";
import { Consumption } from "../../capacity/consumption.ts";
import { readUnits } from "../../capacity/units.ts";
import { fittingKey } from "../../catalog/check-keys.ts";
import { itemKey } from "../../catalog/storage-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { project } from "../../expression/project.ts";
import { requestExpressions } from "../../expression/request-expressions.ts";
import type { Projection } from "../../expression/syntax-tree.ts";
import { checkItem } from "../../item/check-item.ts";
import { StoredItem } from "../../item/stored-item.ts";
import type { WireItem } from "../../item/wire-value.ts";
import type { Operation } from "../operation.ts";

export const getItem: Operation<"GetItem"> = (database, input) => {
  const { item: key } = checkItem(input.Key);
  const { projection } = requestExpressions(input, "read");
  const table = database.catalog.get(input.TableName ?? "");
  const stored = storedItem(database, table, fittingKey(table, key));
  return {
    Item: stored && shown(stored, projection),
    ConsumedCapacity: consumed(),
  };

  function consumed(): ConsumedCapacity | undefined {
    if (input.ReturnConsumedCapacity === undefined) return undefined;
    const consumption = new Consumption(table);
    consumption.addTable(readUnits(stored?.size ?? 0, input.ConsistentRead ? "strong" : "eventual"));
    return consumption.report(input.ReturnConsumedCapacity);
  }
};

/** The committed item of a key. */
export function storedItem(database: Database, table: TableModel, key: WireItem): StoredItem | undefined {
  const text = database.storage.get(itemKey(table, key));
  return text === undefined ? undefined : new StoredItem(text);
}

/** A stored item, or what a projection keeps of it. */
export function shown(stored: StoredItem, projection: Projection | undefined): ItemAnswer {
  return projection === undefined
    ? ItemAnswer.stored(stored)
    : ItemAnswer.built(project(projection, stored.item));
}

import { type Item, itemSize, type Key, type TransactWriteItem } from "@tablekeep/core";
import type { ActionCondition } from "../projection.ts";
import type { AttributeChange, ItemAction } from "./item-action.ts";

/** An action on an item of a table. */
export interface PlacedAction {
  readonly table: string;
  readonly key: Key;
  readonly action: ItemAction;
}

/** Returns an action in DynamoDB's form. `guard` is a condition in addition to its own. */
export function transactItem(
  { table: TableName, key: Key, action }: PlacedAction,
  guard?: ActionCondition,
): TransactWriteItem {
  if (action.kind === "raw") return action.action;
  const changed = action.kind === "update" ? updateExpression(action.changes) : undefined;
  const conditions = [action.condition, guard].filter((each) => each !== undefined);
  const names = { ...changed?.names, ...Object.assign({}, ...conditions.map((each) => each.names)) };
  const values = { ...changed?.values, ...Object.assign({}, ...conditions.map((each) => each.values)) };
  const ConditionExpression = conditions.map(({ expression }) => `(${expression})`).join(" AND ");
  const common = {
    TableName,
    ...(conditions.length > 0 && { ConditionExpression }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
  if (action.kind === "put") return { Put: { ...common, Item: action.item } };
  if (action.kind === "delete") return { Delete: { ...common, Key } };
  if (action.kind === "check") return { ConditionCheck: { ...common, Key, ConditionExpression } };
  return { Update: { ...common, Key, UpdateExpression: changed?.update ?? "" } };
}

function updateExpression(changes: ReadonlyMap<string, AttributeChange>): {
  readonly update: string;
  readonly names: Record<string, string>;
  readonly values: Item;
} {
  const parts: Record<"SET" | "ADD" | "REMOVE", string[]> = { SET: [], ADD: [], REMOVE: [] };
  const names: Record<string, string> = {};
  const values: Item = {};
  for (const [at, [name, change]] of [...changes].entries()) {
    // Placeholders that a condition of the caller does not use.
    const alias = `#tk_u${at}`;
    const value = `:tk_u${at}`;
    names[alias] = name;
    if ("remove" in change) parts.REMOVE.push(alias);
    else if ("set" in change) parts.SET.push(`${alias} = ${value}`);
    else parts.ADD.push(`${alias} ${value}`);
    if (!("remove" in change)) values[value] = "set" in change ? change.set : change.add;
  }
  const clauses = Object.entries(parts).filter(([, each]) => each.length > 0);
  const update = clauses.map(([clause, each]) => `${clause} ${each.join(", ")}`).join(" ");
  return { update, names, values };
}

/** Returns the condition that an item is as it was read. */
export function unchangedSince(item: Item | undefined, key: Key): ActionCondition {
  const [partition = ""] = Object.keys(key);
  const names: Record<string, string> = { "#tk_k": partition };
  if (item === undefined) return { expression: "attribute_not_exists(#tk_k)", names };
  const values: Item = {};
  const parts = ["attribute_exists(#tk_k)"];
  for (const [at, [name, value]] of Object.entries(item)
    .filter(([name]) => !(name in key))
    .entries()) {
    names[`#tk_g${at}`] = name;
    values[`:tk_g${at}`] = value;
    parts.push(`#tk_g${at} = :tk_g${at}`);
  }
  return { expression: parts.join(" AND "), names, ...(Object.keys(values).length > 0 && { values }) };
}

/** Returns the approximate number of bytes that an action counts in a transaction. */
export function actionBytes({ key, action }: PlacedAction): number {
  if (action.kind === "put") return itemSize(action.item);
  if (action.kind === "raw") return itemSize(action.action.Put?.Item ?? key) + 1024;
  if (action.kind !== "update") return itemSize(key);
  const values = Object.fromEntries(
    [...action.changes].flatMap(([name, change]) =>
      "remove" in change ? [] : [[name, "set" in change ? change.set : change.add]],
    ),
  );
  return itemSize({ ...key, ...values });
}

import {
  type AttributeValue,
  addNumbers,
  canonicalNumber,
  type Item,
  type Key,
  type TransactWriteItem,
} from "@tablekeep/core";
import type { ActionCondition, AttributeChanges } from "../projection.ts";

/** What happens to one attribute. */
export type AttributeChange =
  | { readonly set: AttributeValue }
  | { readonly add: AttributeValue }
  | { readonly remove: true };

/** An action on one item, as far as it can be merged with another one. */
export type ItemAction = { readonly condition?: ActionCondition } & (
  | { readonly kind: "put"; readonly item: Item }
  | { readonly kind: "update"; readonly changes: ReadonlyMap<string, AttributeChange> }
  | { readonly kind: "delete" }
  | { readonly kind: "check" }
  | { readonly kind: "raw"; readonly action: TransactWriteItem }
);

/** Returns the changes by attribute. If an attribute is in two lists, the later one counts. */
export function changesOf({
  set = {},
  add = {},
  remove = [],
}: AttributeChanges): Map<string, AttributeChange> {
  const changes = new Map<string, AttributeChange>();
  for (const [name, value] of Object.entries(set)) changes.set(name, { set: value });
  for (const [name, value] of Object.entries(add)) changes.set(name, { add: value });
  for (const name of remove) changes.set(name, { remove: true });
  return changes;
}

/**
 * Returns one action with the effect of both; undefined if there is none. The condition of the first is on the item before the group, and
 * stays. A condition of the second would apply to the result of the first, which DynamoDB cannot check.
 */
export function mergeActions(first: ItemAction, second: ItemAction, key: Key): ItemAction | undefined {
  if (first.kind === "raw" || second.kind === "raw" || second.condition !== undefined) return undefined;
  const condition = first.condition && { condition: first.condition };
  if (first.kind === "check" || second.kind === "put" || second.kind === "delete")
    return { ...second, ...condition };
  if (second.kind !== "update") return undefined;
  if (first.kind === "update") {
    const changes = mergeChanges(first.changes, second.changes);
    if (changes === undefined) return undefined;
    // One of them creates a missing item, which the merged one would not.
    if (onlyRemoves(changes) && !(onlyRemoves(first.changes) && onlyRemoves(second.changes)))
      return undefined;
    return { kind: "update", changes, ...condition };
  }
  if (first.kind === "delete" && onlyRemoves(second.changes)) return first;
  const item = applyChanges(first.kind === "put" ? first.item : key, second.changes);
  return item && { kind: "put", item, ...condition };
}

function mergeChanges(
  first: ReadonlyMap<string, AttributeChange>,
  second: ReadonlyMap<string, AttributeChange>,
): Map<string, AttributeChange> | undefined {
  const merged = new Map(first);
  for (const [name, change] of second) {
    const before = first.get(name);
    if (!("add" in change) || before === undefined) merged.set(name, change);
    else if ("remove" in before) merged.set(name, { set: change.add });
    else {
      const sum = addValues("set" in before ? before.set : before.add, change.add);
      if (sum === undefined) return undefined;
      merged.set(name, "set" in before ? { set: sum } : { add: sum });
    }
  }
  return merged;
}

/** Returns an item after an action; undefined if it does not exist then; `null` if that is unknown. */
export function itemAfter(item: Item | undefined, key: Key, action: ItemAction): Item | undefined | null {
  if (action.kind === "raw") return null;
  if (action.kind === "check") return item;
  if (action.kind === "delete") return undefined;
  if (action.kind === "put") return action.item;
  if (item === undefined && onlyRemoves(action.changes)) return undefined;
  return applyChanges(item ?? key, action.changes) ?? null;
}

/** Whether changes only remove attributes: DynamoDB does not create a missing item for them. */
function onlyRemoves(changes: ReadonlyMap<string, AttributeChange>): boolean {
  return [...changes.values()].every((change) => "remove" in change);
}

function applyChanges(item: Item, changes: ReadonlyMap<string, AttributeChange>): Item | undefined {
  const changed = { ...item };
  for (const [name, change] of changes) {
    if ("set" in change) changed[name] = change.set;
    else if ("remove" in change) delete changed[name];
    else {
      const before = changed[name];
      const sum = before === undefined ? change.add : addValues(before, change.add);
      if (sum === undefined) return undefined;
      changed[name] = sum;
    }
  }
  return changed;
}

/** Adds as DynamoDB's `ADD` does; undefined for what it rejects. */
function addValues(to: AttributeValue, value: AttributeValue): AttributeValue | undefined {
  if (to.N !== undefined && value.N !== undefined) {
    const sum = addNumbers(to.N, value.N);
    return "text" in sum ? { N: sum.text } : undefined;
  }
  if (to.SS !== undefined && value.SS !== undefined) return { SS: [...new Set([...to.SS, ...value.SS])] };
  if (to.NS !== undefined && value.NS !== undefined)
    return { NS: [...new Set([...to.NS, ...value.NS].map(canonicalNumber))] };
  return undefined;
}

/** Returns a name for an item, which does not depend on how its numbers are written. */
export function itemName(table: string, key: Key): string {
  const parts = Object.entries(key).map(([name, { S, N, B }]) => [
    name,
    S ?? (N === undefined ? Buffer.from(B ?? []).toString("base64") : canonicalNumber(N)),
  ]);
  return JSON.stringify([table, ...parts.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))]);
}

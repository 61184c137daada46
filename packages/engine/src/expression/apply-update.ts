import { addNumbers, maxItemBytes, subtractNumbers } from "@tablekeep/core";
import { updateTooLarge } from "../values/check-item.ts";
import { numberError } from "../values/check-number.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import { valueAt } from "./evaluate.ts";
import { ItemDraft, invalidPath } from "./item-draft.ts";
import { type Path, type SetValue, type Update, updatePaths } from "./syntax-tree.ts";

/**
 * Applies an update to an item, or to its key if the item is absent. All right-hand sides see the item as it was
 * before.
 */
export function applyUpdate(update: Update, before: WireItem): WireItem {
  // DynamoDB reports errors of ADD first, then those of paths, then those of values.
  const additions = update.add.map(
    ({ path, value }) => [path, addTo(valueAt(before, path), value, update.legacy)] as const,
  );
  for (const path of updatePaths(update)) checkContainer(before, path);
  const assignments: (readonly [Path, WireValue | undefined])[] = [
    ...setValues(update, before),
    ...additions,
    ...update.delete.map(
      ({ path, value }) => [path, withoutElements(valueAt(before, path), value, update.legacy)] as const,
    ),
  ];
  const removals = [...update.remove, ...assignments.filter(([, value]) => value === undefined).map(first)];
  const draft = new ItemDraft(before);
  for (const [path, value] of inOrderOfIndexes(assignments)) {
    if (value !== undefined) draft.assign(path, value);
  }
  // An element that this update appends is not removed.
  for (const path of inOrderOfRemoval(removals)) if (valueAt(before, path) !== undefined) draft.remove(path);
  return draft.item;
}

/**
 * Returns what SET assigns. An element of a list takes at least a byte, so more elements than an item may have bytes are
 * too many: an expression of 4 KB could otherwise append a long list to itself hundreds of times.
 */
function setValues({ set }: Update, before: WireItem): (readonly [Path, WireValue])[] {
  let elements = 0;
  return set.map(({ path, value }) => {
    const assigned = setValue(value, before);
    if ("L" in assigned) elements += assigned.L.length;
    if (elements > maxItemBytes) throw updateTooLarge();
    return [path, assigned];
  });
}

/** Throws if nothing in the item could contain the path. */
function checkContainer(item: WireItem, path: Path): void {
  if (path.length === 1) return;
  const holder = valueAt(item, path.slice(0, -1) as unknown as Path);
  const fits = holder !== undefined && (typeof path[path.length - 1] === "number" ? "L" : "M") in holder;
  if (!fits) throw invalidPath();
}

function first<First>([one]: readonly [First, unknown]): First {
  return one;
}

/** Sorts by list index: elements past the end of a list are appended in this order. */
function inOrderOfIndexes<Value>(
  assignments: readonly (readonly [Path, Value])[],
): (readonly [Path, Value])[] {
  const indexOf = ([path]: readonly [Path, Value]) => path[path.length - 1];
  const isElement = (assignment: readonly [Path, Value]) => typeof indexOf(assignment) === "number";
  const elements = assignments.filter(isElement);
  elements.sort((one, two) => Number(indexOf(one)) - Number(indexOf(two)));
  return [...assignments.filter((assignment) => !isElement(assignment)), ...elements];
}

/**
 * Sorts list elements last, the innermost first and those of one list from the back, so that the others keep their
 * indexes.
 */
function inOrderOfRemoval(paths: readonly Path[]): Path[] {
  const isElement = (path: Path) => typeof path[path.length - 1] === "number";
  const elements = paths
    .filter(isElement)
    .sort((one, two) => two.length - one.length || Number(two[two.length - 1]) - Number(one[one.length - 1]));
  return [...paths.filter((path) => !isElement(path)), ...elements];
}

function setValue(value: SetValue, item: WireItem): WireValue {
  switch (value.kind) {
    case "value":
      return value.value;
    case "path": {
      const found = valueAt(item, value.path);
      if (found === undefined) {
        throw invalid("The provided expression refers to an attribute that does not exist in the item");
      }
      return found;
    }
    case "if_not_exists":
      return valueAt(item, value.path) ?? setValue(value.otherwise, item);
    case "list_append": {
      const left = setValue(value.left, item);
      const right = setValue(value.right, item);
      if (!("L" in left && "L" in right)) throw invalidOperandType();
      return { L: [...left.L, ...right.L] };
    }
    case "plus":
    case "minus": {
      const left = setValue(value.left, item);
      const right = setValue(value.right, item);
      if (!("N" in left && "N" in right)) throw invalidOperandType();
      return arithmetic(value.kind === "plus" ? addNumbers : subtractNumbers, left.N, right.N);
    }
  }
}

function addTo(current: WireValue | undefined, value: WireValue, legacy: boolean | undefined): WireValue {
  if (current === undefined) return value;
  if ("N" in current && "N" in value) return arithmetic(addNumbers, current.N, value.N);
  if ("SS" in current && "SS" in value) return { SS: union(current.SS, value.SS) };
  if ("NS" in current && "NS" in value) return { NS: union(current.NS, value.NS) };
  if ("BS" in current && "BS" in value) return { BS: union(current.BS, value.BS) };
  if (!legacy) throw invalidOperandType();
  if ("L" in current && "L" in value) return { L: [...current.L, ...value.L] };
  throw legacyTypeMismatch();
}

/** Returns the remaining elements of a set; undefined if there are none, because empty sets are not stored. */
function withoutElements(
  current: WireValue | undefined,
  value: WireValue,
  legacy: boolean | undefined,
): WireValue | undefined {
  if (current === undefined) return undefined;
  const tag = tagOf(current);
  if (tag !== tagOf(value)) throw legacy ? legacyTypeMismatch() : invalidOperandType();
  const removed = new Set((value as Record<string, readonly string[]>)[tag]);
  const left = ((current as Record<string, readonly string[]>)[tag] ?? []).filter(
    (each) => !removed.has(each),
  );
  return left.length === 0 ? undefined : ({ [tag]: left } as unknown as WireValue);
}

function arithmetic(compute: typeof addNumbers, left: string, right: string): WireValue {
  const result = compute(left, right);
  if ("fault" in result) throw numberError(result.fault, "");
  return { N: result.text };
}

function union(one: readonly string[], two: readonly string[]): string[] {
  return [...new Set([...one, ...two])];
}

function invalidOperandType(): Error {
  return invalid("An operand in the update expression has an incorrect data type");
}

function legacyTypeMismatch(): Error {
  return invalid("Type mismatch for attribute to update");
}

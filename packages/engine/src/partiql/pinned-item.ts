import { checkKey } from "../catalog/check-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { equalValues } from "../item/equal-values.ts";
import { invalid } from "../item/refuse.ts";
import { getOwn, setOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import { checkKeyType } from "./check-key-value.ts";
import { allOf, comparisonOf, conjunctsOf } from "./conjuncts.ts";

/** The one item that a WHERE clause names by its whole key, and what else it says of it. */
export interface PinnedItem {
  readonly key: WireItem;
  readonly rest: Condition | undefined;
}

/** Finds the item that a condition names; undefined if it does not name one. */
export function pinnedItem(table: TableModel, where: Condition | undefined): PinnedItem | undefined {
  const key: Record<string, WireValue> = {};
  const rest: Condition[] = [];
  for (const condition of conjunctsOf(where)) {
    const comparison = comparisonOf(condition);
    if (comparison?.comparator !== "=" || !table.keyNames.includes(comparison.name)) {
      rest.push(condition);
      continue;
    }
    const { name, value } = comparison;
    const known = getOwn(key, name);
    if (known !== undefined && !equalValues(known, value)) {
      throw invalid(
        `Multiple conditions on same key ${name}. Only single item Update/Insert/Delete are supported`,
      );
    }
    setOwn(key, name, value);
  }
  if (Object.keys(key).length < table.keyNames.length) return undefined;
  for (const attribute of [...table.hash, ...table.range]) {
    checkKeyType(attribute, key[attribute.name] as WireValue);
  }
  return { key: checkKey(table, key), rest: allOf(rest) };
}

import { checkDistinctPaths } from "../expression/path-overlap.ts";
import type { Path } from "../expression/syntax-tree.ts";
import { valueAt } from "../expression/value-at.ts";
import { invalid } from "../item/refuse.ts";
import { setOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import { withPlainFaults } from "./plain-fault.ts";

/** What a SELECT asks for: each path comes back under a name of its own. */
export type Selection = readonly { readonly path: Path; readonly name: string }[];

/** Names what is selected: by the last part of its path, list indexes included: `m.x[0]` is `x[0]`. */
export function selectionOf(paths: readonly Path[]): Selection {
  const selection = paths.map((path) => ({ path, name: lastName(path) }));
  const names = new Set<string>();
  for (const { name } of selection) {
    if (names.has(name)) throw invalid(`Duplicate identifiers in select clause: ${name}`);
    names.add(name);
  }
  withPlainFaults(() => checkDistinctPaths(paths));
  return selection;
}

/** What a selection takes from an item. */
export function select(selection: Selection, item: WireItem): WireItem {
  const selected: Record<string, WireValue> = {};
  for (const { path, name } of selection) {
    const value = valueAt(item, path);
    if (value !== undefined) setOwn(selected, name, value);
  }
  return selected;
}

function lastName(path: Path): string {
  let at = path.length - 1;
  while (typeof path[at] === "number") at--;
  return (
    path[at] +
    path
      .slice(at + 1)
      .map((index) => `[${index}]`)
      .join("")
  );
}

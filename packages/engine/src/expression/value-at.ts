import { getOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import type { Path } from "./syntax-tree.ts";

/** What stands at a path, if anything does. */
export function valueAt(item: WireItem, path: Path): WireValue | undefined {
  let value = getOwn(item, path[0]);
  for (let at = 1; at < path.length && value !== undefined; at++) {
    const part = path[at] as string | number;
    if (typeof part === "number") value = "L" in value ? value.L[part] : undefined;
    else value = "M" in value ? getOwn(value.M, part) : undefined;
  }
  return value;
}

import { getOwn, setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Path, PathPart, ProjectedPaths } from "./syntax-tree.ts";

/** The part of a value that a projection includes: all of it, or some of its members. */
type Wanted = "all" | Map<PathPart, Wanted>;

/** Returns the parts of an item that a projection keeps, in the item's own shape; list elements move together. */
export function project(projection: ProjectedPaths, item: WireItem): WireItem {
  return keepMembers(wantedOf(projection), item);
}

function wantedOf(projection: ProjectedPaths): Map<PathPart, Wanted> {
  const root = new Map<PathPart, Wanted>();
  for (const path of projection) addPath(root, path);
  return root;
}

function addPath(root: Map<PathPart, Wanted>, path: Path): void {
  let level = root;
  for (const part of path.slice(0, -1)) {
    const below = level.get(part);
    if (below === "all") return;
    const next = below ?? new Map<PathPart, Wanted>();
    level.set(part, next);
    level = next;
  }
  level.set(path[path.length - 1] as PathPart, "all");
}

function keepMembers(wanted: Map<PathPart, Wanted>, map: WireItem): WireItem {
  const kept: Record<string, WireValue> = {};
  for (const [part, below] of wanted) {
    const value = typeof part === "string" ? getOwn(map, part) : undefined;
    const result = value && keep(below, value);
    if (result !== undefined) setOwn(kept, part as string, result);
  }
  return kept;
}

function keep(wanted: Wanted, value: WireValue): WireValue | undefined {
  if (wanted === "all") return value;
  if ("M" in value) {
    const kept = keepMembers(wanted, value.M);
    return Object.keys(kept).length > 0 ? { M: kept } : undefined;
  }
  if (!("L" in value)) return undefined;
  const kept: WireValue[] = [];
  const indexes = [...wanted.keys()].filter((part) => typeof part === "number").sort((a, b) => a - b);
  for (const index of indexes) {
    const element = value.L[index];
    const result = element && keep(wanted.get(index) as Wanted, element);
    if (result !== undefined) kept.push(result);
  }
  return kept.length > 0 ? { L: kept } : undefined;
}

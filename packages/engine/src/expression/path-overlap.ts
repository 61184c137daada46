import { shownPath } from "./check-operands.ts";
import type { Path } from "./syntax-tree.ts";
import { ExpressionFault } from "./token-reader.ts";

/** Throws if one path is, or lies within, another, or if two see the same place as map and as list. */
export function checkDistinctPaths(paths: readonly Path[]): void {
  const byName = new Map<string, Path[]>();
  for (const path of paths) {
    const same = byName.get(path[0]);
    if (same === undefined) byName.set(path[0], [path]);
    else same.push(path);
  }
  if (byName.size === paths.length) return;
  for (const path of paths) {
    const same = byName.get(path[0]) ?? [];
    // Each path is compared with those after it that begin with the same name.
    for (const other of same.slice(same.indexOf(path) + 1)) checkPair(path, other);
  }
}

function checkPair(one: Path, two: Path): void {
  const shared = Math.min(one.length, two.length);
  for (let at = 0; at < shared; at++) {
    if (one[at] === two[at]) continue;
    if (typeof one[at] === typeof two[at]) return;
    throw new ExpressionFault(describe("conflict", one, two));
  }
  throw new ExpressionFault(describe("overlap", one, two));
}

function describe(how: "overlap" | "conflict", one: Path, two: Path): string {
  return (
    `Two document paths ${how} with each other; must remove or rewrite one of these paths; ` +
    `path one: ${shownPath(one)}, path two: ${shownPath(two)}`
  );
}

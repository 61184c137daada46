import { shownPath } from "./check-operands.ts";
import type { Path } from "./syntax-tree.ts";
import { ExpressionFault } from "./token-reader.ts";

/** Throws if one path is, or lies within, another, or if two see the same place as map and as list. */
export function checkDistinctPaths(paths: readonly Path[]): void {
  for (const [at, one] of paths.entries()) {
    for (const two of paths.slice(at + 1)) checkPair(one, two);
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

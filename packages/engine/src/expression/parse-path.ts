import { memoize, type Template } from "./binding.ts";
import { formatPath } from "./check-operands.ts";
import { isReservedWord } from "./reserved-words.ts";
import type { Path, PathPart, ProjectedPaths } from "./syntax-tree.ts";
import { ExpressionError, TokenReader } from "./tokens.ts";

/** AWS: Limits — the depth of a document path. */
const maxPathDepth = 32;

/** Parses a document path: `a.b[1].#c`. */
export function parsePath(reader: TokenReader): Template<Path> {
  const parts: Template<PathPart>[] = [parseName(reader)];
  for (;;) {
    if (reader.skipSymbol(".")) {
      parts.push(parseName(reader));
    } else if (reader.skipSymbol("[")) {
      parts.push(parseIndex(reader));
      reader.expectSymbol("]");
    } else {
      break;
    }
  }
  if (parts.length > maxPathDepth) {
    throw new ExpressionError(
      `The document path has too many nesting levels; nesting levels: ${parts.length}`,
    );
  }
  return (binding) => parts.map((part) => part(binding)) as unknown as Path;
}

/** Returns whether a path can begin here. */
export function startsPath(reader: TokenReader): boolean {
  return reader.isWord() || reader.next.kind === "name";
}

function parseName(reader: TokenReader): Template<string> {
  const { kind, text } = reader.next;
  if (kind === "name") {
    reader.take();
    return (binding) => binding.name(text);
  }
  if (!reader.isWord()) throw reader.syntaxError();
  const { start } = reader.take();
  if (isReservedWord(text)) {
    reader.noteError(start, `Attribute name is a reserved keyword; reserved keyword: ${text}`);
  }
  return () => text;
}

function parseIndex(reader: TokenReader): Template<number> {
  if (reader.next.kind !== "index") throw reader.syntaxError();
  const { text } = reader.take();
  const index = Number(text);
  if (index > 2 ** 31 - 1) {
    throw new ExpressionError(`List index is not within the allowable range; index: [${text}]`);
  }
  return () => index;
}

/** Parses a projection: paths separated by commas. */
export const parseProjection: (expression: string) => Template<ProjectedPaths> = memoize((expression) => {
  const reader = new TokenReader(expression);
  const paths: Template<Path>[] = [];
  do {
    if (!startsPath(reader)) throw reader.syntaxError();
    paths.push(parsePath(reader));
  } while (reader.skipSymbol(","));
  reader.expectEnd();
  reader.throwNotedError();
  return (binding) => {
    const projection = paths.map((path) => path(binding));
    checkDistinctPaths(projection);
    return projection;
  };
});

/** Throws if one path equals or contains another, or if two use the same place as a map and as a list. */
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
    // Compares each path with those after it that begin with the same name.
    for (const other of same.slice(same.indexOf(path) + 1)) checkPair(path, other);
  }
}

function checkPair(one: Path, two: Path): void {
  const shared = Math.min(one.length, two.length);
  for (let at = 0; at < shared; at++) {
    if (one[at] === two[at]) continue;
    if (typeof one[at] === typeof two[at]) return;
    throw new ExpressionError(describe("conflict", one, two));
  }
  throw new ExpressionError(describe("overlap", one, two));
}

function describe(how: "overlap" | "conflict", one: Path, two: Path): string {
  return (
    `Two document paths ${how} with each other; must remove or rewrite one of these paths; ` +
    `path one: ${formatPath(one)}, path two: ${formatPath(two)}`
  );
}

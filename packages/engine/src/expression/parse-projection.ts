import { parsePath, startsPath } from "./parse-path.ts";
import { checkDistinctPaths } from "./path-overlap.ts";
import type { Path, Projection } from "./syntax-tree.ts";
import { cached, type Template } from "./template.ts";
import { TokenReader } from "./token-reader.ts";

/** Parses a projection: paths with commas between them. */
export const parseProjection: (expression: string) => Template<Projection> = cached((expression) => {
  const reader = new TokenReader(expression);
  const paths: Template<Path>[] = [];
  do {
    if (!startsPath(reader)) throw reader.syntaxError();
    paths.push(parsePath(reader));
  } while (reader.skipSymbol(","));
  reader.expectEnd();
  reader.throwNoted();
  return (binding) => {
    const projection = paths.map((path) => path(binding));
    checkDistinctPaths(projection);
    return projection;
  };
});

import { HttpRefusal } from "./http-refusal.ts";

/** A path in which `:name` stands for one part, and `*name` at the end for all that follows, slashes and all. */
export interface PathPattern {
  /** What stands for each name, decoded; undefined if the path is another. */
  match(path: string): Record<string, string> | undefined;
}

/** Understands a pattern once, for many paths. */
export function pathPattern(pattern: string): PathPattern {
  const names: string[] = [];
  const source = pattern
    .split("/")
    .map((part) => {
      if (!part.startsWith(":") && !part.startsWith("*")) return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
      names.push(part.slice(1));
      return part.startsWith(":") ? "([^/]+)" : "(.*)";
    })
    .join("/");
  const expression = new RegExp(`^${source}$`);
  return {
    match(path) {
      const found = expression.exec(path);
      if (found === null) return undefined;
      return Object.fromEntries(names.map((name, at) => [name, decoded(found[at + 1] ?? "")]));
    },
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpRefusal(400, "the path has a % that is followed by no character");
  }
}

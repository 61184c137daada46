import type { Binding } from "./binding.ts";

/** A parsed expression that still has its placeholders: given a binding, it becomes a tree. Parsed once, bound often. */
export type Template<Tree> = (binding: Binding) => Tree;

/** How many parsed expressions are kept. Programs use few; a program that builds them from data must not fill memory. */
const keptTemplates = 1000;

/** Remembers what `parse` makes of an expression. */
export function cached<Parsed>(parse: (expression: string) => Parsed): (expression: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (expression) => {
    let parsed = known.get(expression);
    if (parsed === undefined) {
      parsed = parse(expression);
      if (known.size >= keptTemplates) known.clear();
      known.set(expression, parsed);
    }
    return parsed;
  };
}

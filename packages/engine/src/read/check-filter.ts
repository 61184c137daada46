import { conditionPaths } from "../expression/condition-paths.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";
import type { Source } from "./key-range.ts";

/** AWS: Query — a filter is for what the key condition cannot say. */
export function checkFilter({ table, index }: Source, filter: Condition, parameter: string): void {
  const keys = index ?? table;
  const names = new Set([...keys.hash, ...keys.range].map(({ name }) => name));
  for (const [name] of conditionPaths(filter)) {
    if (names.has(name)) {
      throw invalid(
        `${parameter} can only contain non-primary key attributes: Primary key attribute: ${name}`,
      );
    }
  }
}

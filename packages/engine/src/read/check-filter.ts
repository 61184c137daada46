import { conditionPaths } from "../expression/condition-paths.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { invalid, invalidParameter } from "../item/refuse.ts";
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
  checkFilterProjected({ table, index }, filter);
}

/** A filter sees only what the index holds. */
export function checkFilterProjected({ index }: Source, filter: Condition): void {
  if (index === undefined || index.projected === "ALL") return;
  const { projected } = index;
  const missing = new Set(
    conditionPaths(filter)
      .map(([name]) => name)
      .filter((name) => !projected.has(name)),
  );
  if (missing.size > 0) {
    throw invalidParameter(
      `Secondary index ${index.name} does not project one or more filter attributes: [${[...missing].sort().join(", ")}]`,
    );
  }
}

import type { Select } from "@tablekeep/core";
import { checkKeyPaths } from "../catalog/check-key-paths.ts";
import { type Condition, conditionPaths, type ProjectedPaths } from "../expression/syntax-tree.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import type { Source } from "./source.ts";

/** AWS: Query — a filter must not use key attributes. */
export function checkFilter({ table, index }: Source, filter: Condition, parameter: string): void {
  const keys = index ?? table;
  const names = new Set([...keys.hash, ...keys.range].map(({ name }) => name));
  const paths = conditionPaths(filter);
  for (const [name] of paths) {
    if (names.has(name)) {
      throw invalid(
        `${parameter} can only contain non-primary key attributes: Primary key attribute: ${name}`,
      );
    }
  }
  checkKeyPaths(table, paths);
  checkFilterProjected({ table, index }, filter);
}

/** Throws if a projection or a filter leads into a key. */
export function checkReadPaths(
  { table }: Pick<Source, "table">,
  { projection = [], filter }: { readonly projection?: ProjectedPaths; readonly filter?: Condition },
): void {
  checkKeyPaths(table, projection);
  if (filter !== undefined) checkKeyPaths(table, conditionPaths(filter));
}

/** A filter can only use attributes that the index contains. */
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

interface SelectParameters {
  readonly Select?: Select;
  readonly IndexName?: string;
  readonly AttributesToGet?: unknown;
}

/** AWS: Select — checks which parameters may be combined. */
export function checkSelect(
  { Select: select, IndexName, AttributesToGet }: SelectParameters,
  projection: ProjectedPaths | undefined,
  doing: "Querying" | "Scanning",
): void {
  if (select === undefined) return;
  const given = AttributesToGet === undefined ? "ProjectionExpression" : "AttributesToGet";
  if (select === "SPECIFIC_ATTRIBUTES") {
    if (projection !== undefined) return;
    throw invalid(
      "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    );
  }
  if (projection !== undefined) {
    const what = select === "COUNT" ? "only the Count" : select;
    throw invalid(`Cannot specify the ${given} when choosing to get ${what}`);
  }
  if (select === "ALL_PROJECTED_ATTRIBUTES" && IndexName === undefined) {
    throw invalid(`ALL_PROJECTED_ATTRIBUTES can be used only when ${doing} using an IndexName`);
  }
}

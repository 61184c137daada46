import type { Select } from "@tablekeep/core";
import type { Projection } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";

interface SelectParameters {
  readonly Select?: Select | undefined;
  readonly IndexName?: string | undefined;
  readonly AttributesToGet?: unknown;
}

/** AWS: Select — what may stand beside what. */
export function checkSelect(
  { Select: select, IndexName, AttributesToGet }: SelectParameters,
  projection: Projection | undefined,
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

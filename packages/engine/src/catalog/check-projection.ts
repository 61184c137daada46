import type { Projection } from "@tablekeep/core";
import { invalidParameter } from "../item/refuse.ts";

/** AWS: Limits — attributes that the indexes of a table list in their projections, all together. */
const maxProjectedAttributes = 100;

/** What an index is to carry. */
export function checkProjection(projection: Projection | undefined): void {
  const { ProjectionType: type, NonKeyAttributes: names } = projection ?? {};
  if (type === undefined) throw invalidParameter("Unknown ProjectionType: null");
  if (type === "INCLUDE" && names === undefined) {
    throw invalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  if (type !== "INCLUDE" && names !== undefined) {
    throw invalidParameter(`ProjectionType is ${type}, but NonKeyAttributes is specified`);
  }
  const repeated = names?.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw invalidParameter(`Duplicate element in NonKeyAttributes: ${repeated}`);
}

/** What all indexes of a table carry together. One attribute in two indexes counts twice. */
export function checkProjectedTotal(
  indexes: readonly { readonly Projection?: Projection | undefined }[],
): void {
  const total = indexes.reduce((sum, { Projection }) => sum + (Projection?.NonKeyAttributes?.length ?? 0), 0);
  if (total > maxProjectedAttributes) {
    throw invalidParameter(
      `Number of NonKeyAttributes of all indexes, ${total}, exceeds the per-table limit of ${maxProjectedAttributes}`,
    );
  }
}

import type { Item } from "@tablekeep/core";

/** What a read asks to see: everything, these attributes, or parts of attributes, which are not followed here. */
export type TopLevelProjection = "all" | "nested" | readonly string[];

/** The projection of a read, as far as it is a list of whole attributes. */
export function topLevelProjection(input: {
  readonly ProjectionExpression?: string | undefined;
  readonly AttributesToGet?: readonly string[] | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
}): TopLevelProjection {
  if (input.AttributesToGet !== undefined) return input.AttributesToGet;
  if (input.ProjectionExpression === undefined) return "all";
  const paths = input.ProjectionExpression.split(",").map((path) => path.trim());
  if (paths.some((path) => /[.[\]]/.test(path))) return "nested";
  return paths.map((path) => input.ExpressionAttributeNames?.[path] ?? path);
}

/** The part of an item that a projection shows. */
export function project(item: Item, projection: Exclude<TopLevelProjection, "nested">): Item {
  if (projection === "all") return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => projection.includes(name)));
}

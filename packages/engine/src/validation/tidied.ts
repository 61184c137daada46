import type { Members, Shape } from "./shape.ts";

/**
 * A copy of a request without what does not count in DynamoDB's JSON: members that no table names, members that are
 * null, in maps those that are undefined, and fractions of whole numbers. What an operation does not know it must not come to read or to store.
 */
export function tidied(members: Members, input: object): object {
  const kept = Object.entries(input).filter(
    ([name, member]) => member !== null && member !== undefined && Object.hasOwn(members, name),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, tidiedWithin((members[name] as Members[string]).shape, member)]),
  );
}

function tidiedWithin(shape: Shape, found: unknown): unknown {
  switch (shape.kind) {
    case "structure":
      return tidied(shape.members, found as object);
    case "list":
      return (found as unknown[]).map((element) => tidiedWithin(shape.of, element));
    case "map": {
      const entries = Object.entries(found as object).filter(([, member]) => member !== undefined);
      return Object.fromEntries(entries.map(([name, member]) => [name, tidiedWithin(shape.of, member)]));
    }
    case "number":
      return Math.floor(found as number);
    default:
      return found;
  }
}

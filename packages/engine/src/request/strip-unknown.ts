import type { Members, Shape } from "./shape.ts";

/**
 * Returns a copy of a request without the parts that DynamoDB ignores: unknown members, null members, undefined members
 * of maps, and fractions of integers. An operation must not read or store unknown members.
 */
export function stripUnknown(members: Members, input: object): object {
  const kept = Object.entries(input).filter(
    ([name, member]) => member !== null && member !== undefined && Object.hasOwn(members, name),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [name, stripWithin((members[name] as Members[string]).shape, member)]),
  );
}

function stripWithin(shape: Shape, found: unknown): unknown {
  switch (shape.kind) {
    case "structure":
      return stripUnknown(shape.members, found as object);
    case "list":
      return (found as unknown[]).map((element) => stripWithin(shape.of, element));
    case "map": {
      const entries = Object.entries(found as object).filter(([, member]) => member !== undefined);
      return Object.fromEntries(entries.map(([name, member]) => [name, stripWithin(shape.of, member)]));
    }
    case "number":
      return Math.floor(found as number);
    default:
      return found;
  }
}

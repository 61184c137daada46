import type { Members, Shape } from "./shape.ts";

/** A copy of a request without the members that are null: in DynamoDB's JSON, null means absent. */
export function dropNulls(members: Members, input: object): object {
  const kept = Object.entries(input).filter(([, member]) => member !== null);
  return Object.fromEntries(
    kept.map(([name, member]) => {
      const shape = Object.hasOwn(members, name) ? members[name]?.shape : undefined;
      return [name, shape === undefined ? member : dropWithin(shape, member)];
    }),
  );
}

function dropWithin(shape: Shape, found: unknown): unknown {
  if (found === undefined) return undefined;
  switch (shape.kind) {
    case "structure":
      return dropNulls(shape.members, found as object);
    case "list":
      return (found as unknown[]).map((element) => dropWithin(shape.of, element));
    case "map": {
      const entries = Object.entries(found as object);
      return Object.fromEntries(entries.map(([name, member]) => [name, dropWithin(shape.of, member)]));
    }
    default:
      return found;
  }
}

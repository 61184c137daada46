/** Whether JSON keeps a value exactly: what is parsed again is the same. */
export function isJsonSafe(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      return value === null || (depth < maxDepth && isPlain(value) && membersAreSafe(value, depth + 1));
    default:
      return false;
  }
}

/** Deeper data is left to its bytes. */
const maxDepth = 100;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function membersAreSafe(value: object, depth: number): boolean {
  return (
    !Object.hasOwn(value, "__proto__") && Object.values(value).every((member) => isJsonSafe(member, depth))
  );
}

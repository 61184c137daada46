/**
 * A copy that shares no memory with `data`: objects, arrays, bytes and dates. Absent members are left out, as they are
 * on the wire, and bytes of any subclass become a plain `Uint8Array`, as the SDK gives them.
 */
export function copyData<Data>(data: Data): Data {
  return copyOf(data) as Data;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof Date) return new Date(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key === "__proto__") define(copy, key, copyOf(member));
    else copy[key] = copyOf(member);
  }
  return copy;
}

/** An attribute may have this name; a plain assignment would set the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * An attribute value as it is sent and stored: JSON, with bytes as base64. The whole engine works on this form, so
 * that an item can be copied from storage to an HTTP response without being parsed.
 */
export type WireValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly M: WireItem }
  | { readonly L: readonly WireValue[] }
  | { readonly NULL: boolean }
  | { readonly BOOL: boolean };

/**
 * An item, a key or a nested map. Any string is a name, even `__proto__`: write with {@link setOwn}, never by
 * assignment.
 */
export type WireItem = { readonly [name: string]: WireValue };

export type TypeTag = "S" | "N" | "B" | "SS" | "NS" | "BS" | "M" | "L" | "NULL" | "BOOL";

/** Returns the type of a checked value. */
export function tagOf(value: WireValue): TypeTag {
  for (const tag in value) return tag as TypeTag;
  throw new TypeError("attribute value has no type");
}

/** Returns the content of a checked value. */
export function contentOf(value: WireValue): unknown {
  for (const tag in value) return (value as Record<string, unknown>)[tag];
  return undefined;
}

/** Sets a member as data, whatever its name. */
export function setOwn<Value>(target: Record<string, Value>, name: string, value: Value): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** Returns an own member of the object, never one of its prototype. */
export function getOwn<Value>(source: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** Copies an object with members of any name. */
export function copyOwn<Value>(source: { readonly [name: string]: Value }): Record<string, Value> {
  const copy: Record<string, Value> = {};
  for (const name of Object.keys(source)) setOwn(copy, name, source[name] as Value);
  return copy;
}

/**
 * An attribute value as it travels and as it is stored: JSON, with bytes as base64 text. The whole engine works on
 * this form, so that an item can be copied from storage to an HTTP answer without being taken apart.
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

/** An item, a key or a nested map. Any text is a name, `__proto__` too: write with {@link setOwn}, never by assignment. */
export type WireItem = { readonly [name: string]: WireValue };

export type TypeTag = "S" | "N" | "B" | "SS" | "NS" | "BS" | "M" | "L" | "NULL" | "BOOL";

/** The type of a value that has been checked. */
export function tagOf(value: WireValue): TypeTag {
  for (const tag in value) return tag as TypeTag;
  throw new TypeError("an attribute value without a type");
}

/** The content of a value that has been checked. */
export function contentOf(value: WireValue): unknown {
  for (const tag in value) return (value as Record<string, unknown>)[tag];
  return undefined;
}

/** Sets a member as data, whatever its name is. */
export function setOwn<Value>(target: Record<string, Value>, name: string, value: Value): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** A member that the object itself has; never one of its prototype. */
export function getOwn<Value>(source: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** A copy that keeps members of any name. */
export function copyOwn<Value>(source: { readonly [name: string]: Value }): Record<string, Value> {
  const copy: Record<string, Value> = {};
  for (const name of Object.keys(source)) setOwn(copy, name, source[name] as Value);
  return copy;
}

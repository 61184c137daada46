import { ExactNumber, numberOf } from "./exact-number.ts";

/**
 * A value of a shadow document: JSON, without loss. A number that a JavaScript number does not hold exactly is a bigint or
 * an {@link ExactNumber}. Bytes and sets come from tables that the original wrote; JSON documents have none.
 */
export type DocumentValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | ExactNumber
  | Uint8Array
  | ReadonlySet<string | number | bigint | ExactNumber | Uint8Array>
  | readonly DocumentValue[]
  | DocumentObject;

/** An object of a document. */
export interface DocumentObject {
  readonly [key: string]: DocumentValue;
}

/** The same, while it is being made. */
export type OpenObject = Record<string, DocumentValue>;

/** Whether a value is an object with keys. */
export function isObject(value: DocumentValue | undefined): value is DocumentObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a value is a list. */
export function isList(value: DocumentValue | undefined): value is readonly DocumentValue[] {
  return Array.isArray(value);
}

/** Whether a value is an empty object or list. */
export function isEmpty(value: DocumentValue | undefined): boolean {
  return isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/**
 * The path of the first list that holds null; undefined if there is none. AWS IoT rejects such a list: null would be neither
 * a value nor a removal.
 */
export function listWithNull(
  value: DocumentValue,
  path: readonly (string | number)[] = [],
): readonly (string | number)[] | undefined {
  if (isList(value) && value.includes(null)) return path;
  const parts = isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  for (const [key, part] of parts) {
    if (typeof part !== "object" || part === null) continue;
    const found = listWithNull(part, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sets a key of an object under construction; `__proto__` is a key like any other. */
export function setKey<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The value of an own key; undefined if there is none. */
export function valueAt<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether two values are the same: objects by their keys, lists by their elements, numbers by their value. */
export function isSameValue(one: DocumentValue | undefined, other: DocumentValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one === "bigint") return typeof other === "number" && isSameWhole(other, one);
  if (typeof other === "bigint") return typeof one === "number" && isSameWhole(one, other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (isList(one))
    return (
      isList(other) && one.length === other.length && one.every((each, at) => isSameValue(each, other[at]))
    );
  if (isObject(one)) {
    if (!isObject(other)) return false;
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSameValue(valueAt(one, key), valueAt(other, key)))
    );
  }
  if (one instanceof ExactNumber) return other instanceof ExactNumber && one.text === other.text;
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  return one instanceof Set && other instanceof Set && isSameSet(one, other);
}

/** Whether both print the same digits: those count, not the binary fraction that a number holds. */
function isSameWhole(number: number, whole: bigint): boolean {
  return numberOf(String(whole)) === number;
}

function isSameSet(one: ReadonlySet<DocumentValue>, other: ReadonlySet<DocumentValue>): boolean {
  const others = [...other];
  return (
    one.size === other.size && [...one].every((each) => others.some((value) => isSameValue(each, value)))
  );
}

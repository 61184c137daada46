import type { ExactNumber } from "./exact-number.ts";

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

/** Whether a value is an object or a list that holds nothing. */
export function isEmpty(value: DocumentValue | undefined): boolean {
  return isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** Sets a key of an object that is being made; `__proto__` is a key like any other. */
export function setKey<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The value of an own key; undefined where there is none. */
export function valueAt<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

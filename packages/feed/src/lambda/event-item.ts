import type { AttributeValue, Item } from "@tablekeep/core";
import { recordInvalid } from "../stream/decode-record.ts";

/** Decodes an item of an event: DynamoDB's JSON, in which `B` and `BS` are base64. */
export function eventItem(value: unknown, path: string): Item {
  if (!isObject(value)) throw recordInvalid(path, `must be an object, got ${typeOf(value)}`);
  const item: Item = {};
  for (const [name, member] of Object.entries(value))
    setOwn(item, name, eventValue(member, `${path}.${name}`));
  return item;
}

function eventValue(value: unknown, path: string): AttributeValue {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : [];
  if (entry === undefined || more.length > 0) {
    throw recordInvalid(path, `must be an attribute value, got ${typeOf(value)}`);
  }
  const [type, content] = entry;
  const decode = Object.hasOwn(decoders, type) ? decoders[type] : undefined;
  const decoded = decode?.(content, path);
  if (decoded === undefined) throw recordInvalid(path, `must be an attribute value, got ${type}`);
  return decoded;
}

const decoders: Readonly<Record<string, (content: unknown, path: string) => AttributeValue | undefined>> = {
  S: (content) => (typeof content === "string" ? { S: content } : undefined),
  N: (content) => (typeof content === "string" ? { N: content } : undefined),
  B: (content) => (typeof content === "string" ? { B: fromBase64(content) } : undefined),
  BOOL: (content) => (typeof content === "boolean" ? { BOOL: content } : undefined),
  NULL: (content) => (typeof content === "boolean" ? { NULL: content } : undefined),
  SS: (content) => (isStrings(content) ? { SS: content } : undefined),
  NS: (content) => (isStrings(content) ? { NS: content } : undefined),
  BS: (content) => (isStrings(content) ? { BS: content.map(fromBase64) } : undefined),
  L: (content, path) =>
    Array.isArray(content)
      ? { L: content.map((element, at) => eventValue(element, `${path}.L[${at}]`)) }
      : undefined,
  M: (content, path) => (isObject(content) ? { M: eventItem(content, `${path}.M`) } : undefined),
};

/** An attribute may be called `__proto__`. */
function setOwn(item: Item, name: string, value: AttributeValue): void {
  Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns a separate array, not a view of a shared buffer. */
function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "base64"));
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the name of a value's type, for messages. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

import type { AttributeValue, Item } from "@tablekeep/core";
import type { DocumentObject, DocumentValue } from "@tablekeep/shadow";

/** An item of plain JSON: `{ "id": "1", "total": 5 }`. Numbers keep all their digits. */
export function plainItem(document: DocumentObject): Item {
  const entries = Object.entries(document);
  // Defines own members: an attribute may be called __proto__.
  return Object.fromEntries(entries.map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: DocumentValue): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(plainValue) };
  // A number of any size is a number, a bigint or an object that prints its digits.
  const isObject = typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
  return isObject ? { M: plainItem(value as DocumentObject) } : { N: String(value) };
}

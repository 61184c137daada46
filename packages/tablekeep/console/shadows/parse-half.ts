import { isObject, parseExact } from "../json/exact-json.ts";

/** The typed half: a document, or why it is not one. */
export type TypedHalf = { readonly document: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** Parses a typed document. */
export function parseHalf(text: string): TypedHalf {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "Invalid JSON." };
  }
  if (!isObject(value)) return { fault: "A state must be an object: { … }" };
  if (hasNull(value)) return { fault: "null would remove a value: omit the name instead." };
  return { document: value };
}

function hasNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasNull);
  return isObject(value) ? Object.values(value).some(hasNull) : value === null;
}

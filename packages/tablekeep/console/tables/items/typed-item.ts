import { isObject, keepsDigits, parseExact } from "../../json/exact-json.ts";
import { jsonTokens } from "../../json/json-tokens.ts";
import type { WireItem, WireValue } from "../api/table-facts.ts";

/** The notation of a typed item: plain JSON, or DynamoDB's. */
export type TextForm = "plain" | "dynamodb";

/** The typed item, or why it is not one. */
export type TypedItem = { readonly item: WireItem } | { readonly fault: string };

const plainTypes = new Set(["S", "N", "BOOL", "NULL", "L", "M"]);

/**
 * Whether plain JSON represents an item without loss: sets and bytes would become lists and strings, and older browsers round
 * long numbers.
 */
export function isPlain(item: WireItem): boolean {
  return Object.values(item).every(isPlainValue);
}

function isPlainValue(value: WireValue): boolean {
  const [type = "", content] = Object.entries(value)[0] ?? [];
  if (type === "L") return (content as readonly WireValue[]).every(isPlainValue);
  if (type === "N") return keepsDigits(String(content));
  return type === "M" ? isPlain(content as WireItem) : plainTypes.has(type);
}

/** Parses a typed item. The server checks types and values. */
export function parseItem(text: string, form: TextForm): TypedItem {
  let value: unknown;
  try {
    value = form === "plain" ? parseExact(text) : JSON.parse(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "Invalid JSON." };
  }
  const rounded =
    form === "plain" && jsonTokens(text).find((each) => each.kind === "number" && !keepsDigits(each.text));
  if (rounded) return { fault: `This browser would round ${rounded.text}: use DynamoDB JSON.` };
  if (!isObject(value)) return { fault: "An item must be an object: { … }" };
  return { item: form === "plain" ? wireMembers(value) : (value as WireItem) };
}

function wireMembers(members: Readonly<Record<string, unknown>>): WireItem {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, wireValue(value)]));
}

function wireValue(value: unknown): WireValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(wireValue) };
  // Numbers that the browser would round keep their text.
  return isObject(value) ? { M: wireMembers(value) } : { N: JSON.stringify(value) };
}

/** Parses a typed list of values in plain JSON; an empty text is an empty list. */
export function parseValues(
  text: string,
): { readonly values: readonly WireValue[] } | { readonly fault: string } {
  if (text.trim() === "") return { values: [] };
  const typed = parseItem(`{"values":${text}\n}`, "plain");
  if ("fault" in typed) return typed;
  const list = typed.item["values"]?.["L"];
  if (Object.keys(typed.item).length === 1 && Array.isArray(list))
    return { values: list as readonly WireValue[] };
  return { fault: 'Parameters must be a JSON list, such as ["ann", 5]' };
}

import type { WireItem, WireValue } from "../api/table-facts.ts";
import type { TypedItem } from "./typed-item.ts";

/** The types of attributes, with their names. */
export const fieldTypes = {
  S: "string",
  N: "number",
  BOOL: "true/false",
  NULL: "null",
  M: "map",
  L: "list",
  SS: "string set",
  NS: "number set",
  B: "bytes",
  BS: "bytes set",
} as const;

export type FieldType = keyof typeof fieldTypes;

/** One attribute in a form: scalars as text, others as DynamoDB's JSON of their content. */
export interface ItemField {
  readonly name: string;
  readonly type: FieldType;
  readonly text: string;
}

const scalars = new Set<FieldType>(["S", "N", "B"]);

/** Whether the text of a type is JSON. */
export function isJsonType(type: FieldType): boolean {
  return !scalars.has(type) && type !== "BOOL" && type !== "NULL";
}

/** The fields of an item, those of its key first. */
export function fieldsOf(item: WireItem, keys: readonly string[] = []): readonly ItemField[] {
  const isKey = ([name]: readonly [string, unknown]) => keys.includes(name);
  const entries = Object.entries(item);
  return [...entries.filter(isKey), ...entries.filter((entry) => !isKey(entry))].map(([name, value]) => {
    const [type = "S", content] = Object.entries(value)[0] ?? [];
    const known = (type in fieldTypes ? type : "S") as FieldType;
    return { name, type: known, text: isJsonType(known) ? JSON.stringify(content) : String(content) };
  });
}

/** The item that fields describe, or what is wrong with them. The server checks types and values. */
export function itemOfFields(fields: readonly ItemField[]): TypedItem {
  const seen = new Set<string>();
  const entries: [string, WireValue][] = [];
  for (const { name, type, text } of fields) {
    if (name === "") return { fault: "An attribute has no name." };
    if (seen.has(name)) return { fault: `The attribute ${name} is listed twice.` };
    seen.add(name);
    const content = contentOf(type, text);
    if (content === undefined) return { fault: `The attribute ${name} must be ${expected[type]}.` };
    entries.push([name, { [type]: content }]);
  }
  return { item: Object.fromEntries(entries) };
}

const expected: Readonly<Partial<Record<FieldType, string>>> = {
  N: "a number, such as 12.5",
  M: 'a map in DynamoDB JSON, such as {"city":{"S":"Bern"}}',
  L: 'a list in DynamoDB JSON, such as [{"S":"a"},{"N":"1"}]',
  SS: 'a list of strings, such as ["a","b"]',
  NS: 'a list of numbers as strings, such as ["1","2"]',
  BS: 'a list of base64 strings, such as ["AQI="]',
};

function contentOf(type: FieldType, text: string): unknown {
  if (type === "NULL") return true;
  if (type === "BOOL") return text === "true";
  if (type === "N")
    return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.trim()) ? text.trim() : undefined;
  if (!isJsonType(type)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value);
    if (type === "M") return typeof value === "object" && value !== null && !isList ? value : undefined;
    return isList ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text that a field of a type begins with. */
export function firstText(type: FieldType): string {
  if (type === "M") return "{}";
  if (type === "BOOL") return "true";
  return isJsonType(type) ? "[]" : "";
}

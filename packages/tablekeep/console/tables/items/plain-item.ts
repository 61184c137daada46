import { plainNumber } from "../../json/exact-json.ts";
import { shortJson } from "../../json/short-json.ts";
import type { WireItem, WireValue } from "../api/table-facts.ts";

/** An item as plain JSON: sets are lists, bytes are base64. */
export function plainItem(item: WireItem): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));
}

/** An item in one short line. Its attributes are converted only as far as they are shown. */
export function itemPreview(item: WireItem, maxCharacters: number): string {
  return shortJson(item, maxCharacters, (value) => (isWireValue(value) ? openValue(value).content : value));
}

/** A value in one short line. */
export function valuePreview(value: WireValue, maxCharacters: number): string {
  return shortJson(openValue(value).content, maxCharacters, (each) =>
    isWireValue(each) ? openValue(each).content : each,
  );
}

function plainValue(value: WireValue): unknown {
  const { type, content } = openValue(value);
  if (type === "L" && Array.isArray(content)) return content.map((each) => plainValue(each as WireValue));
  return type === "M" ? plainItem(content as WireItem) : content;
}

/** The content of a value, including nested values. */
function openValue(value: WireValue): { readonly type: string; readonly content: unknown } {
  const [type = "", content] = Object.entries(value)[0] ?? [];
  if (type === "N") return { type, content: plainNumber(String(content)) };
  if (type === "NS" && Array.isArray(content))
    return { type, content: content.map((each) => plainNumber(String(each))) };
  return { type, content: type === "NULL" ? null : content };
}

/** Texts and numbers of sets are not wrapped. */
function isWireValue(value: unknown): value is WireValue {
  return typeof value === "object" && value !== null;
}

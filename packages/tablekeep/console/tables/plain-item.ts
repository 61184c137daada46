import { plainNumber } from "../json/exact-json.ts";
import type { WireItem, WireValue } from "./table-facts.ts";

/** An item as plain JSON: sets are lists, bytes are base64. */
export function plainItem(item: WireItem): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: WireValue): unknown {
  const [type, content] = Object.entries(value)[0] ?? [];
  if (type === "N") return plainNumber(String(content));
  if (type === "NS" && Array.isArray(content)) return content.map((each) => plainNumber(String(each)));
  if (type === "L" && Array.isArray(content)) return content.map((each) => plainValue(each as WireValue));
  if (type === "M") return plainItem(content as WireItem);
  return type === "NULL" ? null : content;
}

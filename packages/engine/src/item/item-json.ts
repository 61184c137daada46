import type { WireItem, WireValue } from "./wire-value.ts";

/** From this many bytes an attribute on, joining texts is faster than `JSON.stringify`. */
const longAttribute = 100;

/**
 * The JSON of a checked item of so many bytes; the same as `JSON.stringify` makes. That one copies texts character by
 * character; long ones in which nothing is to be escaped are joined here as they are.
 */
export function itemJson(item: WireItem, size: number): string {
  const names = Object.keys(item);
  if (size < names.length * longAttribute) return JSON.stringify(item);
  let json = "";
  for (const name of names) {
    json += `${json === "" ? "{" : ","}${quoted(name)}:${valueJson(item[name] as WireValue)}`;
  }
  return json === "" ? "{}" : `${json}}`;
}

function valueJson(value: WireValue): string {
  if ("S" in value) return `{"S":${quoted(value.S)}}`;
  // Neither numbers in normal form nor base64 have anything to escape.
  if ("N" in value) return `{"N":"${value.N}"}`;
  if ("B" in value) return `{"B":"${value.B}"}`;
  return JSON.stringify(value);
}

function quoted(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/** Characters below the space, by the others: linters take control characters in a pattern for a mistake. */
const controls = /[^ -\uffff]/;

/** Whether a text stands in JSON as it is. To look for two characters and one range is faster than for all in one. */
function isPlain(text: string): boolean {
  if (text.includes('"') || text.includes("\\") || controls.test(text)) return false;
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

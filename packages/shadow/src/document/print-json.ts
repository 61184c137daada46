import { type DocumentValue, isList, isObject } from "./document-value.ts";
import { ExactNumber } from "./exact-number.ts";

/** Compact JSON. Numbers keep all their digits; bytes are base64, sets are lists, as Go's encoder writes them. */
export function printJson(value: DocumentValue): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("base64")}"`;
  if (isList(value)) return `[${value.map(printJson).join(",")}]`;
  if (value instanceof Set) return `[${[...(value as ReadonlySet<DocumentValue>)].map(printJson).join(",")}]`;
  return printObject(value);
}

function printObject(value: DocumentValue): string {
  if (!isObject(value)) throw new TypeError("not a value of a document");
  const parts: string[] = [];
  for (const [key, each] of Object.entries(value)) {
    if (each !== undefined) parts.push(`${JSON.stringify(key)}:${printJson(each)}`);
  }
  return `{${parts.join(",")}}`;
}

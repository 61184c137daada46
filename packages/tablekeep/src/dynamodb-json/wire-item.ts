import type { AttributeValue, Item } from "@tablekeep/core";

/** An item as the wire has it: bytes as base64. */
export function wireItem(item: Item): object {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, wireValue(value)]));
}

function wireValue(value: AttributeValue): object {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.M !== undefined) return { M: wireItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(wireValue) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

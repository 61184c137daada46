import { type AttributeValue, type Item, itemSize, maxItemBytes } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";

/**
 * Throws `CLIENT_LIMIT_EXCEEDED` for an item that DynamoDB would reject as too large, before it is sent.
 *
 * @example
 * checkItemSize({ pk: { S: "a" }, text: { S: "x".repeat(500_000) } }); // throws CLIENT_LIMIT_EXCEEDED
 */
export function checkItemSize(item: Item): void {
  const actual = itemSize(item);
  if (actual <= maxItemBytes) return;
  throw new ClientError(
    "CLIENT_LIMIT_EXCEEDED",
    `item has ${actual} bytes, but DynamoDB stores at most ${maxItemBytes}: shorten, compress or split it`,
    { limit: "item bytes", actual, maximum: maxItemBytes },
  );
}

/**
 * The bytes of an item in the JSON of a request, exactly. DynamoDB's limits on a whole request count these, and they can
 * be several times {@link itemSize}: binaries travel as base64, control characters as six bytes, a boolean as 13.
 */
export function itemWireSize(item: Item): number {
  let bytes = 2;
  let commas = -1;
  for (const name in item) {
    const value = item[name];
    if (value === undefined) continue;
    bytes += textWireSize(name) + 1 + attributeWireSize(value);
    commas++;
  }
  return bytes + Math.max(0, commas);
}

/** The bytes of a string in JSON, including quotes. */
function textWireSize(text: string): number {
  if (!mayNeedEscapes.test(text)) return Buffer.byteLength(text) + 2;
  return Buffer.byteLength(JSON.stringify(text));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
const mayNeedEscapes = /["\\\u0000-\u001f\ud800-\udfff]/;

function attributeWireSize(value: AttributeValue): number {
  if (value.S !== undefined) return tagged("S", textWireSize(value.S));
  if (value.N !== undefined) return tagged("N", textWireSize(value.N));
  if (value.B !== undefined) return tagged("B", base64WireSize(value.B));
  if (value.SS !== undefined) return tagged("SS", arrayWireSize(value.SS, textWireSize));
  if (value.NS !== undefined) return tagged("NS", arrayWireSize(value.NS, textWireSize));
  if (value.BS !== undefined) return tagged("BS", arrayWireSize(value.BS, base64WireSize));
  if (value.L !== undefined) return tagged("L", arrayWireSize(value.L, attributeWireSize));
  if (value.M !== undefined) return tagged("M", itemWireSize(value.M));
  if (value.NULL !== undefined) return tagged("NULL", String(value.NULL).length);
  return tagged("BOOL", String(value.BOOL).length);
}

/** `{"tag":…}` */
function tagged(tag: string, contents: number): number {
  return tag.length + 5 + contents;
}

function base64WireSize(bytes: Uint8Array): number {
  return 4 * Math.ceil(bytes.byteLength / 3) + 2;
}

function arrayWireSize<Element>(elements: readonly Element[], sizeOf: (element: Element) => number): number {
  let bytes = 2 + Math.max(0, elements.length - 1);
  for (const element of elements) bytes += sizeOf(element);
  return bytes;
}

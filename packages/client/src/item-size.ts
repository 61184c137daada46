import type { AttributeValue, Item } from "@tablekeep/core";
import { ClientError } from "./client-error.ts";
import { parseDecimal } from "./decimal-text.ts";

/** The largest item that DynamoDB stores, in bytes of names and values. */
export const maxItemBytes = 409_600;

/**
 * The size of an item as DynamoDB counts it, in bytes: names and values, with the overhead of lists and maps. The
 * 100 bytes that storage billing adds to every item are not part of it.
 */
export function itemSize(item: Item): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += Buffer.byteLength(name) + attributeSize(value);
  }
  return bytes;
}

/** The size of one attribute value without its name, in bytes. */
export function attributeSize(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.SS !== undefined) return sum(value.SS, (text) => Buffer.byteLength(text));
  if (value.NS !== undefined) return sum(value.NS, numberSize);
  if (value.BS !== undefined) return sum(value.BS, (bytes) => bytes.byteLength);
  // AWS: a list or map has 3 bytes of overhead, and 1 for each element.
  if (value.L !== undefined) return 3 + sum(value.L, (element) => 1 + attributeSize(element));
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemSize(value.M);
  return 1;
}

/** Whether DynamoDB can store an item of this size. */
export function fitsItem(item: Item): boolean {
  return itemSize(item) <= maxItemBytes;
}

/** Throws `CLIENT_LIMIT_EXCEEDED` for an item that DynamoDB would refuse as too large, before it is sent. */
export function checkItemSize(item: Item): void {
  const actual = itemSize(item);
  if (actual <= maxItemBytes) return;
  throw new ClientError(
    "CLIENT_LIMIT_EXCEEDED",
    `the item has ${actual} bytes, DynamoDB stores ${maxItemBytes} (make it smaller, compress or split it)`,
    { limit: "item bytes", actual, maximum: maxItemBytes },
  );
}

/**
 * AWS says "approximately": one byte for two significant digits, and one. Found by filling items to the last byte on
 * DynamoDB Local: the digits are counted in pairs to both sides of the decimal point (12 is one pair, 1.2 and 123 are
 * two), zero is 1 byte in all, a negative number has 1 more, and nothing is larger than 21.
 */
function numberSize(text: string): number {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return Buffer.byteLength(text);
  const { digits, exponent, negative } = decimal;
  if (digits === "") return 1;
  const pairs = Math.ceil(exponent / 2) - Math.floor((exponent - digits.length) / 2);
  return Math.min(21, 1 + pairs + (negative ? 1 : 0));
}

function sum<Element>(elements: readonly Element[], sizeOf: (element: Element) => number): number {
  let total = 0;
  for (const element of elements) total += sizeOf(element);
  return total;
}

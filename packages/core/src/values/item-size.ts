import type { AttributeValue, Item } from "./attribute-value.ts";

/** The largest item that DynamoDB stores, in bytes of names and values. */
export const maxItemBytes = 409_600;

/** A number never counts more bytes than this, however many digits it has. */
const maxNumberBytes = 21;

/** An attribute value whose bytes may also be a base64 string, as in DynamoDB's JSON. */
export type SizedValue =
  | AttributeValue
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string | Uint8Array }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly (string | Uint8Array)[] }
  | { readonly M: SizedItem }
  | { readonly L: readonly SizedValue[] }
  | { readonly NULL: boolean }
  | { readonly BOOL: boolean };

/** An item of such values. */
export type SizedItem = { readonly [name: string]: SizedValue };

/**
 * Returns the size of an item as DynamoDB counts it, in bytes: names and values, with the overhead of lists and maps. The
 * 100 bytes that storage billing adds to every item are not included.
 *
 * @example
 * itemSize({ pk: { S: "a" } }); // 3
 */
export function itemSize(item: Item | SizedItem): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += Buffer.byteLength(name) + attributeSize(value);
  }
  return bytes;
}

/**
 * Returns whether DynamoDB can store an item of this size.
 *
 * @example
 * fitsItem({ pk: { S: "a" } }); // true
 */
export function fitsItem(item: Item): boolean {
  return itemSize(item) <= maxItemBytes;
}

/**
 * Returns the size of one attribute value without its name, in bytes.
 *
 * @example
 * attributeSize({ S: "abc" }); // 3
 */
export function attributeSize(value: SizedValue): number {
  // By the first tag that is set: testing for one tag after the other takes up to nine times as long.
  for (const tag in value) {
    const content = (value as Readonly<Record<string, unknown>>)[tag];
    if (content !== undefined) return contentSize(tag, content);
  }
  return 1;
}

function contentSize(tag: string, content: unknown): number {
  switch (tag) {
    case "S":
      return Buffer.byteLength(content as string);
    case "N":
      return numberSize(content as string);
    case "B":
      return bytesSize(content as string | Uint8Array);
    case "SS":
      return total(content as readonly string[], Buffer.byteLength);
    case "NS":
      return total(content as readonly string[], numberSize);
    case "BS":
      return total(content as readonly (string | Uint8Array)[], bytesSize);
    // AWS: a list or map has 3 bytes of overhead, and 1 for each element.
    case "L":
      return (
        3 + (content as readonly SizedValue[]).length + total(content as readonly SizedValue[], attributeSize)
      );
    case "M":
      return 3 + Object.keys(content as object).length + itemSize(content as SizedItem);
    default:
      return 1;
  }
}

function bytesSize(bytes: string | Uint8Array): number {
  return typeof bytes === "string" ? base64Size(bytes) : bytes.byteLength;
}

/**
 * Returns the number of bytes that a base64 string encodes.
 *
 * @example
 * base64Size("AAEC"); // 3
 */
export function base64Size(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length * 3) / 4 - padding;
}

/**
 * Returns the size of a number, however it is written. AWS says "approximately": one byte for two significant digits, and
 * one. Found by filling items to the last byte on DynamoDB Local: the digits are counted in pairs to both sides of the
 * decimal point (12 is one pair, 1.2 and 123 are two), zero is 1 byte in all, a negative number has 1 more, and nothing is
 * larger than 21.
 *
 * @example
 * numberSize("100"); // 2
 */
export function numberSize(text: string): number {
  const sign = text.charCodeAt(0);
  let seen = 0;
  let point = -1;
  let first = -1;
  let last = -1;
  let power = 0;
  for (let at = sign === 45 || sign === 43 ? 1 : 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      if (code !== 48) {
        if (first < 0) first = seen;
        last = seen;
      }
      seen++;
    } else if (code === 46 && point < 0) {
      point = seen;
    } else if (code === 101 || code === 69) {
      power = Number(text.slice(at + 1));
      break;
    } else {
      return text.trim() === text ? Buffer.byteLength(text) : numberSize(text.trim());
    }
  }
  if (seen === 0) return Buffer.byteLength(text);
  if (first < 0) return 1;
  if (point < 0) point = seen;
  const pairs = Math.ceil((point - first + power) / 2) - Math.floor((point - last - 1 + power) / 2);
  return Math.min(maxNumberBytes, 1 + pairs + (sign === 45 ? 1 : 0));
}

function total<Element>(elements: readonly Element[], sizeOf: (element: Element) => number): number {
  let bytes = 0;
  for (const element of elements) bytes += sizeOf(element);
  return bytes;
}

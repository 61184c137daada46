import { contentOf, tagOf, type WireItem, type WireValue } from "./wire-value.ts";

/** Bytes that DynamoDB counts for an item: names and values. */
export function itemSize(item: WireItem): number {
  let size = 0;
  for (const name of Object.keys(item)) size += Buffer.byteLength(name) + valueSize(item[name] as WireValue);
  return size;
}

/** Bytes that DynamoDB counts for one value. */
export function valueSize(value: WireValue): number {
  const content = contentOf(value);
  switch (tagOf(value)) {
    case "S":
      return Buffer.byteLength(content as string);
    case "N":
      return numberSize(content as string);
    case "B":
      return bytesSize(content as string);
    case "BOOL":
    case "NULL":
      return 1;
    case "SS":
      return total(content as readonly string[], Buffer.byteLength);
    case "NS":
      return total(content as readonly string[], numberSize);
    case "BS":
      return total(content as readonly string[], bytesSize);
    case "L":
      // AWS: Limits — a list or map costs 3 bytes and 1 more an element.
      return 3 + total(content as readonly WireValue[], (each) => 1 + valueSize(each));
    case "M":
      return 3 + Object.keys(content as WireItem).length + itemSize(content as WireItem);
  }
}

/** Two digits a byte, one byte more, and one for the sign below zero; zeros at either end do not count. */
export function numberSize(normalized: string): number {
  const digits = significantDigits(normalized);
  return Math.ceil(digits / 2) + 1 + (normalized.charCodeAt(0) === 45 ? 1 : 0);
}

function significantDigits(normalized: string): number {
  let digits = 0;
  let pendingZeros = 0;
  for (let at = 0; at < normalized.length; at++) {
    const code = normalized.charCodeAt(at);
    if (code === 48) {
      if (digits > 0) pendingZeros++;
    } else if (code > 48 && code < 58) {
      digits += pendingZeros + 1;
      pendingZeros = 0;
    }
  }
  return digits;
}

/** The length of what base64 text stands for. */
export function bytesSize(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length * 3) / 4 - padding;
}

function total<Element>(elements: readonly Element[], sizeOf: (element: Element) => number): number {
  let size = 0;
  for (const element of elements) size += sizeOf(element);
  return size;
}

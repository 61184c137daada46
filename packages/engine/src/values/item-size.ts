import { contentOf, tagOf, type WireItem, type WireValue } from "./wire-value.ts";

/** A number never counts more, however its digits lie. */
const maxNumberBytes = 21;

/** Bytes that DynamoDB counts for an item: names and values. */
export function itemSize(item: WireItem): number {
  let size = 0;
  for (const name of Object.keys(item)) size += Buffer.byteLength(name) + valueSize(item[name] as WireValue);
  return size;
}

/** Bytes that DynamoDB counts for one value. */
function valueSize(value: WireValue): number {
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

/**
 * Two digits a byte, counted in pairs from the decimal point outwards, one byte more, and one for the sign below zero.
 * Zeros at either end do not count.
 */
export function numberSize(normalized: string): number {
  if (normalized === "0") return 1;
  const negative = normalized.charCodeAt(0) === 45;
  const digits = negative ? normalized.slice(1) : normalized;
  const point = digits.indexOf(".");
  const whole = point < 0 ? digits : digits.slice(0, point);
  const fraction = point < 0 ? "" : digits.slice(point + 1);
  return Math.min(maxNumberBytes, 1 + pairsBetween(whole, fraction) + (negative ? 1 : 0));
}

/** Pairs of digits from the first that is not zero to the last that is not zero. */
function pairsBetween(whole: string, fraction: string): number {
  const first = whole === "0" ? -firstDigit(fraction) : whole.length;
  const last = fraction === "" ? trailingZeros(whole) : -fraction.length;
  return Math.ceil(first / 2) - Math.floor(last / 2);
}

function firstDigit(fraction: string): number {
  let at = 0;
  while (fraction.charCodeAt(at) === 48) at++;
  return at;
}

function trailingZeros(whole: string): number {
  let zeros = 0;
  while (whole.charCodeAt(whole.length - 1 - zeros) === 48) zeros++;
  return zeros;
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

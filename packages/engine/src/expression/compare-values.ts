import type { WireValue } from "../item/wire-value.ts";
import { utf8Bytes } from "../key-order/key-bytes.ts";
import { compareNumbers } from "../number/decimal.ts";

/** The order of two values of one type that has an order: text by UTF-8 bytes, numbers by value, bytes unsigned. */
export function compareValues(left: WireValue, right: WireValue): number | undefined {
  if ("N" in left && "N" in right) return compareNumbers(left.N, right.N);
  if ("S" in left && "S" in right) return compareBytes(utf8Bytes(left.S), utf8Bytes(right.S));
  if ("B" in left && "B" in right) return compareBytes(bytesOf(left.B), bytesOf(right.B));
  return undefined;
}

function bytesOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

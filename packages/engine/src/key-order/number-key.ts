import { type Decimal, storedDecimal } from "../number/decimal.ts";

/** Sign bytes; the middle one is the whole key of zero. */
const negativeByte = "\x7f";
const zeroByte = "\x80";
const positiveByte = "\x81";
/** Makes the smallest exponent, -130, byte 0. */
const exponentBias = 130;

/**
 * A number as bytes whose order is the order of the numbers: sign, exponent, digits two a byte. Below zero all bytes
 * after the sign are complemented. A last byte ends the digits, so that no number's key begins another's.
 */
export function numberKey(normalized: string): string {
  const decimal = storedDecimal(normalized);
  if (decimal.digits === "") return zeroByte;
  return (decimal.negative ? negativeByte : positiveByte) + String.fromCharCode(...magnitudeBytes(decimal));
}

function magnitudeBytes({ negative, digits, exponent }: Decimal): number[] {
  const bytes = [exponent + exponentBias];
  for (let at = 0; at < digits.length; at += 2) {
    bytes.push(Number(digits.slice(at, at + 2).padEnd(2, "0")) + 1);
  }
  bytes.push(0);
  return negative ? bytes.map((byte) => 255 - byte) : bytes;
}

/** A decimal number in its normal form: `0.digits × 10^exponent`, digits without leading and trailing zeros. */
export interface Decimal {
  readonly negative: boolean;
  /** Empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

const zero: Decimal = { negative: false, digits: "", exponent: 0 };
const pattern = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/;

/** Reads the text of a DynamoDB number; undefined if it is none. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text === "0") return zero;
  if (isPlain(text)) return { negative: false, digits: withoutTrailingZeros(text), exponent: text.length };
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", power = "0"] = match;
  const written = whole + fraction;
  if (written === "") return undefined;
  const leading = leadingZeros(written);
  const digits = withoutTrailingZeros(written.slice(leading));
  if (digits === "") return zero;
  return { negative: sign === "-", digits, exponent: whole.length - leading + Number(power) };
}

/** One text for all ways to write the same number. Numbers are keys by value: `1`, `1.0` and `10e-1` are one key. */
export function canonicalNumber(text: string): string {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text;
  return `${decimal.negative ? "-" : ""}${decimal.digits}e${decimal.exponent}`;
}

/** Whether a number is written as nearly all are: digits, the first of them not zero. */
function isPlain(text: string): boolean {
  if (text === "" || text.charCodeAt(0) === 48) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function leadingZeros(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(count) === 48) count++;
  return count;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

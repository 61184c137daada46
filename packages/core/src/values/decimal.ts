/** AWS: up to 38 significant digits, magnitudes from 1E-130 to 9.99…E+125. Arithmetic is decimal and exact. */
const maxDigits = 38;
const maxExponent = 125;
const minExponent = -130;

/** Why a string is not a number that DynamoDB stores. */
export type NumberFault = "not-a-number" | "overflow" | "underflow" | "too-many-digits";

/** The parts of a number: `sign * 0.digits * 10^(exponent + 1)`; zero has no digits. */
export interface Decimal {
  readonly negative: boolean;
  /** Significant digits, without leading and trailing zeros. */
  readonly digits: string;
  /** The power of ten of the first digit. */
  readonly exponent: number;
}

const zero: Decimal = { negative: false, digits: "", exponent: 0 };

/** Numbers that are in normal form already: small integers, the usual case. */
const plainInteger = /^(?:0|-?[1-9][0-9]{0,14})$/;
const anyNumber = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;
/** AWS reads an exponent as a 64-bit integer. */
const maxReadExponent = 2n ** 63n - 1n;

/**
 * Returns a number in normal form (plain decimal, no superfluous zeros), or why DynamoDB would reject it.
 *
 * @example
 * normalizeNumber("1.50"); // { text: "1.5" }
 */
export function normalizeNumber(text: string): { text: string } | { fault: NumberFault } {
  if (plainInteger.test(text)) return { text };
  const parsed = parseDecimal(text);
  return "fault" in parsed ? parsed : { text: formatDecimal(parsed) };
}

/**
 * Returns one string for all ways to write the same number: `1`, `1.0` and `10e-1` are one key. Others stay as they are.
 *
 * @example
 * canonicalNumber("10e-1"); // "1"
 */
export function canonicalNumber(text: string): string {
  if (plainInteger.test(text)) return text;
  const parsed = parseDecimal(text.trim());
  return "fault" in parsed ? text : formatDecimal(parsed);
}

function parseDecimal(text: string): Decimal | { fault: NumberFault } {
  const match = anyNumber.exec(text);
  const whole = match?.[2] ?? "";
  const fraction = match?.[3] ?? "";
  if (match === null || whole.length + fraction.length === 0) return { fault: "not-a-number" };
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  const written = match[4] ?? "0";
  if (!isReadable(written)) return { fault: "not-a-number" };
  // Zero counts by the exponent that it is written with.
  const exponent = first < 0 ? Number(written) : whole.length - 1 - first + Number(written);
  if (exponent > maxExponent) return { fault: "overflow" };
  if (exponent < minExponent) return { fault: "underflow" };
  if (first < 0) return zero;
  const digits = trimEndZeros(all.slice(first));
  if (digits.length > maxDigits) return { fault: "too-many-digits" };
  return { negative: match[1] === "-", digits, exponent };
}

function isReadable(exponent: string): boolean {
  if (exponent.length < 19) return true;
  const digits = exponent.replace(/^[+-]?0*/, "");
  return digits.length < 19 || (digits.length === 19 && BigInt(digits) <= maxReadExponent);
}

function formatDecimal({ negative, digits, exponent }: Decimal): string {
  if (digits === "") return "0";
  const sign = negative ? "-" : "";
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const wholeLength = exponent + 1;
  if (digits.length <= wholeLength) return sign + digits.padEnd(wholeLength, "0");
  return `${sign}${digits.slice(0, wholeLength)}.${digits.slice(wholeLength)}`;
}

/** Returns the parts of a {@link plainInteger}. */
function integerParts(text: string): Decimal {
  if (text === "0") return zero;
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  return { negative, digits: trimEndZeros(digits), exponent: digits.length - 1 };
}

/**
 * Returns the parts of a number that was checked before it was stored.
 *
 * @example
 * const { negative, digits, exponent } = storedDecimal("-1.5");
 */
export function storedDecimal(text: string): Decimal {
  if (plainInteger.test(text)) return integerParts(text);
  const parsed = parseDecimal(text);
  if ("fault" in parsed)
    throw new TypeError(`stored number ${JSON.stringify(text)} is not valid: ${parsed.fault}`);
  return parsed;
}

/**
 * Returns -1, 0 or 1. Both numbers are in normal form.
 *
 * @example
 * compareNumbers("9", "10"); // -1
 */
export function compareNumbers(left: string, right: string): number {
  if (left === right) return 0;
  if (plainInteger.test(left) && plainInteger.test(right)) return Number(left) < Number(right) ? -1 : 1;
  const a = storedDecimal(left);
  const b = storedDecimal(right);
  if (signOf(a) !== signOf(b)) return signOf(a) < signOf(b) ? -1 : 1;
  const magnitudes = compareMagnitudes(a, b);
  return a.negative ? -magnitudes : magnitudes;
}

/**
 * Returns the exact sum in normal form, or why DynamoDB cannot store it.
 *
 * @example
 * addNumbers("0.1", "0.2"); // { text: "0.3" }
 */
export function addNumbers(left: string, right: string): { text: string } | { fault: NumberFault } {
  if (plainInteger.test(left) && plainInteger.test(right))
    return { text: String(Number(left) + Number(right)) };
  const a = storedDecimal(left);
  const b = storedDecimal(right);
  const scale = Math.min(lowestPower(a), lowestPower(b));
  return fromScaled(scaled(a, scale) + scaled(b, scale), scale);
}

/**
 * Returns the exact difference in normal form, or why DynamoDB cannot store it.
 *
 * @example
 * subtractNumbers("1", "0.75"); // { text: "0.25" }
 */
export function subtractNumbers(left: string, right: string): { text: string } | { fault: NumberFault } {
  return addNumbers(left, negate(right));
}

function negate(text: string): string {
  if (text === "0") return text;
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === "") return 0;
  return negative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

/** The power of ten of the last significant digit. */
function lowestPower({ digits, exponent }: Decimal): number {
  return digits === "" ? 0 : exponent - digits.length + 1;
}

function scaled(decimal: Decimal, scale: number): bigint {
  if (decimal.digits === "") return 0n;
  const magnitude = BigInt(decimal.digits + "0".repeat(lowestPower(decimal) - scale));
  return decimal.negative ? -magnitude : magnitude;
}

function fromScaled(value: bigint, scale: number): { text: string } | { fault: NumberFault } {
  const parsed = parseDecimal(`${value}E${scale}`);
  return "fault" in parsed ? parsed : { text: formatDecimal(parsed) };
}

/** A loop, because a regular expression takes quadratic time if a long run of zeros is not at the end. */
function trimEndZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

/** A decimal number: `0.<digits> × 10^exponent`. Zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/**
 * A number with a fraction that a JavaScript number does not hold exactly: its decimal digits.
 *
 * @example
 * String(parseJson("0.12345678901234567890123")); // "0.12345678901234567890123"
 */
export class ExactNumber {
  /** As in JSON, in the shortest form. */
  readonly text: string;

  constructor(text: string) {
    const decimal = decimalOf(text);
    if (decimal === undefined) throw new TypeError(`${text} is not a number`);
    this.text = printDecimal(decimal);
  }

  toString(): string {
    return this.text;
  }
}

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** At most 15 digits: a JavaScript number reproduces them. */
const surelyExact = /^-?(?:\d{1,15}|\d{1,7}\.\d{1,8})$/;

/** The number of a decimal string: a JavaScript number if that has the same digits, otherwise an exact one. */
export function numberOf(text: string): number | bigint | ExactNumber {
  if (surelyExact.test(text)) return Number(text) || 0;
  const decimal = decimalOf(text);
  if (decimal === undefined) throw new TypeError(`${text} is not a number`);
  if (decimal.digits === "") return 0;
  const rounded = decimalOf(String(Number(text)));
  if (rounded !== undefined && isSame(rounded, decimal)) return Number(text);
  return isWhole(decimal) && decimal.exponent <= 400 ? BigInt(plainWhole(decimal)) : new ExactNumber(text);
}

/** AWS: a number has up to 38 digits and a magnitude from 1E-130 to 9.99E+125. */
export function fitsDynamo(text: string): boolean {
  const decimal = decimalOf(text);
  if (decimal === undefined) return false;
  const { digits, exponent } = decimal;
  return digits === "" || (digits.length <= 38 && exponent <= 126 && exponent >= -129);
}

/** Compares two decimal strings by their exact values: negative if the first is lower, 0 if they are the same. */
export function compareExact(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === undefined || b === undefined) throw new TypeError(`${one} or ${other} is not a number`);
  const [sign, otherSign] = [signOf(a), signOf(b)];
  if (sign !== otherSign) return sign - otherSign;
  if (a.exponent !== b.exponent) return sign * (a.exponent - b.exponent);
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -sign : sign;
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === "") return 0;
  return negative ? -1 : 1;
}

function decimalOf(text: string): Decimal | undefined {
  const [, sign, whole = "", fraction = "", power = "0"] = shape.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const all = whole + fraction;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leading).replace(/0+$/, "");
  if (digits === "") return { negative: false, digits, exponent: 0 };
  return { negative: sign === "-", digits, exponent: whole.length - leading + Number(power) };
}

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.exponent === other.exponent && one.negative === other.negative;
}

function isWhole({ digits, exponent }: Decimal): boolean {
  return exponent >= digits.length;
}

function plainWhole({ negative, digits, exponent }: Decimal): string {
  return `${negative ? "-" : ""}${digits.padEnd(exponent, "0")}`;
}

function printDecimal(decimal: Decimal): string {
  const { negative, digits, exponent } = decimal;
  if (digits === "") return "0";
  const sign = negative ? "-" : "";
  if (exponent > 40 || exponent < -6) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${exponent > 0 ? "+" : ""}${exponent - 1}`;
  }
  if (isWhole(decimal)) return plainWhole(decimal);
  if (exponent <= 0) return `${sign}0.${"0".repeat(-exponent)}${digits}`;
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

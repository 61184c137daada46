import { type NumberFault, normalizeNumber } from "@tablekeep/core";
import { invalid, invalidValue } from "./dynamo-errors.ts";

const numberMessages: Record<Exclude<NumberFault, "not-a-number">, string> = {
  overflow: "Number overflow. Attempting to store a number with magnitude larger than supported range",
  underflow: "Number underflow. Attempting to store a number with magnitude smaller than supported range",
  "too-many-digits": "Attempting to store more than 38 significant digits in a Number",
};

/** Returns a number in normal form. Throws if DynamoDB does not store it. */
export function checkNumber(text: string): string {
  const normal = normalizeNumber(text);
  if ("text" in normal) return normal.text;
  const { fault } = normal;
  const newer = fault === "not-a-number" ? `${notConvertible}: ${text}` : numberMessage(fault, text);
  throw invalidValue(numberMessage(olderFault(text, fault), text), newer);
}

/** DynamoDB's error for a number that it does not store. */
export function numberError(fault: NumberFault, text: string): Error {
  return invalid(numberMessage(fault, text));
}

const notConvertible = "The parameter cannot be converted to a numeric value";

/** The message of {@link numberError}. */
export function numberMessage(fault: NumberFault, text: string): string {
  if (fault !== "not-a-number") return numberMessages[fault];
  return text === "" ? notConvertible : `${notConvertible}: ${text}`;
}

/** PartiQL, and the older layer of checks, store the exponent and the scale of a number as 32-bit integers. */
const maxInt = 2 ** 31 - 1;
const exponentOf = /^[+-]?[0-9]*(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/;

/** Returns whether PartiQL can parse a number: its exponent and its scale must not be too large. */
export function isConvertible(text: string): boolean {
  const [, fraction = "", exponent = "0"] = exponentOf.exec(text) ?? [];
  const scale = fraction.length - Number(exponent);
  return Math.abs(Number(exponent)) <= maxInt && Math.abs(scale) <= maxInt;
}

/** Returns the problem that the older layer reports. The largest exponent overflows in DynamoDB itself, which then reports a number that is too small. */
function olderFault(text: string, fault: NumberFault): NumberFault {
  if (!isConvertible(text)) return "not-a-number";
  return fault === "overflow" && text.toLowerCase().endsWith(`e${maxInt}`) ? "underflow" : fault;
}

import type { Outcome } from "../run/outcome.ts";
import type { Gap } from "./gap.ts";

/** Local returns numbers as they were written if they are nested in an item or come from arithmetic. */
export const numberForm: Gap = {
  name: "returns numbers in another form",
  source: "public conformance suites: numbers are stored and given back in normal form, at any depth",
  correct: ({ local }) => {
    const corrected = inNormalForm(local) as Outcome;
    return JSON.stringify(corrected) === JSON.stringify(local) ? local : corrected;
  },
};

/** Returns the same data with all numbers in normal form. */
export function inNormalForm(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inNormalForm);
  const entries = Object.entries(value).map(([name, member]) => {
    if (name === "N" && typeof member === "string") return [name, plainDecimal(member)];
    if (name === "NS" && Array.isArray(member))
      return [name, member.map((each) => plainDecimal(String(each)))];
    return [name, inNormalForm(member)];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns a number in plain decimal digits without superfluous zeros, computed on its string alone; anything else
 * unchanged.
 */
function plainDecimal(text: string): string {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts ?? [];
  if (parts === null || whole + fraction === "") return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = digits.padStart(digits.length - Math.min(0, point), "0").padEnd(point, "0");
  const at = Math.max(0, point);
  const before = padded.slice(0, at).replace(/^0+/, "") || "0";
  const after = padded.slice(at).replace(/0+$/, "");
  const plain = after === "" ? before : `${before}.${after}`;
  return sign === "-" && plain !== "0" ? `-${plain}` : plain;
}

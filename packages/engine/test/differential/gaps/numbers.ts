import { normalizeNumber } from "../../../src/number/decimal.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Gap } from "./gap.ts";

/** Local gives numbers back as they were written where they lie deeper in an item or come from arithmetic. */
export const numberForm: Gap = {
  name: "numbers come back in another form",
  source:
    "conformance suites run against AWS: numbers are stored and given back in normal form, at any depth",
  mend: ({ local }) => {
    const mended = inNormalForm(local) as Outcome;
    return JSON.stringify(mended) === JSON.stringify(local) ? local : mended;
  },
};

/** The same data with all numbers in normal form. */
export function inNormalForm(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inNormalForm);
  const entries = Object.entries(value).map(([name, member]) => {
    if (name === "N" && typeof member === "string") return [name, normal(member)];
    if (name === "NS" && Array.isArray(member)) return [name, member.map((each) => normal(String(each)))];
    return [name, inNormalForm(member)];
  });
  return Object.fromEntries(entries);
}

function normal(text: string): string {
  const result = normalizeNumber(text);
  return "text" in result ? result.text : text;
}

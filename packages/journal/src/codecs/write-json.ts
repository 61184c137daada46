import { checkJson } from "./check-json.ts";
import type { JsonDialect } from "./json-dialect.ts";

/** A payload as JSON text, exactly: parsed again it is the same, or it was refused. */
export function writeJson(payload: unknown, dialect: JsonDialect): string {
  return checkJson(payload, dialect) ? JSON.stringify(payload) : exactText(payload, dialect);
}

function exactText(value: unknown, dialect: JsonDialect): string {
  if (typeof value === "number") return numberText(value, dialect);
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((element) => exactText(element, dialect)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${exactText(member, dialect)}`);
  return `{${members.join(",")}}`;
}

/** A whole number that a reader would take for a big integer gets a fraction: it is a double. */
function numberText(value: number, { bigIntegers }: JsonDialect): string {
  if (Object.is(value, -0)) return bigIntegers ? "-0.0" : "-0";
  if (!bigIntegers || !Number.isInteger(value) || Number.isSafeInteger(value)) return String(value);
  return value.toExponential().replace(/^(-?\d)e/, "$1.0e");
}

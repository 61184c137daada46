import { ContentError } from "./compose-message.ts";

/** A JSON object by its members. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value as an object; throws otherwise. */
export function record(value: unknown, what: string): JsonRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ContentError(`${what} must be an object`);
  return value as JsonRecord;
}

/** An object with no other members than `known`, so that a misspelled field is not a missing one. */
export function fields(value: unknown, what: string, known: readonly string[]): JsonRecord {
  const found = record(value, what);
  const other = Object.keys(found).find((name) => !known.includes(name));
  if (other !== undefined)
    throw new ContentError(
      `unknown field ${JSON.stringify(other.slice(0, 100))}; expected one of ${known.join(", ")}`,
    );
  return found;
}

/** A string, or undefined if the member is missing or null. */
export function optionalText(from: JsonRecord, name: string): string | undefined {
  const value = from[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new ContentError(`${name} must be a string`);
}

/** An array of strings; empty if the member is missing or null. */
export function texts(from: JsonRecord, name: string): readonly string[] {
  const value = from[name] ?? [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value as string[];
  throw new ContentError(`${name} must be an array of strings`);
}

/** One string or an array of strings. */
export function oneOrMore(from: JsonRecord, name: string): readonly string[] {
  const value = from[name];
  return typeof value === "string" ? [value] : texts(from, name);
}

import type { SchemaIssue, StandardSchema } from "./standard-schema.ts";

/** What validation found: the value as the schema gives it, or what is wrong, a line each. */
export type Validated = { readonly value: unknown } | { readonly issues: readonly string[] };

/** Asks a schema about a value. Never throws. */
export function validate(schema: StandardSchema<unknown>, value: unknown): Validated {
  try {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { issues: ["its schema validates asynchronously: use one that does not"] };
    }
    return result.issues === undefined ? { value: result.value } : { issues: result.issues.map(lineOf) };
  } catch (error) {
    return { issues: [`its schema threw: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

function lineOf({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

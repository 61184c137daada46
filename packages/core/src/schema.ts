/**
 * A schema of any library that implements Standard Schema version 1, such as zod, valibot and arktype. It must validate
 * synchronously.
 */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** The result of a validation. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One problem that a schema reports. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** The validated value, or one line per problem. `failed`: the schema itself is the problem, not the value. */
export type Validated =
  | { readonly value: unknown }
  | { readonly issues: readonly string[]; readonly failed?: true };

/**
 * Validates a value with a schema. Never throws.
 *
 * @example
 * const validated = validate(schema, value);
 * if ("issues" in validated) console.log(validated.issues.join("; "));
 */
export function validate(schema: StandardSchema<unknown>, value: unknown): Validated {
  try {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { issues: ["its schema validates asynchronously, which is not supported"], failed: true };
    }
    return result.issues === undefined ? { value: result.value } : { issues: result.issues.map(lineOf) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { issues: [`its schema threw: ${reason}`], failed: true };
  }
}

function lineOf({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

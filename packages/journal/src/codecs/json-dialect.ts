/** How JSON differs between serializers: what is taken beyond null, booleans, numbers, text, lists and plain objects. */
export interface JsonDialect {
  readonly serializerId: number;
  /** Whether a property whose value is undefined is left out; refused otherwise. */
  readonly omitUndefined: boolean;
  /** Whether bigint is taken, as a number of that many digits. */
  readonly bigIntegers: boolean;
}

/** Deeper data, and data that refers to itself, is refused. */
export const maxJsonDepth = 500;

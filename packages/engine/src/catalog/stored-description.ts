/** A type as JSON keeps it here: dates are milliseconds since 1970. */
export type Stored<Value> = Value extends Date
  ? number
  : Value extends (infer Element)[]
    ? Stored<Element>[]
    : Value extends object
      ? { [Name in keyof Value]: Stored<Value[Name]> }
      : Value;

/** A copy in which the dates are dates again. DynamoDB ends the names of all of them alike. */
export function withDates<Value>(stored: Stored<Value>): Value {
  return revived(stored) as Value;
}

function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === "number" && name.endsWith("DateTime") ? new Date(member) : revived(member),
    ]),
  );
}

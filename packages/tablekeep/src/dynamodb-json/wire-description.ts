/** What DynamoDB says of a table, as the wire has it: dates as seconds since 1970. */
export function wireDescription(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(wireDescription);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wireDescription(member)]));
}

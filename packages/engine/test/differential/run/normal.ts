/** Plain data that can be compared as text: bytes as hex, sets in order, absent members left out, members sorted. */
export function normal(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, member]) => [name, isSet(name, member) ? sortedByText(member) : normal(member)]),
  );
}

/** Elements in normal form, in an order that does not depend on theirs. */
export function sortedByText(elements: readonly unknown[]): unknown[] {
  return elements
    .map((element) => [JSON.stringify(normal(element)), normal(element)] as const)
    .sort(([one], [two]) => (one < two ? -1 : one > two ? 1 : 0))
    .map(([, element]) => element);
}

export function normalText(value: unknown): string {
  return JSON.stringify(normal(value));
}

function isSet(name: string, member: unknown): member is unknown[] {
  return (name === "SS" || name === "NS" || name === "BS") && Array.isArray(member);
}

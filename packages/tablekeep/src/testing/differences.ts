import { inspect, isDeepStrictEqual } from "node:util";

/** Differences that are listed. */
const maxLines = 20;

/**
 * Returns one line for each difference between a value and what is expected of it, with its path. Members of an object that are not
 * expected do not count; lists have the same length. An expected expression matches a string, and `expect.any(Number)` and the like
 * match as in vitest and Jest.
 *
 * @example
 * differences({ total: 3, items: [{ sku: "a" }] }, { total: 3, items: [{ sku: "b" }] }); // ['items[0].sku: expected "a", got "b"']
 */
export function differences(expected: unknown, actual: unknown): readonly string[] {
  const lines: string[] = [];
  compare(expected, actual, "", lines);
  return lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more`];
}

function compare(expected: unknown, actual: unknown, path: string, lines: string[]): void {
  const differs = (found = printed(actual)) =>
    void lines.push(`${path === "" ? "" : `${path}: `}expected ${printed(expected)}, got ${found}`);
  if (isAsymmetric(expected)) {
    if (!expected.asymmetricMatch(actual)) differs();
  } else if (expected instanceof RegExp && typeof actual === "string") {
    if (actual.search(expected) === -1) differs();
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) differs();
    else if (actual.length !== expected.length)
      differs(`${printed(actual)} (${actual.length} instead of ${expected.length})`);
    else
      for (const [index, each] of expected.entries())
        compare(each, actual[index], `${path}[${index}]`, lines);
  } else if (isPlainObject(expected)) {
    if (!isPlainObject(actual)) differs();
    else
      for (const [key, each] of Object.entries(expected))
        compare(each, actual[key], path === "" ? key : `${path}.${key}`, lines);
  } else if (!isDeepStrictEqual(expected, actual)) differs();
}

/** A value on one line, for messages. */
export function printed(value: unknown): string {
  if (isAsymmetric(value)) return value.toAsymmetricMatcher?.() ?? String(value);
  const text = inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20 });
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}

/** Such as `expect.any(Number)`. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean;
  /** Its form in messages. */
  toAsymmetricMatcher?(): string;
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { asymmetricMatch?: unknown }).asymmetricMatch === "function"
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  // Jest runs tests in a context with another Object.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

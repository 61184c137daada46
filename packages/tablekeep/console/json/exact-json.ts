/** What newer browsers support beside parse and stringify: the source text of a number. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
}

const exact = JSON as ExactJson;

/** Whether a number survives reading and printing in this browser, with all of its digits. */
export function keepsDigits(digits: string): boolean {
  return exact.rawJSON !== undefined || String(Number(digits)) === digits;
}

/** Reads JSON. A number that the browser would round keeps its text, where the browser can. */
export function parseExact(text: string): unknown {
  const { rawJSON } = exact;
  if (rawJSON === undefined) return JSON.parse(text);
  return exact.parse(text, (_key, value, context) => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    return String(value) === context.source ? value : rawJSON(context.source);
  });
}

/** Whether a value has members: those numbers that keep their text have none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRaw(value);
}

/** Whether two values are the same JSON, whatever the order of members. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => sameJson(each, other[at]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
    );
  }
  return isRaw(one) || isRaw(other) ? JSON.stringify(one) === JSON.stringify(other) : Object.is(one, other);
}

function isRaw(value: unknown): boolean {
  return exact.isRawJSON?.(value) ?? false;
}

/** A number by its digits; those that the browser would round keep their text, where the browser can. */
export function plainNumber(digits: string): unknown {
  const number = Number(digits);
  if (String(number) === digits || exact.rawJSON === undefined) return number;
  try {
    return exact.rawJSON(digits);
  } catch {
    return digits;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The patch that turns `before` into `after`: null removes a member, lists are replaced as a whole. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).flatMap(([key, value]): [string, unknown][] => {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old !== undefined && sameJson(old, value)) return [];
    return [[key, isObject(old) && isObject(value) ? mergePatch(old, value) : value]];
  });
  return Object.fromEntries([...removed.map((key): [string, unknown] => [key, null]), ...changed]);
}

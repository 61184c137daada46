import type { AttributeValue } from "@tablekeep/core";
import { type Place, placesIn, replaceAt, type Step, valueAt } from "../step.ts";

type Input = Step["input"];

/** Values with at most one fault in any place. */
const plainValues: readonly AttributeValue[] = [
  { S: "a" },
  { N: "1" },
  { B: Uint8Array.of(1) },
  { SS: ["a"] },
  { L: [] },
  { M: {} },
  { S: "" },
  { B: new Uint8Array() },
];

/** Legacy conditions with these values. */
const plainConditions: readonly object[] = plainValues.map((value) => ({
  ComparisonOperator: "EQ",
  AttributeValueList: [value],
}));

/** The keys of the test's tables: one of them may be missing. */
const keyAttributes: readonly (readonly [string, AttributeValue])[] = [
  ["pk", { S: "a" }],
  ["sk", { S: "a" }],
  ["n", { N: "1" }],
  ["p", { B: Uint8Array.of(1) }],
  ["b2", { B: Uint8Array.of(1) }],
];

/** A key of each of the test's tables. */
const plainKeys = [["pk"], ["pk", "sk"], ["pk", "n"], ["p", "b2"]].map((names) =>
  Object.fromEntries(keyAttributes.filter(([name]) => names.includes(name))),
);

/**
 * Yields the request with one part removed, simplified or added, in all ways, which removes the faults of that part.
 */
export function* repairs(input: Input): Generator<Input> {
  yield* singleActions(input);
  yield* fewRequests(input);
  yield* plainDuplicates(input);
  yield* withoutOlderConditions(input);
  yield* plainItems(input);
  for (const place of placesIn(input)) yield repaired(input, place, undefined);
  for (const place of placesIn(input)) {
    const value = valueAt(input, place);
    if (isExpression(place, value)) {
      if (value === "" && isCondition(place)) yield repaired(input, place, "attribute_exists(c)");
      for (const shorter of shorterExpressions(value))
        yield withPlainOperands(repaired(input, place, shorter), place);
    }
  }
  for (const place of placesIn(input)) {
    for (const plain of plainInsteadOf(valueAt(input, place))) yield repaired(input, place, plain);
  }
  for (const place of placesIn(input)) {
    if (!isItem(place, valueAt(input, place))) continue;
    for (const [name, plain] of keyAttributes) yield repaired(input, [...place, name], plain);
  }
}

/** Yields each action of a transaction alone: several may have a fault, and one is reported. */
function* singleActions(input: Input): Generator<Input> {
  const actions = input["TransactItems"];
  if (!Array.isArray(actions) || actions.length < 2) return;
  for (const action of actions) yield { ...input, TransactItems: [action] };
}

/**
 * Yields each request or key of a batch alone, and each pair for one table: two requests for the same item are a fault
 * together.
 */
function* fewRequests(input: Input): Generator<Input> {
  const tables = Object.entries((input["RequestItems"] ?? {}) as Readonly<Record<string, unknown>>);
  const size = tables.reduce((sum, [, part]) => sum + (requestsIn(part)?.length ?? 0), 0);
  if (size < 3) return;
  for (const [table, part] of tables) {
    const requests = requestsIn(part) ?? [];
    for (const [at, one] of requests.entries())
      for (const other of [undefined, ...requests.slice(at + 1)]) {
        const kept = other === undefined ? [one] : [one, other];
        const few = Array.isArray(part) ? kept : { ...(part as Input), Keys: kept };
        yield { ...input, RequestItems: { [table]: few } };
      }
  }
}

/** Yields two requests with the same plain key for a table of a batch: keys that are equal and wrong are two faults. */
function* plainDuplicates(input: Input): Generator<Input> {
  const tables = Object.entries((input["RequestItems"] ?? {}) as Readonly<Record<string, unknown>>);
  for (const [table, part] of tables) {
    if ((requestsIn(part)?.length ?? 0) < 2) continue;
    for (const key of plainKeys) {
      const request = Array.isArray(part) ? { DeleteRequest: { Key: key } } : key;
      const both = Array.isArray(part) ? [request, request] : { Keys: [request, request] };
      yield { ...input, RequestItems: { [table]: both } };
    }
  }
}

/** Returns the writes of a table in a batch, or its keys; undefined if there are none. */
function requestsIn(part: unknown): readonly unknown[] | undefined {
  if (Array.isArray(part)) return part;
  const keys = isMembers(part) ? part["Keys"] : undefined;
  return Array.isArray(keys) ? keys : undefined;
}

/** The request without the older parameters for conditions, which depend on each other. */
function* withoutOlderConditions(input: Input): Generator<Input> {
  const { Expected, QueryFilter, ScanFilter, ConditionalOperator, ...rest } = input;
  if ([Expected, QueryFilter, ScanFilter, ConditionalOperator].some((each) => each !== undefined)) yield rest;
}

/** The request with an item of plain keys, and with plain keys and one of its attributes: an item may have several faults. */
function* plainItems(input: Input): Generator<Input> {
  const { Item } = input;
  if (typeof Item !== "object" || Item === null) return;
  const plain = Object.fromEntries(keyAttributes);
  yield { ...input, Item: plain };
  for (const [name, value] of Object.entries(Item)) yield { ...input, Item: { ...plain, [name]: value } };
}

function repaired(input: Input, place: Place, by: unknown): Input {
  return removeOrphans(input, replaceAt(input, place, by)) as Input;
}

/** Returns the request with values for the plain placeholders of the expression there. */
function withPlainOperands(input: Input, place: Place): Input {
  const expression = String(valueAt(input, place));
  const used = Object.entries(plainOperands).filter(([name]) => expression.includes(name));
  if (used.length === 0) return input;
  const around = place.slice(0, -1);
  const values = (valueAt(input, around) as Input)["ExpressionAttributeValues"] as object | undefined;
  const more = { ...values, ...Object.fromEntries(used) };
  return replaceAt(input, [...around, "ExpressionAttributeValues"], more) as Input;
}

function isExpression(place: Place, value: unknown): value is string {
  return typeof value === "string" && /Expression$/.test(String(place[place.length - 1]));
}

function isCondition(place: Place): boolean {
  return /^(Condition|Filter)Expression$/.test(String(place[place.length - 1]));
}

function isItem(place: Place, value: unknown): boolean {
  const isNamedSo = /(^|,)(Item|Key|Keys,\d+)$/.test(place.join());
  return isNamedSo && typeof value === "object" && value !== null && !Array.isArray(value);
}

function plainInsteadOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value) || value instanceof Uint8Array) return [];
  return "ComparisonOperator" in value ? plainConditions : plainValues;
}

const tokens = /[:#]?\w+|<=|>=|<>|\s+|./gu;

/** Placeholders of plain values: some operands must be numbers, others lists. */
const plainOperands: Readonly<Record<string, AttributeValue>> = {
  ":plain": { N: "1" },
  ":list": { L: [] },
};

/** Replacements for any condition, path and operand. */
const plainParts = ["attribute_exists(c)", "c", ...Object.keys(plainOperands)];

/** Yields the expression without one run of its parts, or with something plain in its place. Brackets stay in pairs. */
function* shorterExpressions(expression: string): Generator<string> {
  const parts = expression.match(tokens) ?? [];
  for (let start = 0; start < parts.length; start++) {
    if (parts[start]?.trim() === "") continue;
    for (const end of endsOfRuns(parts, start)) {
      const [before, after] = [parts.slice(0, start).join(""), parts.slice(end).join("")];
      for (const between of ["", ...plainParts]) {
        const shorter = `${before}${between}${after}`.trim();
        if (shorter !== "" && shorter !== expression) yield shorter;
      }
    }
  }
}

/** Yields where runs that begin here can end. */
function* endsOfRuns(parts: readonly string[], start: number): Generator<number> {
  let depth = 0;
  for (let at = start; at < parts.length && depth >= 0; at++) {
    const part = parts[at] ?? "";
    if (part === "(" || part === "[") depth++;
    if (part === ")" || part === "]") depth--;
    if (depth === 0 && part.trim() !== "") yield at + 1;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Removes the placeholders that expressions no longer use after a change. */
function removeOrphans(before: unknown, after: unknown): unknown {
  if (!isMembers(before) || !isMembers(after)) return after;
  const own = Array.isArray(after) ? after : withoutOwnOrphans(before, after);
  if (Array.isArray(after)) {
    const aligned = Array.isArray(before) && before.length === after.length;
    return aligned ? after.map((each, at) => removeOrphans(before[at], each)) : after;
  }
  return Object.fromEntries(
    Object.entries(own).map(([name, each]) => [name, removeOrphans(before[name], each)]),
  );
}

function withoutOwnOrphans(before: Members, after: Members): Members {
  const left = used(after);
  const orphans = new Set([...used(before)].filter((name) => !left.has(name)));
  if (orphans.size === 0) return after;
  const entries = Object.entries(after).flatMap(([name, each]) => {
    if (!name.startsWith("ExpressionAttribute") || !isMembers(each)) return [[name, each]];
    const kept = Object.entries(each).filter(([placeholder]) => !orphans.has(placeholder));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
  });
  return Object.fromEntries(entries) as Members;
}

/** Returns the placeholders in the expressions of a request. */
function used(request: Members): Set<string> {
  const texts = Object.entries(request).filter(([name]) => name.endsWith("Expression"));
  return new Set(texts.flatMap(([, text]) => String(text).match(/[:#]\w+/g) ?? []));
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array);
}

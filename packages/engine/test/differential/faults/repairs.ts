import type { AttributeValue } from "@tablekeep/core";
import { changedAt, type Place, placesIn, valueAt } from "../places.ts";
import type { Step } from "../step.ts";
import { plainOperands, shorterExpressions } from "./shorter-expressions.ts";
import { withoutOrphans } from "./without-orphans.ts";

type Input = Step["input"];

/** Values that have at most one fault, wherever they stand. */
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

/** The same of the older conditions. */
const plainConditions: readonly object[] = plainValues.map((value) => ({
  ComparisonOperator: "EQ",
  AttributeValueList: [value],
}));

/** The keys of the test's tables: one of them may be what is missing. */
const keyAttributes: readonly (readonly [string, AttributeValue])[] = [
  ["pk", { S: "a" }],
  ["sk", { S: "a" }],
  ["n", { N: "1" }],
  ["p", { B: Uint8Array.of(1) }],
  ["b2", { B: Uint8Array.of(1) }],
];

/** The request with one thing left out, made plain or added, in all ways: what was wrong with that thing is gone then. */
export function* repairs(input: Input): Generator<Input> {
  yield* singleActions(input);
  yield* fewRequests(input);
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

/** Each action of a transaction alone: several may have a fault, and one is reported. */
function* singleActions(input: Input): Generator<Input> {
  const actions = input["TransactItems"];
  if (!Array.isArray(actions) || actions.length < 2) return;
  for (const action of actions) yield { ...input, TransactItems: [action] };
}

/** Each request of a batch alone, and each pair for one table: two requests for the same item are a fault together. */
function* fewRequests(input: Input): Generator<Input> {
  const tables = Object.entries((input["RequestItems"] ?? {}) as Readonly<Record<string, unknown>>);
  const size = tables.reduce((sum, [, requests]) => sum + (Array.isArray(requests) ? requests.length : 0), 0);
  if (size < 3) return;
  for (const [table, requests] of tables) {
    if (!Array.isArray(requests)) continue;
    for (const [at, one] of requests.entries())
      for (const other of [undefined, ...requests.slice(at + 1)]) {
        const kept = other === undefined ? [one] : [one, other];
        yield { ...input, RequestItems: { [table]: kept } };
      }
  }
}

function repaired(input: Input, place: Place, by: unknown): Input {
  return withoutOrphans(input, changedAt(input, place, by)) as Input;
}

/** The request with values for the plain placeholders that the expression there has. */
function withPlainOperands(input: Input, place: Place): Input {
  const expression = String(valueAt(input, place));
  const used = Object.entries(plainOperands).filter(([name]) => expression.includes(name));
  if (used.length === 0) return input;
  const around = place.slice(0, -1);
  const values = (valueAt(input, around) as Input)["ExpressionAttributeValues"] as object | undefined;
  const more = { ...values, ...Object.fromEntries(used) };
  return changedAt(input, [...around, "ExpressionAttributeValues"], more) as Input;
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

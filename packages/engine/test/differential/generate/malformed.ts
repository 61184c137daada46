import fc from "fast-check";
import { changedAt, placesIn } from "../places.ts";
import type { Step } from "../step.ts";

const strange: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  null,
  5,
  -1,
  0,
  1.5,
  true,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  { S: "a" },
  { x: 1 },
  "\u0000",
);

type Sabotage =
  | { readonly kind: "replace"; readonly at: number; readonly by: unknown }
  | { readonly kind: "drop"; readonly at: number }
  | { readonly kind: "add"; readonly members: Readonly<Record<string, unknown>> };

const additions = fc.constantFrom<Record<string, unknown>[]>(
  { ExpressionAttributeNames: { "#unused": "a" } },
  { ExpressionAttributeValues: { ":unused": { S: "a" } } },
  { ExpressionAttributeNames: {} },
  { ExpressionAttributeValues: {} },
  { ExpressionAttributeNames: { nohash: "a" } },
  { ExpressionAttributeValues: { nocolon: { S: "a" } } },
  { ExpressionAttributeValues: { ":v0": {} } },
  { Unknown: 1 },
  { TableName: "no-such-table" },
  { TableName: "x" },
  { IndexName: "no-such-index" },
  { ReturnValues: "SOME" },
  { ReturnConsumedCapacity: "ALL" },
  { Select: "NOTHING" },
  { Limit: 0 },
  { Limit: -1 },
  { AttributesToGet: ["a", "a"] },
  { AttributesToGet: [] },
  { ConditionalOperator: "XOR" },
  { ConditionalOperator: "AND" },
  { Expected: { a: { Exists: true } } },
  { ExclusiveStartKey: { pk: { S: "a" } } },
  { ExclusiveStartKey: { pk: { S: "a" }, sk: { S: "zz" } } },
  { ExclusiveStartKey: {} },
);

/** The same step with one thing in its request broken. */
export function malformed(step: fc.Arbitrary<Step>): fc.Arbitrary<Step> {
  const at = fc.nat({ max: 1000 });
  const sabotage: fc.Arbitrary<Sabotage> = fc.oneof(
    fc.record({ kind: fc.constant("replace" as const), at, by: strange }),
    fc.record({ kind: fc.constant("drop" as const), at }),
    additions.map((members) => ({ kind: "add" as const, members })),
  );
  return fc.tuple(step, sabotage).map(([{ operation, input, allPages }, plan]) => ({
    operation,
    input: broken(input, plan),
    malformed: true,
    ...(allPages && { allPages }),
  }));
}

function broken(input: Step["input"], plan: Sabotage): Step["input"] {
  if (plan.kind === "add") return { ...input, ...plan.members };
  const places = placesIn(input);
  const target = places[plan.at % places.length];
  if (target === undefined) return input;
  return changedAt(input, target, plan.kind === "replace" ? plan.by : undefined) as Step["input"];
}

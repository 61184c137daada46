import fc from "fast-check";
import type { Step } from "../step.ts";
import { placesIn, replaceAt } from "../step.ts";

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

/** The same step with one fault planted in its request. */
export function malformed(step: fc.Arbitrary<Step>): fc.Arbitrary<Step> {
  const at = fc.nat({ max: 1000 });
  const sabotage: fc.Arbitrary<Sabotage> = fc.oneof(
    fc.record({ kind: fc.constant("replace" as const), at, by: strange }),
    fc.record({ kind: fc.constant("drop" as const), at }),
    additions.map((members) => ({ kind: "add" as const, members })),
  );
  return fc.tuple(step, sabotage).map(([base, plan]) => ({ ...base, ...broken(base, plan) }));
}

function broken(base: Step, plan: Sabotage): Pick<Step, "input" | "planted"> {
  const { input } = base;
  if (plan.kind === "add")
    return { input: { ...input, ...plan.members }, planted: { place: Object.keys(plan.members), base } };
  const places = placesIn(input);
  const place = places[plan.at % places.length];
  if (place === undefined) return { input };
  const by = plan.kind === "replace" ? plan.by : undefined;
  return { input: replaceAt(input, place, by) as Step["input"], planted: { place, base } };
}

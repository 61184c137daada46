import type { Item } from "@tablekeep/core";
import { b, l, m, n, ns, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const two = { ":v": n(2) };

type Row = readonly [what: string, before: Item | "absent", expression: string, values: Item, after: Item];

const rows: readonly Row[] = [
  ["adds to a number", { a: n(5) }, "ADD a :v", two, { a: n(7) }],
  ["subtracts with a negative number", { a: n(1) }, "ADD a :v", { ":v": n(-3) }, { a: n(-2) }],
  ["treats an absent number as 0", { b: n(1) }, "ADD a :v", two, { a: n(2), b: n(1) }],
  ["creates an absent item", "absent", "ADD a :v", two, { a: n(2) }],
  ["joins sets", { s: ss("a", "b") }, "ADD s :v", { ":v": ss("b", "c") }, { s: ss("a", "b", "c") }],
  ["joins number sets by value", { s: ns(1, 2) }, "ADD s :v", { ":v": ns("2.0", 3) }, { s: ns(1, 2, 3) }],
  ["joins byte sets", { s: bytes(1) }, "ADD s :v", { ":v": bytes(1, 2) }, { s: bytes(1, 2) }],
  ["creates an absent set", "absent", "ADD s :v", { ":v": ss("a") }, { s: ss("a") }],
  ["adds to a number in a map", { m: m({ a: n(1) }) }, "ADD m.a :v", two, { m: m({ a: n(3) }) }],
  ["creates an absent number in a map", { m: m({}) }, "ADD m.a :v", two, { m: m({ a: n(2) }) }],
  ["adds to a number in a list", { l: l(n(1), n(5)) }, "ADD l[1] :v", two, { l: l(n(1), n(7)) }],
  [
    "changes several attributes at once",
    { a: n(1) },
    "ADD a :v, b :v, s :s",
    { ...two, ":s": ss("x") },
    { a: n(3), b: n(2), s: ss("x") },
  ],
  [
    "works beside the other clauses, in any order",
    { a: n(1), r: n(0), d: ss("x", "y") },
    "DELETE d :d ADD a :v REMOVE r SET c = a",
    { ...two, ":d": ss("x") },
    { a: n(3), c: n(1), d: ss("y") },
  ],
];

/** A set of single bytes. */
function bytes(...each: number[]) {
  return { BS: each.map((byte) => b(byte).B) };
}

export const updateAddCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.UpdateExpressions, ADD" },
  rows.map(([what, before, expression, values, after]) => updateRow({ name: `ADD ${what}`, before, expression, values, after })),
);

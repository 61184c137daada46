import type { Item } from "@tablekeep/core";
import { b, l, m, n, ns, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const source = "AWS docs: Expressions.UpdateExpressions, REMOVE and DELETE";
const list = (...numbers: number[]) => l(...numbers.map(n));
const bytes = (...each: number[]) => ({ BS: each.map((byte) => b(byte).B) });

const removes: readonly (readonly [what: string, before: Item, expression: string, after: Item, values?: Item])[] = [
  ["removes attributes", { a: n(1), b: n(2), c: n(3) }, "REMOVE a, c", { b: n(2) }],
  ["of an absent attribute changes nothing", { a: n(1) }, "REMOVE b", { a: n(1) }],
  ["may leave the key alone", { a: n(1) }, "REMOVE a", {}],
  ["removes an entry from a map", { m: m({ a: n(1), b: n(2) }) }, "REMOVE m.a", { m: m({ b: n(2) }) }],
  ["may leave an empty map", { m: m({ a: n(1) }) }, "REMOVE m.a", { m: m({}) }],
  ["of an absent entry of a map changes nothing", { m: m({ a: n(1) }) }, "REMOVE m.b", { m: m({ a: n(1) }) }],
  ["of a list element moves the later ones up", { l: list(0, 1, 2, 3) }, "REMOVE l[1]", { l: list(0, 2, 3) }],
  [
    "of several list elements uses the indexes of the old list",
    { l: list(0, 1, 2, 3, 4) },
    "REMOVE l[0], l[1], l[3]",
    { l: list(2, 4) },
  ],
  ["of an index past the end changes nothing", { l: list(0) }, "REMOVE l[1]", { l: list(0) }],
  ["works beside SET on the same list", { l: list(0, 1, 2) }, "SET l[0] = :v REMOVE l[1]", { l: list(9, 2) }, { ":v": n(9) }],
];

/** What `DELETE s :v` makes of an item; a path in place of `s` stands at the end. */
const deletes: readonly (readonly [what: string, before: Item, elements: Item[""], after: Item, path?: string])[] = [
  ["removes elements from a set", { s: ss("a", "b", "c") }, ss("c", "a"), { s: ss("b") }],
  ["goes by the value of numbers", { s: ns(1, 2) }, ns("1.0"), { s: ns(2) }],
  ["works on bytes", { s: bytes(1, 2) }, bytes(2), { s: bytes(1) }],
  ["ignores elements that are not there", { s: ss("a") }, ss("z"), { s: ss("a") }],
  ["of the last element removes the attribute", { s: ss("a", "b"), t: n(1) }, ss("b", "a", "z"), { t: n(1) }],
  ["works on a set in a map", { m: m({ s: ss("a", "b") }) }, ss("a"), { m: m({ s: ss("b") }) }, "m.s"],
  ["of the last element removes an entry from its map", { m: m({ s: ss("a") }) }, ss("a"), { m: m({}) }, "m.s"],
  ["of an absent attribute changes nothing", { t: n(1) }, ss("a"), { t: n(1) }],
];

const neverCreates = {
  before: "absent",
  gap: "creates an item of the key alone",
  source: `${source}; public conformance suites`,
} as const;

export const updateRemoveCases: readonly PortCase[] = cases({ source }, [
  ...removes.map(([what, before, expression, after, values]) =>
    updateRow({ name: `REMOVE ${what}`, before, expression, after, values }),
  ),
  updateRow({
    name: "REMOVE beside SET creates an absent item",
    before: "absent",
    expression: "REMOVE a SET b = :v",
    values: { ":v": n(9) },
    after: { b: n(9) },
  }),
  ...deletes.map(([what, before, elements, after, path = "s"]) =>
    updateRow({ name: `DELETE ${what}`, before, expression: `DELETE ${path} :v`, values: { ":v": elements }, after }),
  ),
  updateRow({ name: "REMOVE alone does not create an absent item", expression: "REMOVE a", ...neverCreates }),
  updateRow({
    name: "DELETE alone does not create an absent item",
    expression: "DELETE s :v",
    values: { ":v": ss("a") },
    ...neverCreates,
  }),
]);

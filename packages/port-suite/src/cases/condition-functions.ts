import type { Item } from "@tablekeep/core";
import { b, m, n, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

type Row = readonly [what: string, expression: string, holds: boolean, values?: Item];

const presence: readonly Row[] = [
  ["finds an attribute", "attribute_exists(s)", true],
  ["finds an attribute that is null", "attribute_exists(nul)", true],
  ["finds an empty string", "attribute_exists(blank)", true],
  ["misses an absent attribute", "attribute_exists(absent)", false],
  ["finds a nested attribute", "attribute_exists(m.a.b)", true],
  ["misses an absent nested attribute", "attribute_exists(m.a.c)", false],
  ["finds a list element", "attribute_exists(l[3][1])", true],
  ["misses an index past the end", "attribute_exists(l[4])", false],
  ["does not descend into a string", "attribute_exists(s.a)", false],
  ["holds for an absent attribute", "attribute_not_exists(absent)", true],
  ["fails for a present attribute", "attribute_not_exists(s)", false],
  ["holds below an absent attribute", "attribute_not_exists(absent.a[0].b)", true],
];

const prefixes: readonly Row[] = [
  ["finds the start of a string", "begins_with(s, :v)", true, { ":v": s("he") }],
  ["finds the whole string", "begins_with(s, :v)", true, { ":v": s("hello") }],
  ["finds the empty prefix", "begins_with(s, :v)", true, { ":v": s("") }],
  ["is case-sensitive", "begins_with(s, :v)", false, { ":v": s("HE") }],
  ["is false in the middle", "begins_with(s, :v)", false, { ":v": s("ell") }],
  ["finds the start of bytes", "begins_with(b, :v)", true, { ":v": b(1, 2) }],
  ["is false for other bytes", "begins_with(b, :v)", false, { ":v": b(2) }],
  ["is false across types", "begins_with(b, :v)", false, { ":v": s("\u0001") }],
  ["is false for a number attribute", "begins_with(n, :v)", false, { ":v": s("5") }],
  ["is false for a missing attribute", "begins_with(absent, :v)", false, { ":v": s("h") }],
];

const membership: readonly Row[] = [
  ["finds a substring", "contains(s, :v)", true, { ":v": s("ell") }],
  ["is false for no substring", "contains(s, :v)", false, { ":v": s("elk") }],
  ["finds an element of a string set", "contains(ss, :v)", true, { ":v": s("b") }],
  ["requires a whole element of a set", "contains(ss, :v)", false, { ":v": s("") }],
  ["finds a number in a set by value", "contains(ns, :v)", true, { ":v": n("2.50") }],
  ["is false for a string in a number set", "contains(ns, :v)", false, { ":v": s("1") }],
  ["finds bytes in a set", "contains(bs, :v)", true, { ":v": b(2, 3) }],
  ["finds a part of bytes", "contains(b, :v)", true, { ":v": b(2, 3) }],
  ["finds an element of a list", "contains(l, :v)", true, { ":v": s("x") }],
  ["finds a map in a list", "contains(l, :v)", true, { ":v": m({ a: n(20) }) }],
  ["is false for a deeper element", "contains(l, :v)", false, { ":v": n(30) }],
  ["is false for a map", "contains(m, :v)", false, { ":v": s("n") }],
  ["is false for a missing attribute", "contains(absent, :v)", false, { ":v": s("a") }],
  ["may use an attribute as the needle", "contains(:v, s)", true, { ":v": s("say hello") }],
];

const sizes: readonly Row[] = [
  ["counts the characters of a string", "size(s) = :v", true, { ":v": n(5) }],
  ["of an empty string is 0", "size(blank) = :v", true, { ":v": n(0) }],
  ["counts bytes", "size(b) = :v", true, { ":v": n(3) }],
  ["counts the elements of a set", "size(ns) = :v", true, { ":v": n(3) }],
  ["counts the elements of a list", "size(l) = :v", true, { ":v": n(4) }],
  ["counts the entries of a map", "size(m) = :v", true, { ":v": n(3) }],
  ["of a nested path", "size(m.a.b) = :v", true, { ":v": n(4) }],
  ["can be compared with an attribute", "size(s) = n", true],
  ["can be compared with <", "size(ss) < :v", true, { ":v": n(10) }],
  ["can stand in BETWEEN", "size(s) BETWEEN :a AND :b", true, { ":a": n(5), ":b": n(6) }],
  ["can stand in IN", "size(s) IN (:a)", true, { ":a": n(5) }],
  ["of a missing attribute makes = false", "size(absent) = :v", false, { ":v": n(0) }],
  ["of a number makes = false", "size(n) = :v", false, { ":v": n(1) }],
];

/** The attribute of the sample item that has each type. */
const typed = { S: "s", N: "n", B: "b", BOOL: "yes", NULL: "nul", SS: "ss", NS: "ns", BS: "bs", L: "l", M: "m" };

const types: readonly Row[] = [
  ...Object.entries(typed).map(
    ([type, path]): Row => [`recognizes type ${type}`, `attribute_type(${path}, :v)`, true, { ":v": s(type) }],
  ),
  ["is false for another type", "attribute_type(s, :v)", false, { ":v": s("N") }],
  ["is false for a missing attribute", "attribute_type(absent, :v)", false, { ":v": s("S") }],
  ["accepts a nested path", "attribute_type(l[2].a, :v)", true, { ":v": s("N") }],
];

export const conditionFunctionCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.OperatorsAndFunctions, functions" },
  [...presence, ...prefixes, ...membership, ...sizes, ...types].map(([what, expression, holds, values]) => {
    const called = expression.slice(0, expression.indexOf("("));
    return conditionRow({ name: `${called} ${what} (${expression})`, expression, holds, values });
  }),
);

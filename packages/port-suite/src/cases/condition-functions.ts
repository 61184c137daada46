import type { Item } from "@tablekeep/core";
import { conditionCase } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Expressions.OperatorsAndFunctions, functions";

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
  ["does not look into a string", "attribute_exists(s.a)", false],
  ["holds for an absent attribute", "attribute_not_exists(absent)", true],
  ["fails for a present attribute", "attribute_not_exists(s)", false],
  ["holds below an absent attribute", "attribute_not_exists(absent.a[0].b)", true],
];

const prefixes: readonly Row[] = [
  ["finds the start of a string", "begins_with(s, :v)", true, { ":v": { S: "he" } }],
  ["finds the whole string", "begins_with(s, :v)", true, { ":v": { S: "hello" } }],
  ["finds the empty prefix", "begins_with(s, :v)", true, { ":v": { S: "" } }],
  ["minds the case", "begins_with(s, :v)", false, { ":v": { S: "HE" } }],
  ["is false in the middle", "begins_with(s, :v)", false, { ":v": { S: "ell" } }],
  ["finds the start of bytes", "begins_with(b, :v)", true, { ":v": { B: Uint8Array.of(1, 2) } }],
  ["is false for other bytes", "begins_with(b, :v)", false, { ":v": { B: Uint8Array.of(2) } }],
  ["is false across types", "begins_with(b, :v)", false, { ":v": { S: "\u0001" } }],
  ["is false for a number attribute", "begins_with(n, :v)", false, { ":v": { S: "5" } }],
  ["is false for a missing attribute", "begins_with(absent, :v)", false, { ":v": { S: "h" } }],
];

const membership: readonly Row[] = [
  ["finds a substring", "contains(s, :v)", true, { ":v": { S: "ell" } }],
  ["is false for no substring", "contains(s, :v)", false, { ":v": { S: "elk" } }],
  ["finds an element of a string set", "contains(ss, :v)", true, { ":v": { S: "b" } }],
  ["wants a whole element of a set", "contains(ss, :v)", false, { ":v": { S: "" } }],
  ["finds a number in a set by value", "contains(ns, :v)", true, { ":v": { N: "2.50" } }],
  ["is false for a string in a number set", "contains(ns, :v)", false, { ":v": { S: "1" } }],
  ["finds bytes in a set", "contains(bs, :v)", true, { ":v": { B: Uint8Array.of(2, 3) } }],
  ["finds a part of bytes", "contains(b, :v)", true, { ":v": { B: Uint8Array.of(2, 3) } }],
  ["finds an element of a list", "contains(l, :v)", true, { ":v": { S: "x" } }],
  ["finds a map in a list", "contains(l, :v)", true, { ":v": { M: { a: { N: "20" } } } }],
  ["is false for a deeper element", "contains(l, :v)", false, { ":v": { N: "30" } }],
  ["is false for a map", "contains(m, :v)", false, { ":v": { S: "n" } }],
  ["is false for a missing attribute", "contains(absent, :v)", false, { ":v": { S: "a" } }],
  ["may take the needle from the item", "contains(:v, s)", true, { ":v": { S: "say hello" } }],
];

const sizes: readonly Row[] = [
  ["counts the characters of a string", "size(s) = :v", true, { ":v": { N: "5" } }],
  ["of an empty string is 0", "size(blank) = :v", true, { ":v": { N: "0" } }],
  ["counts bytes", "size(b) = :v", true, { ":v": { N: "3" } }],
  ["counts the elements of a set", "size(ns) = :v", true, { ":v": { N: "3" } }],
  ["counts the elements of a list", "size(l) = :v", true, { ":v": { N: "4" } }],
  ["counts the entries of a map", "size(m) = :v", true, { ":v": { N: "3" } }],
  ["of a nested path", "size(m.a.b) = :v", true, { ":v": { N: "4" } }],
  ["can be compared with an attribute", "size(s) = n", true],
  ["can be compared with <", "size(ss) < :v", true, { ":v": { N: "10" } }],
  ["can stand in BETWEEN", "size(s) BETWEEN :a AND :b", true, { ":a": { N: "5" }, ":b": { N: "6" } }],
  ["can stand in IN", "size(s) IN (:a)", true, { ":a": { N: "5" } }],
  ["of a missing attribute makes = false", "size(absent) = :v", false, { ":v": { N: "0" } }],
  ["of a number makes = false", "size(n) = :v", false, { ":v": { N: "1" } }],
];

const typeNames: readonly (readonly [path: string, type: string])[] = [
  ["s", "S"],
  ["n", "N"],
  ["b", "B"],
  ["yes", "BOOL"],
  ["nul", "NULL"],
  ["ss", "SS"],
  ["ns", "NS"],
  ["bs", "BS"],
  ["l", "L"],
  ["m", "M"],
];

const types: readonly Row[] = [
  ...typeNames.map(
    ([path, type]): Row => [`tells type ${type}`, `attribute_type(${path}, :v)`, true, { ":v": { S: type } }],
  ),
  ["is false for another type", "attribute_type(s, :v)", false, { ":v": { S: "N" } }],
  ["is false for a missing attribute", "attribute_type(absent, :v)", false, { ":v": { S: "S" } }],
  ["looks at a nested path", "attribute_type(l[2].a, :v)", true, { ":v": { S: "N" } }],
];

export const conditionFunctionCases: readonly PortCase[] = [
  ...presence,
  ...prefixes,
  ...membership,
  ...sizes,
  ...types,
].map(([what, expression, holds, values]) => {
  const called = expression.slice(0, expression.indexOf("("));
  return conditionCase({
    name: `${called} ${what} (${expression})`,
    source,
    expression,
    holds,
    ...(values && { values }),
  });
});

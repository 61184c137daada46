import type { Item } from "@tablekeep/core";
import { l, m, n, s, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const nine = { ":v": n(9) };
const list = (...numbers: number[]) => l(...numbers.map(n));

type Row = readonly [what: string, before: Item | "absent", expression: string, after: Item, values?: Item];

const plain: readonly Row[] = [
  ["creates an absent item", "absent", "SET a = :v", { a: n(9) }, nine],
  ["adds an attribute and leaves the others", { a: s("x") }, "SET b = :v", { a: s("x"), b: n(9) }, nine],
  [
    "replaces an attribute by one of another type",
    { a: ss("x") },
    "SET a = :v",
    { a: m({ b: { NULL: true } }) },
    { ":v": m({ b: { NULL: true } }) },
  ],
  ["changes one entry of a map", { m: m({ a: n(1), b: n(2) }) }, "SET m.b = :v", { m: m({ a: n(1), b: n(9) }) }, nine],
  ["adds an entry to a nested map", { m: m({ a: m({}) }) }, "SET m.a.b = :v", { m: m({ a: m({ b: n(9) }) }) }, nine],
  ["changes one element of a list", { l: list(0, 1, 2) }, "SET l[1] = :v", { l: list(0, 9, 2) }, nine],
  ["appends at an index just past the end", { l: list(0, 1) }, "SET l[2] = :v", { l: list(0, 1, 9) }, nine],
  ["appends at an index far past the end", { l: list(0, 1) }, "SET l[100] = :v", { l: list(0, 1, 9) }, nine],
  [
    "goes into a map in a list in a map",
    { m: m({ l: l(m({ a: n(1) })) }) },
    "SET m.l[0].a = :v",
    { m: m({ l: l(m({ a: n(9) })) }) },
    nine,
  ],
  ["copies another attribute", { a: l(s("x")) }, "SET b = a, c = a[0]", { a: l(s("x")), b: l(s("x")), c: s("x") }],
  ["sees the item as it was in every operand: attributes swap", { a: n(1), b: n(2) }, "SET a = b, b = a", { a: n(2), b: n(1) }],
  ["sees the old value of an attribute that it also changes", { a: n(1) }, "SET a = :v, b = a", { a: n(9), b: n(1) }, nine],
  ["sees an attribute that the same update removes", { a: n(1) }, "REMOVE a SET b = a", { b: n(1) }],
  ["accepts its keyword in any case", "absent", "sEt a = :v", { a: n(9) }, nine],
  [
    "may store an empty string, map and list",
    "absent",
    "SET a = :s, b = :m, c = :l",
    { a: s(""), b: m({}), c: l() },
    { ":s": s(""), ":m": m({}), ":l": l() },
  ],
];

const ifNotExists: readonly Row[] = [
  ["uses the value for an absent attribute", "absent", "SET a = if_not_exists(a, :v)", { a: n(9) }, nine],
  ["keeps a present attribute", { a: n(1) }, "SET a = if_not_exists(a, :v)", { a: n(1) }, nine],
  ["may check another attribute", { b: s("there") }, "SET a = if_not_exists(b, :v)", { a: s("there"), b: s("there") }, nine],
  ["may fall back to an attribute", { b: s("there") }, "SET a = if_not_exists(a, b)", { a: s("there"), b: s("there") }],
  ["counts from zero", "absent", "SET a = if_not_exists(a, :zero) + :v", { a: n(9) }, { ...nine, ":zero": n(0) }],
];

const listAppend: readonly Row[] = [
  ["adds at the end", { l: list(1, 2) }, "SET l = list_append(l, :v)", { l: list(1, 2, 3, 4) }, { ":v": list(3, 4) }],
  ["adds at the start", { l: list(1, 2) }, "SET l = list_append(:v, l)", { l: list(3, 1, 2) }, { ":v": list(3) }],
  ["joins two attributes", { l: list(1), k: list(2) }, "SET j = list_append(k, l)", { l: list(1), k: list(2), j: list(2, 1) }],
];

const update =
  (subject: string) =>
  ([what, before, expression, after, values]: Row) =>
    updateRow({ name: `${subject} ${what}: ${expression}`, before, expression, after, values });

export const updateSetCases: readonly PortCase[] = cases({ source: "AWS docs: Expressions.UpdateExpressions, SET" }, [
  ...plain.map(update("SET")),
  ...ifNotExists.map(update("SET with if_not_exists")),
  ...listAppend.map(update("SET with list_append")),
  update("SET")([
    "with list_append of if_not_exists starts a list",
    "absent",
    "SET l = list_append(if_not_exists(l, :none), :v)",
    { l: list(1) },
    { ":none": list(), ":v": list(1) },
  ]),
  {
    ...update("SET")([
      "appends at several indexes past the end in their order",
      { l: list(0) },
      "SET l[20] = :b, l[10] = :a",
      { l: list(0, 1, 2) },
      { ":a": n(1), ":b": n(2) },
    ]),
    source: "public conformance suites",
  },
  updateRow({
    name: "SET treats a placeholder with a dot as one name: SET #x = :v, m.#x = :v",
    before: { m: m({}) },
    expression: "SET #x = :v, m.#x = :v",
    names: { "#x": "a.b" },
    values: nine,
    after: { "a.b": n(9), m: m({ "a.b": n(9) }) },
  }),
]);

import type { Item } from "@tablekeep/core";
import type { PortCase } from "../port-case.ts";
import { updateCase } from "../update-cases.ts";

const source = "AWS docs: Expressions.UpdateExpressions, SET";
const nine = { ":v": { N: "9" } };
const list = (...numbers: number[]) => ({ L: numbers.map((each) => ({ N: String(each) })) });

interface Row {
  readonly what: string;
  readonly before: Item | "absent";
  readonly expression: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
  readonly after: Item;
  readonly source?: string;
}

const rows: readonly Row[] = [
  {
    what: "creates an absent item",
    before: "absent",
    expression: "SET a = :v",
    values: nine,
    after: { a: { N: "9" } },
  },
  {
    what: "adds an attribute and leaves the others",
    before: { a: { S: "x" } },
    expression: "SET b = :v",
    values: nine,
    after: { a: { S: "x" }, b: { N: "9" } },
  },
  {
    what: "replaces an attribute by one of another type",
    before: { a: { SS: ["x"] } },
    expression: "SET a = :v",
    values: { ":v": { M: { b: { NULL: true } } } },
    after: { a: { M: { b: { NULL: true } } } },
  },
  {
    what: "changes one entry of a map",
    before: { m: { M: { a: { N: "1" }, b: { N: "2" } } } },
    expression: "SET m.b = :v",
    values: nine,
    after: { m: { M: { a: { N: "1" }, b: { N: "9" } } } },
  },
  {
    what: "adds an entry to a nested map",
    before: { m: { M: { a: { M: {} } } } },
    expression: "SET m.a.b = :v",
    values: nine,
    after: { m: { M: { a: { M: { b: { N: "9" } } } } } },
  },
  {
    what: "changes one element of a list",
    before: { l: list(0, 1, 2) },
    expression: "SET l[1] = :v",
    values: nine,
    after: { l: list(0, 9, 2) },
  },
  {
    what: "appends at an index just past the end",
    before: { l: list(0, 1) },
    expression: "SET l[2] = :v",
    values: nine,
    after: { l: list(0, 1, 9) },
  },
  {
    what: "appends at an index far past the end",
    before: { l: list(0, 1) },
    expression: "SET l[100] = :v",
    values: nine,
    after: { l: list(0, 1, 9) },
  },
  {
    what: "appends at several indexes past the end in their order",
    before: { l: list(0) },
    expression: "SET l[20] = :b, l[10] = :a",
    values: { ":a": { N: "1" }, ":b": { N: "2" } },
    after: { l: list(0, 1, 2) },
    source: "public conformance suites",
  },
  {
    what: "goes into a map in a list in a map",
    before: { m: { M: { l: { L: [{ M: { a: { N: "1" } } }] } } } },
    expression: "SET m.l[0].a = :v",
    values: nine,
    after: { m: { M: { l: { L: [{ M: { a: { N: "9" } } }] } } } },
  },
  {
    what: "takes a placeholder with a dot as one name",
    before: { m: { M: {} } },
    expression: "SET #x = :v, m.#x = :v",
    names: { "#x": "a.b" },
    values: nine,
    after: { "a.b": { N: "9" }, m: { M: { "a.b": { N: "9" } } } },
  },
  {
    what: "copies another attribute",
    before: { a: { L: [{ S: "x" }] } },
    expression: "SET b = a, c = a[0]",
    after: { a: { L: [{ S: "x" }] }, b: { L: [{ S: "x" }] }, c: { S: "x" } },
  },
  {
    what: "sees the item as it was in every operand: attributes swap",
    before: { a: { N: "1" }, b: { N: "2" } },
    expression: "SET a = b, b = a",
    after: { a: { N: "2" }, b: { N: "1" } },
  },
  {
    what: "sees the old value of an attribute that it also changes",
    before: { a: { N: "1" } },
    expression: "SET a = :v, b = a",
    values: nine,
    after: { a: { N: "9" }, b: { N: "1" } },
  },
  {
    what: "sees an attribute that the same update removes",
    before: { a: { N: "1" } },
    expression: "REMOVE a SET b = a",
    after: { b: { N: "1" } },
  },
  {
    what: "with if_not_exists takes the value for an absent attribute",
    before: "absent",
    expression: "SET a = if_not_exists(a, :v)",
    values: nine,
    after: { a: { N: "9" } },
  },
  {
    what: "with if_not_exists keeps a present attribute",
    before: { a: { N: "1" } },
    expression: "SET a = if_not_exists(a, :v)",
    values: nine,
    after: { a: { N: "1" } },
  },
  {
    what: "with if_not_exists may look at another attribute",
    before: { b: { S: "there" } },
    expression: "SET a = if_not_exists(b, :v)",
    values: nine,
    after: { a: { S: "there" }, b: { S: "there" } },
  },
  {
    what: "with if_not_exists may fall back to an attribute",
    before: { b: { S: "there" } },
    expression: "SET a = if_not_exists(a, b)",
    after: { a: { S: "there" }, b: { S: "there" } },
  },
  {
    what: "with if_not_exists counts from zero",
    before: "absent",
    expression: "SET a = if_not_exists(a, :zero) + :v",
    values: { ...nine, ":zero": { N: "0" } },
    after: { a: { N: "9" } },
  },
  {
    what: "with list_append adds at the end",
    before: { l: list(1, 2) },
    expression: "SET l = list_append(l, :v)",
    values: { ":v": list(3, 4) },
    after: { l: list(1, 2, 3, 4) },
  },
  {
    what: "with list_append adds at the start",
    before: { l: list(1, 2) },
    expression: "SET l = list_append(:v, l)",
    values: { ":v": list(3) },
    after: { l: list(3, 1, 2) },
  },
  {
    what: "with list_append joins two attributes",
    before: { l: list(1), k: list(2) },
    expression: "SET j = list_append(k, l)",
    after: { l: list(1), k: list(2), j: list(2, 1) },
  },
  {
    what: "with list_append of if_not_exists starts a list",
    before: "absent",
    expression: "SET l = list_append(if_not_exists(l, :none), :v)",
    values: { ":none": list(), ":v": list(1) },
    after: { l: list(1) },
  },
  {
    what: "takes its keyword in any case",
    before: "absent",
    expression: "sEt a = :v",
    values: nine,
    after: { a: { N: "9" } },
  },
  {
    what: "may store an empty string, map and list",
    before: "absent",
    expression: "SET a = :s, b = :m, c = :l",
    values: { ":s": { S: "" }, ":m": { M: {} }, ":l": { L: [] } },
    after: { a: { S: "" }, b: { M: {} }, c: { L: [] } },
  },
];

export const updateSetCases: readonly PortCase[] = rows.map(({ what, ...row }) =>
  updateCase({ name: `SET ${what}: ${row.expression}`, source, ...row }),
);

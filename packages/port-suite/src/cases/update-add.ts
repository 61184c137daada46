import type { Item } from "@tablekeep/core";
import type { PortCase } from "../port-case.ts";
import { updateCase } from "../update-cases.ts";

const source = "AWS docs: Expressions.UpdateExpressions, ADD";
const two = { ":v": { N: "2" } };

interface Row {
  readonly what: string;
  readonly before: Item | "absent";
  readonly expression: string;
  readonly values: Item;
  readonly after: Item;
}

const rows: readonly Row[] = [
  {
    what: "adds to a number",
    before: { a: { N: "5" } },
    expression: "ADD a :v",
    values: two,
    after: { a: { N: "7" } },
  },
  {
    what: "subtracts with a negative number",
    before: { a: { N: "1" } },
    expression: "ADD a :v",
    values: { ":v": { N: "-3" } },
    after: { a: { N: "-2" } },
  },
  {
    what: "takes an absent number for 0",
    before: { b: { N: "1" } },
    expression: "ADD a :v",
    values: two,
    after: { a: { N: "2" }, b: { N: "1" } },
  },
  {
    what: "creates an absent item",
    before: "absent",
    expression: "ADD a :v",
    values: two,
    after: { a: { N: "2" } },
  },
  {
    what: "joins sets",
    before: { s: { SS: ["a", "b"] } },
    expression: "ADD s :v",
    values: { ":v": { SS: ["b", "c"] } },
    after: { s: { SS: ["a", "b", "c"] } },
  },
  {
    what: "joins number sets by value",
    before: { s: { NS: ["1", "2"] } },
    expression: "ADD s :v",
    values: { ":v": { NS: ["2.0", "3"] } },
    after: { s: { NS: ["1", "2", "3"] } },
  },
  {
    what: "joins byte sets",
    before: { s: { BS: [Uint8Array.of(1)] } },
    expression: "ADD s :v",
    values: { ":v": { BS: [Uint8Array.of(1), Uint8Array.of(2)] } },
    after: { s: { BS: [Uint8Array.of(1), Uint8Array.of(2)] } },
  },
  {
    what: "creates an absent set",
    before: "absent",
    expression: "ADD s :v",
    values: { ":v": { SS: ["a"] } },
    after: { s: { SS: ["a"] } },
  },
  {
    what: "adds to a number in a map",
    before: { m: { M: { a: { N: "1" } } } },
    expression: "ADD m.a :v",
    values: two,
    after: { m: { M: { a: { N: "3" } } } },
  },
  {
    what: "creates an absent number in a map",
    before: { m: { M: {} } },
    expression: "ADD m.a :v",
    values: two,
    after: { m: { M: { a: { N: "2" } } } },
  },
  {
    what: "adds to a number in a list",
    before: { l: { L: [{ N: "1" }, { N: "5" }] } },
    expression: "ADD l[1] :v",
    values: two,
    after: { l: { L: [{ N: "1" }, { N: "7" }] } },
  },
  {
    what: "changes several attributes at once",
    before: { a: { N: "1" } },
    expression: "ADD a :v, b :v, s :s",
    values: { ...two, ":s": { SS: ["x"] } },
    after: { a: { N: "3" }, b: { N: "2" }, s: { SS: ["x"] } },
  },
  {
    what: "works beside the other clauses, in any order",
    before: { a: { N: "1" }, r: { N: "0" }, d: { SS: ["x", "y"] } },
    expression: "DELETE d :d ADD a :v REMOVE r SET c = a",
    values: { ...two, ":d": { SS: ["x"] } },
    after: { a: { N: "3" }, c: { N: "1" }, d: { SS: ["y"] } },
  },
];

export const updateAddCases: readonly PortCase[] = rows.map(({ what, ...row }) =>
  updateCase({ name: `ADD ${what}`, source, ...row }),
);

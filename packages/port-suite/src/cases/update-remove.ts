import type { Item } from "@tablekeep/core";
import { localGap, type PortCase } from "../port-case.ts";
import { updateCase } from "../update-cases.ts";

const source = "AWS docs: Expressions.UpdateExpressions, REMOVE and DELETE";
const createsKey = "creates an item of the key alone";
const list = (...numbers: number[]) => ({ L: numbers.map((each) => ({ N: String(each) })) });

interface Row {
  readonly what: string;
  readonly before: Item | "absent";
  readonly expression: string;
  readonly values?: Item;
  readonly after: Item | "absent";
  readonly gap?: string;
}

const removes: readonly Row[] = [
  {
    what: "takes attributes away",
    before: { a: { N: "1" }, b: { N: "2" }, c: { N: "3" } },
    expression: "REMOVE a, c",
    after: { b: { N: "2" } },
  },
  {
    what: "of an absent attribute changes nothing",
    before: { a: { N: "1" } },
    expression: "REMOVE b",
    after: { a: { N: "1" } },
  },
  { what: "may leave the key alone", before: { a: { N: "1" } }, expression: "REMOVE a", after: {} },
  {
    what: "takes an entry out of a map",
    before: { m: { M: { a: { N: "1" }, b: { N: "2" } } } },
    expression: "REMOVE m.a",
    after: { m: { M: { b: { N: "2" } } } },
  },
  {
    what: "may leave an empty map",
    before: { m: { M: { a: { N: "1" } } } },
    expression: "REMOVE m.a",
    after: { m: { M: {} } },
  },
  {
    what: "of an absent entry of a map changes nothing",
    before: { m: { M: { a: { N: "1" } } } },
    expression: "REMOVE m.b",
    after: { m: { M: { a: { N: "1" } } } },
  },
  {
    what: "of a list element moves the later ones up",
    before: { l: list(0, 1, 2, 3) },
    expression: "REMOVE l[1]",
    after: { l: list(0, 2, 3) },
  },
  {
    what: "of several list elements takes their indexes from the old list",
    before: { l: list(0, 1, 2, 3, 4) },
    expression: "REMOVE l[0], l[1], l[3]",
    after: { l: list(2, 4) },
  },
  {
    what: "of an index past the end changes nothing",
    before: { l: list(0) },
    expression: "REMOVE l[1]",
    after: { l: list(0) },
  },
  {
    what: "works beside SET on the same list",
    before: { l: list(0, 1, 2) },
    expression: "SET l[0] = :v REMOVE l[1]",
    values: { ":v": { N: "9" } },
    after: { l: list(9, 2) },
  },
  {
    what: "alone does not create an absent item",
    before: "absent",
    expression: "REMOVE a",
    after: "absent",
    gap: createsKey,
  },
  {
    what: "beside SET creates an absent item",
    before: "absent",
    expression: "REMOVE a SET b = :v",
    values: { ":v": { N: "9" } },
    after: { b: { N: "9" } },
  },
];

const deletes: readonly Row[] = [
  {
    what: "takes elements out of a set",
    before: { s: { SS: ["a", "b", "c"] } },
    expression: "DELETE s :v",
    values: { ":v": { SS: ["c", "a"] } },
    after: { s: { SS: ["b"] } },
  },
  {
    what: "goes by the value of numbers",
    before: { s: { NS: ["1", "2"] } },
    expression: "DELETE s :v",
    values: { ":v": { NS: ["1.0"] } },
    after: { s: { NS: ["2"] } },
  },
  {
    what: "works on bytes",
    before: { s: { BS: [Uint8Array.of(1), Uint8Array.of(2)] } },
    expression: "DELETE s :v",
    values: { ":v": { BS: [Uint8Array.of(2)] } },
    after: { s: { BS: [Uint8Array.of(1)] } },
  },
  {
    what: "ignores elements that are not there",
    before: { s: { SS: ["a"] } },
    expression: "DELETE s :v",
    values: { ":v": { SS: ["z"] } },
    after: { s: { SS: ["a"] } },
  },
  {
    what: "of the last element takes the attribute away",
    before: { s: { SS: ["a", "b"] }, t: { N: "1" } },
    expression: "DELETE s :v",
    values: { ":v": { SS: ["b", "a", "z"] } },
    after: { t: { N: "1" } },
  },
  {
    what: "works on a set in a map",
    before: { m: { M: { s: { SS: ["a", "b"] } } } },
    expression: "DELETE m.s :v",
    values: { ":v": { SS: ["a"] } },
    after: { m: { M: { s: { SS: ["b"] } } } },
  },
  {
    what: "of the last element takes an entry out of its map",
    before: { m: { M: { s: { SS: ["a"] } } } },
    expression: "DELETE m.s :v",
    values: { ":v": { SS: ["a"] } },
    after: { m: { M: {} } },
  },
  {
    what: "of an absent attribute changes nothing",
    before: { t: { N: "1" } },
    expression: "DELETE s :v",
    values: { ":v": { SS: ["a"] } },
    after: { t: { N: "1" } },
  },
  {
    what: "alone does not create an absent item",
    before: "absent",
    expression: "DELETE s :v",
    values: { ":v": { SS: ["a"] } },
    after: "absent",
    gap: createsKey,
  },
];

export const updateRemoveCases: readonly PortCase[] = [
  ...removes.map((row) => toCase("REMOVE", row)),
  ...deletes.map((row) => toCase("DELETE", row)),
];

function toCase(clause: string, { what, gap, ...row }: Row): PortCase {
  const suites = gap === undefined ? "" : "; public conformance suites";
  return updateCase({ name: `${clause} ${what}`, source: source + suites, ...row, ...localGap(gap) });
}

import type { AttributeValueUpdate, Item } from "@tablekeep/core";
import { l, m, n, ns, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: LegacyConditionalParameters.AttributeUpdates";

type Updates = Record<string, AttributeValueUpdate>;

const two = n(2);
const put = (Value?: Item[""]): AttributeValueUpdate => ({ Action: "PUT", Value });
const add = (Value: Item[""]): AttributeValueUpdate => ({ Action: "ADD", Value });
const remove = (Value?: Item[""]): AttributeValueUpdate => ({ Action: "DELETE", Value });

/** The items are without their key; `undefined` for none. */
const accepted: readonly (readonly [
  what: string,
  before: Item | undefined,
  updates: Updates,
  after: Item | undefined,
  gap?: string,
])[] = [
  ["PUT replaces", { a: s("x") }, { a: put(two) }, { a: two }],
  ["PUT creates an item", undefined, { a: put(two) }, { a: two }],
  ["without an action it puts", { a: s("x") }, { a: { Value: two } }, { a: two }, "ignores an update without an action"],
  ["DELETE removes an attribute", { a: two, b: two }, { a: remove() }, { b: two }],
  ["DELETE removes elements from a set", { a: ss("x", "y") }, { a: remove(ss("y", "z")) }, { a: ss("x") }],
  ["DELETE of the last element removes the attribute", { a: ns(1), b: two }, { a: remove(ns(1)) }, { b: two }],
  [
    "DELETE finds numbers in a set by value",
    { a: ns(1, 2) },
    { a: remove(ns("1.0")) },
    { a: ns(2) },
    "misses a number that is written in another way",
  ],
  ["DELETE does not create an absent item", undefined, { a: remove() }, undefined, "creates an item of the key alone"],
  ["ADD adds", { a: n(1) }, { a: add(two) }, { a: n(3) }],
  ["ADD treats an absent number as 0", {}, { a: add(two) }, { a: two }],
  ["ADD creates an item", undefined, { a: add(two) }, { a: two }],
  ["ADD joins sets", { a: ss("x") }, { a: add(ss("x", "y")) }, { a: ss("x", "y") }],
  ["ADD appends to a list", { a: l(n(1)) }, { a: add(l(two)) }, { a: l(n(1), two) }],
  ["ADD creates a list", {}, { a: add(l(two)) }, { a: l(two) }],
  [
    "several attributes change at once",
    { a: n(1), b: s("gone") },
    { a: add(two), b: remove(), c: put({ NULL: true }) },
    { a: n(3), c: { NULL: true } },
  ],
  ["a name with a dot is one name", { m: m({ a: two }) }, { "m.a": put(s("flat")) }, { m: m({ a: two }), "m.a": s("flat") }],
  ["a map of nothing creates an item", undefined, {}, {}],
];

const invalid = "One or more parameter values were invalid: ";
const mismatch = "Type mismatch for attribute to update";

const rejected: readonly (readonly [what: string, updates: Updates, says: string])[] = [
  ["PUT without a value", { a: put() }, `${invalid}Only DELETE action is allowed when no attribute value is specified`],
  ["ADD of a string", { a: add(s("x")) }, `${invalid}ADD action is not supported for the type STRING`],
  ["DELETE of a string", { a: remove(s("x")) }, `${invalid}DELETE action with value is not supported for the type STRING`],
  ["ADD of a number to a string", { s: add(two) }, mismatch],
  ["ADD of a number set to a string set", { ss: add(ns(1)) }, mismatch],
  ["a change to the key", { pk: put(s("x")) }, `${invalid}Cannot update attribute pk. This attribute is part of the key`],
  ["an empty set", { a: put(ss()) }, "An string set  may not be empty"],
];

const stored = (item: Item | undefined) => ({ simple: item === undefined ? [] : [{ ...item, pk }] });
const beforeRejection = { simple: [{ pk, s: s("x"), ss: ss("x") }] };

export const legacyUpdateCases: readonly PortCase[] = cases({ source, table: "simple" }, [
  ...accepted.map(
    ([what, before, updates, after, gap]): Row => ({
      name: `AttributeUpdates: ${what}`,
      gap,
      given: stored(before),
      updateItem: { Key: { pk }, AttributeUpdates: updates },
      after: stored(after),
    }),
  ),
  ...rejected.map(
    ([what, updates, says]): Row => ({
      name: `AttributeUpdates are rejected for ${what}`,
      source: `${source}; public conformance suites`,
      given: beforeRejection,
      updateItem: { Key: { pk }, AttributeUpdates: updates },
      rejected: says,
      after: beforeRejection,
    }),
  ),
]);

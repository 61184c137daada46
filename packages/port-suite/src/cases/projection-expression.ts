import type { Item } from "@tablekeep/core";
import { l, m, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const document = {
  s: s("x"),
  l: l(n(0), n(1), l(n(20), n(21)), m({ a: n(30), b: n(31) })),
  m: m({ a: m({ b: n(1), c: n(2) }), d: n(3) }),
  "a.b": s("dot"),
};

type Names = Record<string, string>;

const accepted: readonly (readonly [what: string, expression: string, expected: Item, names?: Names])[] = [
  ["selects one attribute", "s", { s: s("x") }],
  ["selects several attributes", "s, m", { s: document.s, m: document.m }],
  ["leaves absent attributes out", "s, nowhere", { s: s("x") }],
  ["of nothing that is there returns an empty item", "nowhere", {}],
  ["selects an entry of a map in its place", "m.a.b", { m: m({ a: m({ b: n(1) }) }) }],
  ["joins entries of one map", "m.d, m.a.c", { m: m({ a: m({ c: n(2) }), d: n(3) }) }],
  ["selects an element of a list, alone in the list", "l[1]", { l: l(n(1)) }],
  ["keeps the order of the list, not of the paths", "l[3], l[0]", { l: l(n(0), m({ a: n(30), b: n(31) })) }],
  ["goes into lists in lists", "l[2][1]", { l: l(l(n(21))) }],
  ["goes into maps in lists", "l[3].b", { l: l(m({ b: n(31) })) }],
  ["leaves an index past the end out", "l[9]", {}],
  ["leaves an absent entry out, with its map", "m.nowhere", {}],
  ["of a name below a string returns nothing", "s.a", {}],
  ["of an index of a map returns nothing", "m[0]", {}],
  ["of a name in a list returns nothing", "l.a", {}],
  ["treats a placeholder with a dot as one name", "#x", { "a.b": s("dot") }, { "#x": "a.b" }],
  ["accepts placeholders in a path", "#m.#d", { m: m({ d: n(3) }) }, { "#m": "m", "#d": "d" }],
  ["ignores white space", " m . d ,\ts ", { m: m({ d: n(3) }), s: s("x") }],
];

const rejected: readonly (readonly [what: string, expression: string, says: string, names?: Names])[] = [
  ["an empty one", "", "The expression can not be empty;"],
  ["a comma at the end", "s,", 'Syntax error; token: "<EOF>", near: ","'],
  ["a missing comma", "s l", 'Syntax error; token: "l", near: "s l"'],
  ["a stray sign", "!!! s", 'Syntax error; token: "!", near: "!!"'],
  ["a value placeholder", ":v", "Syntax error; token:"],
  ["a function", "size(s)", "Syntax error; token:"],
  ["a reserved word", "name", "Attribute name is a reserved keyword; reserved keyword: name"],
  [
    "a name that is not defined",
    "#x",
    "An expression attribute name used in the document path is not defined; attribute name: #x",
  ],
  ["the same path twice", "s, s", overlap("overlap", "s", "s")],
  ["the same path twice by a placeholder", "s, #x", overlap("overlap", "s", "s"), { "#x": "s" }],
  ["a path and one below it", "m, m.a", overlap("overlap", "m", "m, a")],
  ["a path and one above it", "m.a.b, m.a", overlap("overlap", "m, a, b", "m, a")],
  ["a path as map and as list", "m.a, m[0]", overlap("conflict", "m, a", "m, [0]")],
];

function overlap(kind: string, first: string, second: string): string {
  return `Two document paths ${kind} with each other; must remove or rewrite one of these paths; path one: [${first}], path two: [${second}]`;
}

const read = (ProjectionExpression: string, ExpressionAttributeNames?: Names) => ({
  Key: { pk },
  ProjectionExpression,
  ExpressionAttributeNames,
});

export const projectionCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.ProjectionExpressions; public conformance suites", table: "simple" },
  [
    ...accepted.map(
      ([what, expression, expected, names]): Row => ({
        name: `a projection ${what}: ${expression.trim()}`,
        given: { simple: [{ ...document, pk }] },
        getItem: read(expression, names),
        returns: { Item: expected },
      }),
    ),
    ...rejected.map(
      ([what, expression, says, names]): Row => ({
        name: `a projection is rejected for ${what}: ${expression}`,
        getItem: read(expression, names),
        rejected: `Invalid ProjectionExpression: ${says}`,
      }),
    ),
    {
      name: "a projection is rejected for a name that it does not use",
      getItem: read("s", { "#x": "y" }),
      rejected: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
    },
  ],
);

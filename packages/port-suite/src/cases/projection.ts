import type { Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Expressions.ProjectionExpressions; public conformance suites";

const document: Item = {
  s: { S: "x" },
  l: {
    L: [{ N: "0" }, { N: "1" }, { L: [{ N: "20" }, { N: "21" }] }, { M: { a: { N: "30" }, b: { N: "31" } } }],
  },
  m: { M: { a: { M: { b: { N: "1" }, c: { N: "2" } } }, d: { N: "3" } } },
  "a.b": { S: "dot" },
};

type Names = Record<string, string>;

const accepted: readonly (readonly [what: string, expression: string, expected: Item, names?: Names])[] = [
  ["takes one attribute", "s", { s: { S: "x" } }],
  ["takes several attributes", "s, m", { s: document["s"] as never, m: document["m"] as never }],
  ["leaves absent attributes out", "s, nowhere", { s: { S: "x" } }],
  ["of nothing that is there gives an empty item", "nowhere", {}],
  ["takes an entry of a map in its place", "m.a.b", { m: { M: { a: { M: { b: { N: "1" } } } } } }],
  ["joins entries of one map", "m.d, m.a.c", { m: { M: { a: { M: { c: { N: "2" } } }, d: { N: "3" } } } }],
  ["takes an element of a list, alone in the list", "l[1]", { l: { L: [{ N: "1" }] } }],
  [
    "keeps the order of the list, not of the paths",
    "l[3], l[0]",
    { l: { L: [{ N: "0" }, { M: { a: { N: "30" }, b: { N: "31" } } }] } },
  ],
  ["goes into lists in lists", "l[2][1]", { l: { L: [{ L: [{ N: "21" }] }] } }],
  ["goes into maps in lists", "l[3].b", { l: { L: [{ M: { b: { N: "31" } } }] } }],
  ["leaves an index past the end out", "l[9]", {}],
  ["leaves an absent entry out, with its map", "m.nowhere", {}],
  ["of a name below a string gives nothing", "s.a", {}],
  ["of an index of a map gives nothing", "m[0]", {}],
  ["of a name in a list gives nothing", "l.a", {}],
  ["takes a placeholder with a dot as one name", "#x", { "a.b": { S: "dot" } }, { "#x": "a.b" }],
  ["takes placeholders in a path", "#m.#d", { m: { M: { d: { N: "3" } } } }, { "#m": "m", "#d": "d" }],
  ["does not mind white space", " m . d ,\ts ", { m: { M: { d: { N: "3" } } }, s: { S: "x" } }],
];

const refused: readonly (readonly [what: string, expression: string, says: string, names?: Names])[] = [
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

export const projectionCases: readonly PortCase[] = [
  ...accepted.map(
    ([what, expression, expected, names]): PortCase => ({
      name: `a projection ${what}: ${expression.trim()}`,
      source,
      async run({ port, tables, unique }) {
        const TableName = tables.simple;
        const Key = { pk: { S: unique() } };
        await port.putItem({ TableName, Item: { ...document, ...Key } });
        const read = await port.getItem({
          TableName,
          Key,
          ProjectionExpression: expression,
          ExpressionAttributeNames: names,
        });
        same(read, { Item: expected });
      },
    }),
  ),
  ...refused.map(
    ([what, expression, says, names]): PortCase => ({
      name: `a projection is refused for ${what}: ${expression}`,
      source,
      async run({ port, tables, unique }) {
        const read = port.getItem({
          TableName: tables.simple,
          Key: { pk: { S: unique() } },
          ProjectionExpression: expression,
          ExpressionAttributeNames: names,
        });
        await refuses(read, "ValidationException", `Invalid ProjectionExpression: ${says}`);
      },
    }),
  ),
  {
    name: "a projection is refused for a name that it does not use",
    source,
    async run({ port, tables, unique }) {
      const read = port.getItem({
        TableName: tables.simple,
        Key: { pk: { S: unique() } },
        ProjectionExpression: "s",
        ExpressionAttributeNames: { "#x": "y" },
      });
      await refuses(
        read,
        "ValidationException",
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
      );
    },
  },
];

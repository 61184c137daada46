import type { Item } from "@tablekeep/core";
import { conditionCase } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Expressions.Attributes and Expressions.ExpressionAttributeNames";

interface Row {
  readonly what: string;
  readonly expression: string;
  readonly holds: boolean;
  readonly values: Item;
  readonly names?: Record<string, string>;
}

const dotted: Item = { ":v": { S: "dotted" } };

const rows: readonly Row[] = [
  { what: "a dot goes into a map", expression: "m.a.b = :v", holds: true, values: { ":v": { S: "deep" } } },
  { what: "an index goes into a list", expression: "l[1] = :v", holds: true, values: { ":v": { S: "x" } } },
  {
    what: "indexes and dots mix",
    expression: "l[2].a < l[3][0] AND l[3][1] = :v",
    holds: true,
    values: { ":v": { N: "31" } },
  },
  {
    what: "a map has no indexes",
    expression: "m[0] = :v OR attribute_exists(m[0])",
    holds: false,
    values: { ":v": { N: "7" } },
  },
  {
    what: "a list has no names",
    expression: "l.a = :v OR attribute_exists(l.a)",
    holds: false,
    values: { ":v": { N: "20" } },
  },
  {
    what: "a placeholder with a dot is one name",
    expression: "#x = :v",
    holds: true,
    values: { ":v": { S: "a name with a dot" } },
    names: { "#x": "a.b" },
  },
  {
    what: "a placeholder with a dash is one name",
    expression: "#x = :v",
    holds: true,
    values: { ":v": { S: "a name with a dash" } },
    names: { "#x": "a-b" },
  },
  {
    what: "a placeholder may stand for a reserved word",
    expression: "#name = :v",
    holds: true,
    values: { ":v": { S: "a reserved word" } },
    names: { "#name": "name" },
  },
  {
    what: "placeholders may stand anywhere in a path",
    expression: "#m.#cd = :v",
    holds: true,
    values: dotted,
    names: { "#m": "m", "#cd": "c.d" },
  },
  {
    what: "a placeholder and a bare name mix",
    expression: "m.#cd = :v",
    holds: true,
    values: dotted,
    names: { "#cd": "c.d" },
  },
  {
    what: "a dot in a placeholder is no path",
    expression: "#x = :v",
    holds: false,
    values: { ":v": { S: "deep" } },
    names: { "#x": "m.a.b" },
  },
  {
    what: "a placeholder may be used twice, for an index too",
    expression: "#l[0] < #l[3][0] AND n > :v",
    holds: true,
    values: { ":v": { N: "0" } },
    names: { "#l": "l" },
  },
  {
    what: "a value placeholder may be used twice",
    expression: "n > :v AND m.n > :v",
    holds: true,
    values: { ":v": { N: "4" } },
  },
  {
    what: "placeholders may have digits and underscores",
    expression: "#1_a = :1_B",
    holds: true,
    values: { ":1_B": { N: "5" } },
    names: { "#1_a": "n" },
  },
  { what: "names tell cases apart", expression: "N = :v", holds: false, values: { ":v": { N: "5" } } },
];

export const conditionPathCases: readonly PortCase[] = rows.map(
  ({ what, expression, holds, values, names }) =>
    conditionCase({
      name: `in a condition, ${what}: ${expression}`,
      source,
      expression,
      holds,
      values,
      ...(names && { names }),
    }),
);

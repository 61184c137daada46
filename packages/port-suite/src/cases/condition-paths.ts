import type { Item } from "@tablekeep/core";
import { n, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

/** The value is that of `:v`. */
type Row = readonly [what: string, expression: string, holds: boolean, value: Item[""], names?: Record<string, string>];

const rows: readonly Row[] = [
  ["a dot goes into a map", "m.a.b = :v", true, s("deep")],
  ["an index goes into a list", "l[1] = :v", true, s("x")],
  ["indexes and dots mix", "l[2].a < l[3][0] AND l[3][1] = :v", true, n(31)],
  ["a map has no indexes", "m[0] = :v OR attribute_exists(m[0])", false, n(7)],
  ["a list has no names", "l.a = :v OR attribute_exists(l.a)", false, n(20)],
  ["a placeholder with a dot is one name", "#x = :v", true, s("a name with a dot"), { "#x": "a.b" }],
  ["a placeholder with a dash is one name", "#x = :v", true, s("a name with a dash"), { "#x": "a-b" }],
  ["a placeholder may stand for a reserved word", "#name = :v", true, s("a reserved word"), { "#name": "name" }],
  ["placeholders may stand anywhere in a path", "#m.#cd = :v", true, s("dotted"), { "#m": "m", "#cd": "c.d" }],
  ["a placeholder and a bare name mix", "m.#cd = :v", true, s("dotted"), { "#cd": "c.d" }],
  ["a dot in a placeholder is not a path", "#x = :v", false, s("deep"), { "#x": "m.a.b" }],
  ["a placeholder may be used twice, for an index too", "#l[0] < #l[3][0] AND n > :v", true, n(0), { "#l": "l" }],
  ["a value placeholder may be used twice", "n > :v AND m.n > :v", true, n(4)],
  ["names are case-sensitive", "N = :v", false, n(5)],
];

export const conditionPathCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.Attributes and Expressions.ExpressionAttributeNames" },
  [
    ...rows.map(([what, expression, holds, value, names]) => {
      const name = `in a condition, ${what}: ${expression}`;
      return conditionRow({ name, expression, holds, values: { ":v": value }, names });
    }),
    conditionRow({
      name: "in a condition, placeholders may have digits and underscores: #1_a = :1_B",
      expression: "#1_a = :1_B",
      holds: true,
      values: { ":1_B": n(5) },
      names: { "#1_a": "n" },
    }),
  ],
);

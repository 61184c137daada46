import type { Item } from "@tablekeep/core";
import { n } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

/** Each row's condition is on this item: `t = :y` holds, `f = :y` does not. */
const truth: Item = { t: n(1), f: n(0) };
const values: Item = { ":y": n(1) };

const rows: readonly (readonly [what: string, expression: string, holds: boolean])[] = [
  ["AND holds when both sides do", "t = :y AND attribute_exists(f)", true],
  ["AND fails when one side does", "t = :y AND f = :y", false],
  ["OR holds when one side does", "f = :y OR t = :y", true],
  ["OR fails when both sides do", "f = :y OR attribute_not_exists(f)", false],
  ["NOT turns a condition round", "NOT f = :y", true],
  ["NOT binds tighter than AND", "NOT f = :y AND f = :y", false],
  ["NOT binds tighter than OR", "NOT t = :y OR t = :y", true],
  ["AND binds tighter than OR on the right", "t = :y OR t = :y AND f = :y", true],
  ["AND binds tighter than OR on the left", "f = :y AND f = :y OR t = :y", true],
  ["parentheses change the order", "(t = :y OR t = :y) AND f = :y", false],
  ["NOT applies to the whole of parentheses", "NOT (t = :y OR f = :y)", false],
  ["NOT may be repeated", "NOT NOT t = :y", true],
  ["single parentheses are allowed", "(t = :y)", true],
  ["parentheses may nest where they group", "((t = :y OR f = :y) AND t = :y) OR f = :y", true],
  ["operators may be in lower case", "not f = :y and t = :y or f = :y", true],
  ["keywords may be in mixed case", "t iN (:y) aNd f bEtWeEn :y anD :y", false],
  ["white space does not matter", "\t t=:y\n AND\r\n NOT(f=:y)  ", true],
  ["the AND of BETWEEN is not the operator", "f BETWEEN :y AND :y OR t = :y", true],
  ["NOT applies to a whole IN", "NOT f IN (:y) AND t = :y", true],
];

const absentRows: readonly (readonly [what: string, expression: string, holds: boolean, values?: Item])[] = [
  ["attribute_not_exists of the key holds", "attribute_not_exists(pk)", true],
  ["attribute_exists of the key fails", "attribute_exists(pk)", false],
  ["a comparison fails", "a = :v", false, { ":v": n(1) }],
  ["<> holds", "a <> :v", true, { ":v": n(1) }],
  ["size fails", "size(a) >= :v", false, { ":v": n(0) }],
  ["NOT of a failing comparison holds", "NOT a = :v", true, { ":v": n(1) }],
];

export const conditionLogicCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.OperatorsAndFunctions, precedence in conditions" },
  [
    ...rows.map(([what, expression, holds]) =>
      conditionRow({ name: `in a condition, ${what}: ${JSON.stringify(expression)}`, item: truth, expression, holds, values }),
    ),
    ...absentRows.map(([what, expression, holds, given]) =>
      conditionRow({
        name: `on an absent item, ${what}: ${expression}`,
        source: "AWS: API_DeleteItem; public conformance suites",
        item: "absent",
        expression,
        holds,
        values: given,
      }),
    ),
  ],
);

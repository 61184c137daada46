import { m, n } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const nines = "9".repeat(38);
const keepsZero = "keeps the zero behind the point";
type Sign = "+" | "-";

const exact: readonly (readonly [left: string, sign: Sign, right: string, result: string, gap?: string])[] = [
  ["5", "+", "3", "8"],
  ["5", "-", "8", "-3"],
  ["-5", "-", "-7", "2"],
  ["0.1", "+", "0.2", "0.3"],
  ["1", "+", "10000000000000000000000", "10000000000000000000001"],
  ["10000000000000000000000", "-", "1", "9999999999999999999999"],
  ["9007199254740993", "+", "2", "9007199254740995"],
  [nines, "+", "1", `1${"0".repeat(38)}`],
  [`1${"0".repeat(37)}`, "+", "1", `1${"0".repeat(36)}1`],
  [`${nines.slice(1)}8`, "-", `${nines.slice(1)}7`, "1"],
  ["1.5", "+", "1.5", "3", keepsZero],
  ["1.5", "-", "1.5", "0", keepsZero],
];

const rejected: readonly (readonly [what: string, left: string, sign: Sign, right: string, says?: string])[] = [
  ["needs 39 digits", nines, "+", "2"],
  ["would lose a digit far below", "1E50", "+", "1"],
  ["is too large", "9E125", "+", "9E125", "Number overflow. Attempting to store a number with magnitude larger"],
  ["is too large below zero", "-9E125", "-", "9E125", "Number overflow."],
  ["is too small", "1.1E-130", "-", "1E-130"],
];

export const arithmeticCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.UpdateExpressions; public conformance suites" },
  [
    ...exact.map(([left, sign, right, result, gap]) =>
      updateRow({
        name: `SET computes ${left} ${sign} ${right} exactly`,
        before: { a: n(left) },
        expression: `SET a = a ${sign} :v`,
        values: { ":v": n(right) },
        after: { a: n(result) },
        gap,
      }),
    ),
    updateRow({
      name: "SET computes with two values of the request",
      before: "absent",
      expression: "SET a = :x - :y",
      values: { ":x": n(1), ":y": n("0.75") },
      after: { a: n("0.25") },
    }),
    updateRow({
      name: "SET computes with two attributes",
      before: { a: n(1), m: m({ b: n(2) }) },
      expression: "SET a = a + m.b, m.b = m.b - a",
      after: { a: n(3), m: m({ b: n(1) }) },
    }),
    updateRow({
      name: "ADD computes exactly",
      before: { a: n("0.1"), b: n(nines) },
      expression: "ADD a :v, b :w",
      values: { ":v": n("0.2"), ":w": n(-1) },
      after: { a: n("0.3"), b: n(`${nines.slice(1)}8`) },
    }),
    ...rejected.map(([what, left, sign, right, says = ""]) =>
      updateRow({
        name: `SET rejects a result that ${what}`,
        before: {},
        expression: `SET a = :left ${sign} :right`,
        values: { ":left": n(left), ":right": n(right) },
        rejected: says,
      }),
    ),
    updateRow({
      name: "ADD rejects a result that needs 39 digits",
      before: { a: n(nines) },
      expression: "ADD a :v",
      values: { ":v": n("0.5") },
      rejected: "",
    }),
  ],
);

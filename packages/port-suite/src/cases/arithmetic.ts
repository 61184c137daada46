import { localGap, type PortCase } from "../port-case.ts";
import { refusedUpdateCase, updateCase } from "../update-cases.ts";

const source = "AWS docs: Expressions.UpdateExpressions; public conformance suites";
const nines = "9".repeat(38);

const exact: readonly (readonly [
  left: string,
  sign: "+" | "-",
  right: string,
  result: string,
  gap?: string,
])[] = [
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
  ["1.5", "+", "1.5", "3", "keeps the zero behind the point"],
  ["1.5", "-", "1.5", "0", "keeps the zero behind the point"],
];

const refused: readonly (readonly [
  what: string,
  left: string,
  sign: "+" | "-",
  right: string,
  says?: string,
])[] = [
  ["needs 39 digits", nines, "+", "2"],
  ["would lose a digit far below", "1E50", "+", "1"],
  [
    "is too large",
    "9E125",
    "+",
    "9E125",
    "Number overflow. Attempting to store a number with magnitude larger",
  ],
  ["is too large below zero", "-9E125", "-", "9E125", "Number overflow."],
  ["is too small", "1.1E-130", "-", "1E-130"],
];

export const arithmeticCases: readonly PortCase[] = [
  ...exact.map(([left, sign, right, result, gap]) =>
    updateCase({
      name: `SET computes ${left} ${sign} ${right} exactly`,
      source,
      before: { a: { N: left } },
      expression: `SET a = a ${sign} :v`,
      values: { ":v": { N: right } },
      after: { a: { N: result } },
      ...localGap(gap),
    }),
  ),
  updateCase({
    name: "SET computes with two values of the request",
    source,
    before: "absent",
    expression: "SET a = :x - :y",
    values: { ":x": { N: "1" }, ":y": { N: "0.75" } },
    after: { a: { N: "0.25" } },
  }),
  updateCase({
    name: "SET computes with two attributes",
    source,
    before: { a: { N: "1" }, m: { M: { b: { N: "2" } } } },
    expression: "SET a = a + m.b, m.b = m.b - a",
    after: { a: { N: "3" }, m: { M: { b: { N: "1" } } } },
  }),
  updateCase({
    name: "ADD computes exactly",
    source,
    before: { a: { N: "0.1" }, b: { N: nines } },
    expression: "ADD a :v, b :w",
    values: { ":v": { N: "0.2" }, ":w": { N: "-1" } },
    after: { a: { N: "0.3" }, b: { N: `${nines.slice(1)}8` } },
  }),
  ...refused.map(([what, left, sign, right, says]) =>
    refusedUpdateCase({
      name: `SET refuses a result that ${what}`,
      source,
      before: {},
      expression: `SET a = :left ${sign} :right`,
      values: { ":left": { N: left }, ":right": { N: right } },
      ...(says && { text: says }),
    }),
  ),
  refusedUpdateCase({
    name: "ADD refuses a result that needs 39 digits",
    source,
    before: { a: { N: nines } },
    expression: "ADD a :v",
    values: { ":v": { N: "0.5" } },
  }),
];

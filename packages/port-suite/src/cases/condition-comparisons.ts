import type { Item } from "@tablekeep/core";
import { b, l, m, n, ns, s, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

type Row = readonly [what: string, expression: string, holds: boolean, values?: Item];

const numbers: readonly Row[] = [
  ["= finds an equal number", "n = :v", true, { ":v": n(5) }],
  ["= compares numbers by value, not by text", "n = :v", true, { ":v": n("5.00") }],
  ["= is false for another number", "n = :v", false, { ":v": n(6) }],
  ["<> is true for another number", "n <> :v", true, { ":v": n(6) }],
  ["<> is false for the same number written otherwise", "n <> :v", false, { ":v": n("0.5E1") }],
  ["< compares numbers by value: 5 is below 10", "n < :v", true, { ":v": n(10) }],
  ["< is false for the same number", "n < :v", false, { ":v": n(5) }],
  ["<= is true for the same number", "n <= :v", true, { ":v": n(5) }],
  ["<= is false for a smaller number", "n <= :v", false, { ":v": n("4.9") }],
  ["> compares numbers by value: 5 is above -10", "n > :v", true, { ":v": n(-10) }],
  ["> is false for the same number", "n > :v", false, { ":v": n(5) }],
  [">= is true for the same number", "n >= :v", true, { ":v": n(5) }],
  [">= is false for a larger number", "n >= :v", false, { ":v": n("5.1") }],
  ["BETWEEN includes its lower bound", "n BETWEEN :a AND :b", true, { ":a": n(5), ":b": n(9) }],
  ["BETWEEN includes its upper bound", "n BETWEEN :a AND :b", true, { ":a": n(1), ":b": n(5) }],
  ["BETWEEN is false outside", "n BETWEEN :a AND :b", false, { ":a": n(6), ":b": n(10) }],
  ["BETWEEN may name a value as its operand", ":v BETWEEN n AND m.n", true, { ":v": n(6) }],
  ["IN finds one of its operands", "n IN (:a, :b)", true, { ":a": n(4), ":b": n("5.0") }],
  ["IN is false for none of its operands", "n IN (:a, :b)", false, { ":a": n(4), ":b": s("5") }],
  ["IN may hold attributes", ":v IN (s, n)", true, { ":v": n(5) }],
];

const texts: readonly Row[] = [
  ["= finds an equal string", "s = :v", true, { ":v": s("hello") }],
  ["= is case-sensitive", "s = :v", false, { ":v": s("Hello") }],
  ["= does not trim", "s = :v", false, { ":v": s("hello ") }],
  ["= finds an empty string", "blank = :v", true, { ":v": s("") }],
  ["< puts a prefix first", "s > :v", true, { ":v": s("hell") }],
  ["< puts upper case before lower case", "s > :v", true, { ":v": s("Z") }],
  ["BETWEEN compares strings", "s BETWEEN :a AND :b", true, { ":a": s("h"), ":b": s("i") }],
  ["IN finds a string", "s IN (:v)", true, { ":v": s("hello") }],
  ["= finds equal bytes", "b = :v", true, { ":v": b(1, 2, 3) }],
  ["= is false for other bytes", "b = :v", false, { ":v": b(1, 2) }],
  ["< compares bytes as unsigned", "b < :v", true, { ":v": b(0x80) }],
  ["< puts a prefix of bytes first", "b < :v", false, { ":v": b(1, 2) }],
];

const otherTypes: readonly Row[] = [
  ["= finds an equal boolean", "yes = :v", true, { ":v": { BOOL: true } }],
  ["= is false for the other boolean", "yes = :v", false, { ":v": { BOOL: false } }],
  ["= finds null", "nul = :v", true, { ":v": { NULL: true } }],
  ["= of sets ignores the order", "ss = :v", true, { ":v": ss("c", "a", "b") }],
  ["= of number sets goes by value", "ns = :v", true, { ":v": ns("10.0", "1", "2.50") }],
  ["= of byte sets ignores the order", "bs = :v", true, { ":v": { BS: [Uint8Array.of(2, 3), Uint8Array.of(1)] } }],
  ["= is false for a subset", "ss = :v", false, { ":v": ss("a", "b") }],
  ["= of lists goes element by element", "l[3] = :v", true, { ":v": l(n(30), n("31.0")) }],
  ["= of lists depends on the order", "l[3] = :v", false, { ":v": l(n(31), n(30)) }],
  ["= of maps goes by all entries", "m.a = :v", true, { ":v": m({ b: s("deep") }) }],
  ["= is false for a map with one entry more", "m.a = :v", false, { ":v": m({ b: s("deep"), c: n(1) }) }],
  ["= is false across types", "n = :v", false, { ":v": s("5") }],
  ["<> is true across types", "n <> :v", true, { ":v": s("5") }],
  ["< is false across types", "n < :v", false, { ":v": s("9") }],
  [">= is false across types", "n >= :v", false, { ":v": s("1") }],
  ["BETWEEN is false across types", "n BETWEEN :a AND :b", false, { ":a": s("1"), ":b": s("9") }],
  ["= of two attributes compares them", "n = l[0]", false],
  ["< of two attributes compares them", "l[0] < n", true],
  ["= is false for a missing attribute", "absent = :v", false, { ":v": n(5) }],
  ["<> is true for a missing attribute", "absent <> :v", true, { ":v": n(5) }],
  ["< is false for a missing attribute", "absent < :v", false, { ":v": n(5) }],
  ["IN is false for a missing attribute", "absent IN (:v)", false, { ":v": n(5) }],
  ["= of two missing attributes is false", "absent = gone", false],
  ["<> of two missing attributes is true", "absent <> gone", true],
  ["<> of a missing attribute and a missing size is true", "absent <> size(gone)", true],
  ["< of two missing attributes is false", "absent < gone", false],
  ["operands may stand in parentheses", "(n) = (:v)", true, { ":v": n(5) }],
  ["operands of functions may stand in parentheses", "size((l)) > (:v)", true, { ":v": n(0) }],
];

export const conditionComparisonCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.OperatorsAndFunctions, making comparisons" },
  [...numbers, ...texts, ...otherTypes].map(([what, expression, holds, values]) =>
    conditionRow({ name: `in a condition, ${what} (${expression})`, expression, holds, values }),
  ),
);

import type { Item } from "@tablekeep/core";
import { invalidConditionCase } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Expressions.OperatorsAndFunctions; public conformance suites";
const one: Item = { ":v": { N: "1" } };

interface Row {
  readonly what: string;
  readonly expression: string;
  readonly says?: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
}

const syntax: readonly Row[] = [
  { what: "an empty one", expression: "", says: "The expression can not be empty;" },
  { what: "a stray sign", expression: "!!", says: 'Syntax error; token: "!", near: "!!"' },
  { what: "a keyword after a blank", expression: " OR a", says: 'Syntax error; token: "OR", near: " OR a"' },
  { what: "an end too early", expression: "a =", says: 'Syntax error; token: "<EOF>", near: "="' },
  { what: "a double =", expression: "a == :v", values: one, says: 'Syntax error; token: "=", near: "== :v"' },
  { what: "a dangling AND", expression: "a = :v AND", values: one, says: "Syntax error; token:" },
  { what: "an open parenthesis", expression: "(a = :v", values: one, says: "Syntax error; token:" },
  { what: "a parenthesis too many", expression: "a = :v)", values: one, says: 'Syntax error; token: ")"' },
  { what: "a number as literal", expression: "a = 5", says: 'Syntax error; token: "5", near: "= 5"' },
  { what: "a string as literal", expression: "a = 'x'", says: "Syntax error; token:" },
  { what: "arithmetic", expression: "a = :v + :v", values: one, says: 'Syntax error; token: "+"' },
  { what: "a name with a dash", expression: "a-b = :v", values: one, says: 'Syntax error; token: "-"' },
  {
    what: "a name that starts with a digit",
    expression: "1a = :v",
    values: one,
    says: "Syntax error; token:",
  },
  { what: "a negative index", expression: "l[-1] = :v", values: one, says: 'Syntax error; token: "-"' },
  { what: "a name as index", expression: "l[a] = :v", values: one, says: 'Syntax error; token: "a"' },
  { what: "two dots", expression: "a..b = :v", values: one, says: 'Syntax error; token: "."' },
  { what: "an IN of nothing", expression: "a IN ()", says: 'Syntax error; token: ")", near: "()"' },
  { what: "a path alone", expression: "a", says: "Syntax error; token:" },
  {
    what: "a keyword as name",
    expression: "between = :v",
    values: one,
    says: 'Syntax error; token: "between"',
  },
  {
    what: "a keyword within a path",
    expression: "a.set = :v",
    values: one,
    says: 'Syntax error; token: "set"',
  },
  { what: "a name that starts with _", expression: "_a = :v", values: one, says: 'Syntax error; token: "_"' },
  {
    what: "an index with a zero before it",
    expression: "l[01] = :v",
    values: one,
    says: 'Syntax error; token: "1", near: "01]"',
  },
  {
    what: "an operand in doubled parentheses",
    expression: "a = ((:v))",
    values: one,
    says: "The expression has redundant parentheses;",
  },
  {
    what: "doubled parentheses",
    expression: "((a = :v))",
    values: one,
    says: "The expression has redundant parentheses;",
  },
];

const operands: readonly Row[] = [
  { what: "an unknown function", expression: "foo(a)", says: "Invalid function name; function: foo" },
  {
    what: "a function name in other case",
    expression: "Attribute_Exists(a)",
    says: "Invalid function name; function: Attribute_Exists",
  },
  {
    what: "two operands for attribute_exists",
    expression: "attribute_exists(a, b)",
    says: "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2",
  },
  {
    what: "one operand for begins_with",
    expression: "begins_with(a)",
    says: "Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1",
  },
  {
    what: "a value for attribute_exists",
    expression: "attribute_exists(:v)",
    values: one,
    says: "Operator or function requires a document path; operator or function: attribute_exists",
  },
  {
    what: "a number for begins_with",
    expression: "begins_with(a, :v)",
    values: one,
    says: "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
  },
  {
    what: "a number for attribute_type",
    expression: "attribute_type(a, :v)",
    values: one,
    says: "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N",
  },
  {
    what: "a type that does not exist",
    expression: "attribute_type(a, :v)",
    values: { ":v": { S: "STRING" } },
    says: "Invalid attribute type name found; type: STRING, valid types: {",
  },
  {
    what: "size as a condition",
    expression: "size(a)",
    says: "The function is not allowed to be used this way in an expression; function: size",
  },
  {
    what: "size of a number value",
    expression: "size(:v) = a",
    values: one,
    says: "Incorrect operand type for operator or function; operator or function: size, operand type: N",
  },
  {
    what: "a function of updates",
    expression: "if_not_exists(a, :v) = :v",
    values: one,
    says: "The function is not allowed in a condition expression; function: if_not_exists",
  },
  {
    what: "an attribute compared with itself",
    expression: "a = a",
    says: "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]",
  },
  ...[
    ["BETWEEN", "a BETWEEN :v AND a"],
    ["IN", "a IN (:v, a)"],
    ["begins_with", "begins_with(a, a)"],
    ["contains", "contains(a, a)"],
    ["attribute_type", "attribute_type(a, a)"],
  ].map(
    ([operator = "", expression = ""]): Row => ({
      what: `an attribute on both sides of ${operator}`,
      expression,
      ...(expression.includes(":v") && { values: one }),
      says: `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [a]`,
    }),
  ),
  {
    what: "a size in begins_with",
    expression: "begins_with(a, size(b))",
    says: "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
  },
  {
    what: "an attribute for the type in attribute_type",
    expression: "attribute_type(a, b)",
    says: "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: {",
  },
  {
    what: "a condition compared with a value",
    expression: "attribute_exists(a) = :v",
    values: one,
    says: "The function is not allowed to be used this way in an expression; function: attribute_exists",
  },
  {
    what: "a reserved word before an unknown function",
    expression: "status = :v AND foo(a)",
    values: one,
    says: "Attribute name is a reserved keyword; reserved keyword: status",
  },
  {
    what: "< with a boolean",
    expression: "a < :v",
    values: { ":v": { BOOL: true } },
    says: "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
  },
  {
    what: ">= with a set",
    expression: "a >= :v",
    values: { ":v": { SS: ["a"] } },
    says: "Incorrect operand type for operator or function; operator or function: >=, operand type: SS",
  },
  {
    what: "BETWEEN with its bounds exchanged",
    expression: "a BETWEEN :w AND :v",
    values: { ...one, ":w": { N: "2" } },
    says: "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
  },
  {
    what: "BETWEEN with bounds of two types",
    expression: "a BETWEEN :v AND :w",
    values: { ...one, ":w": { S: "2" } },
    says: "The BETWEEN operator requires same data type for lower and upper bounds",
  },
];

export const conditionRefusalCases: readonly PortCase[] = [...syntax, ...operands].map((row) =>
  invalidConditionCase({
    name: `a condition is refused for ${row.what}: ${row.expression}`,
    source,
    expression: row.expression,
    ...(row.values && { values: row.values }),
    ...(row.says && { text: `Invalid ConditionExpression: ${row.says}` }),
  }),
);

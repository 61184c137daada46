import type { AttributeValue } from "@tablekeep/core";
import { n, s, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { invalidConditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

/** DynamoDB's words stand behind "Invalid ConditionExpression: ". The value `:v`, where one is used, is 1 unless it stands at the end. */
type Row = readonly [what: string, expression: string, says: string, v?: AttributeValue, w?: AttributeValue];

const token = (text: string) => `Syntax error; token: "${text}"`;

const syntax: readonly Row[] = [
  ["an empty one", "", "The expression can not be empty;"],
  ["a stray sign", "!!", 'Syntax error; token: "!", near: "!!"'],
  ["a keyword after a blank", " OR a", 'Syntax error; token: "OR", near: " OR a"'],
  ["an end too early", "a =", 'Syntax error; token: "<EOF>", near: "="'],
  ["a double =", "a == :v", 'Syntax error; token: "=", near: "== :v"'],
  ["a dangling AND", "a = :v AND", "Syntax error; token:"],
  ["an open parenthesis", "(a = :v", "Syntax error; token:"],
  ["a parenthesis too many", "a = :v)", token(")")],
  ["a number as literal", "a = 5", 'Syntax error; token: "5", near: "= 5"'],
  ["a string as literal", "a = 'x'", "Syntax error; token:"],
  ["arithmetic", "a = :v + :v", token("+")],
  ["a name with a dash", "a-b = :v", token("-")],
  ["a name that starts with a digit", "1a = :v", "Syntax error; token:"],
  ["a negative index", "l[-1] = :v", token("-")],
  ["a name as index", "l[a] = :v", token("a")],
  ["two dots", "a..b = :v", token(".")],
  ["an IN of nothing", "a IN ()", 'Syntax error; token: ")", near: "()"'],
  ["a path alone", "a", "Syntax error; token:"],
  ["a keyword as name", "between = :v", token("between")],
  ["a keyword within a path", "a.set = :v", token("set")],
  ["a name that starts with _", "_a = :v", token("_")],
  ["an index with a zero before it", "l[01] = :v", 'Syntax error; token: "1", near: "01]"'],
  ["an operand in doubled parentheses", "a = ((:v))", "The expression has redundant parentheses;"],
  ["doubled parentheses", "((a = :v))", "The expression has redundant parentheses;"],
];

const operandCount = (name: string, count: number) =>
  `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${count}`;
const operandType = (name: string, type: string) =>
  `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`;
const misused = (name: string) => `The function is not allowed to be used this way in an expression; function: ${name}`;
const distinct = (operator: string) =>
  `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [a]`;
const bounds = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound;";

const operands: readonly Row[] = [
  ["an unknown function", "foo(a)", "Invalid function name; function: foo"],
  ["a function name in other case", "Attribute_Exists(a)", "Invalid function name; function: Attribute_Exists"],
  ["two operands for attribute_exists", "attribute_exists(a, b)", operandCount("attribute_exists", 2)],
  ["one operand for begins_with", "begins_with(a)", operandCount("begins_with", 1)],
  [
    "a value for attribute_exists",
    "attribute_exists(:v)",
    "Operator or function requires a document path; operator or function: attribute_exists",
  ],
  ["a number for begins_with", "begins_with(a, :v)", operandType("begins_with", "N")],
  ["a number for attribute_type", "attribute_type(a, :v)", operandType("attribute_type", "N")],
  [
    "a type that does not exist",
    "attribute_type(a, :v)",
    "Invalid attribute type name found; type: STRING, valid types: {",
    s("STRING"),
  ],
  ["size as a condition", "size(a)", misused("size")],
  ["size of a number value", "size(:v) = a", operandType("size", "N")],
  [
    "a function of updates",
    "if_not_exists(a, :v) = :v",
    "The function is not allowed in a condition expression; function: if_not_exists",
  ],
  ["an attribute compared with itself", "a = a", distinct("=")],
  ["an attribute on both sides of BETWEEN", "a BETWEEN :v AND a", distinct("BETWEEN")],
  ["an attribute on both sides of IN", "a IN (:v, a)", distinct("IN")],
  ["an attribute on both sides of begins_with", "begins_with(a, a)", distinct("begins_with")],
  ["an attribute on both sides of contains", "contains(a, a)", distinct("contains")],
  ["an attribute on both sides of attribute_type", "attribute_type(a, a)", distinct("attribute_type")],
  ["a size in begins_with", "begins_with(a, size(b))", operandType("begins_with", "N")],
  ["an attribute for the type in attribute_type", "attribute_type(a, b)", operandType("attribute_type", "{")],
  ["a condition compared with a value", "attribute_exists(a) = :v", misused("attribute_exists")],
  [
    "a reserved word before an unknown function",
    "status = :v AND foo(a)",
    "Attribute name is a reserved keyword; reserved keyword: status",
  ],
  ["< with a boolean", "a < :v", operandType("<", "BOOL"), { BOOL: true }],
  [">= with a set", "a >= :v", operandType(">=", "SS"), ss("a")],
  [
    "BETWEEN with its bounds exchanged",
    "a BETWEEN :w AND :v",
    `${bounds} lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}`,
    n(1),
    n(2),
  ],
  [
    "BETWEEN with bounds of two types",
    "a BETWEEN :v AND :w",
    "The BETWEEN operator requires same data type for lower and upper bounds",
    n(1),
    s("2"),
  ],
];

export const conditionRejectionCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.OperatorsAndFunctions; public conformance suites" },
  [...syntax, ...operands].map(([what, expression, says, v = n(1), w]) =>
    invalidConditionRow({
      name: `a condition is rejected for ${what}: ${expression}`,
      expression,
      values: expression.includes(":v") ? { ":v": v, ...(w && { ":w": w }) } : undefined,
      text: `Invalid ConditionExpression: ${says}`,
    }),
  ),
);

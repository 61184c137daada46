import type { Item } from "@tablekeep/core";
import { l, m, n, ns, s, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const one: Item = { ":v": n(1) };
const before: Item = { n: n(5), s: s("hello"), l: l(n(1)), m: m({ a: n(1) }), ss: ss("a") };

type Row = readonly [what: string, expression: string, says: string, values?: Item];

const misused = "The function is not allowed to be used this way in an expression; function: list_append";
const operandType = "Incorrect operand type for operator or function; ";
const once = (clause: string) => `The "${clause}" section can only be used once in an update expression;`;
const overlap = (kind: string, first: string, second: string) =>
  `Two document paths ${kind} with each other; must remove or rewrite one of these paths; path one: [${first}], path two: [${second}]`;

const ofTheExpression: readonly Row[] = [
  ["no clause", "", "The expression can not be empty;"],
  ["a clause of nothing", "SET", 'Syntax error; token: "<EOF>", near: "SET"'],
  ["an unknown clause", "FOO a", 'Syntax error; token: "FOO", near: "FOO a"'],
  ["two SET clauses", "SET a = :v SET b = :v", once("SET"), one],
  ["two REMOVE clauses", "REMOVE a REMOVE b", once("REMOVE")],
  ["three summands", "SET a = n + :v + :v", 'Syntax error; token: "+", near: ":v + :v"', one],
  ["a product", "SET a = n * :v", 'Syntax error; token: "*", near: "n * :v"', one],
  ["a sum in parentheses within a sum", "SET a = :v + (n - :v)", 'Syntax error; token: "-", near: "n - :v"', one],
  ["a sum as operand of a function", "SET a = if_not_exists(n, n + :v)", 'Syntax error; token: "+"', one],
  ["doubled parentheses", "SET a = ((n))", "The expression has redundant parentheses;"],
  ["list_append in another function", "SET a = if_not_exists(l, list_append(l, l))", misused],
  ["list_append in a sum", "SET a = list_append(l, l) + n", misused],
  ["a keyword as name", "REMOVE remove", 'Syntax error; token: "remove", near: "REMOVE remove"'],
  ["a name that starts with _", "REMOVE _a", 'Syntax error; token: "_", near: "REMOVE _a"'],
  ["overlapping paths before operands that do not fit", "SET a = n + :v, a = :v", overlap("overlap", "a", "a"), { ":v": s("x") }],
  ["ADD of an attribute", "ADD n m", 'Syntax error; token: "m", near: "n m"'],
  ["a comma at the end", "REMOVE a,", "Syntax error; token:"],
  ["a reserved word", "SET name = :v", "Attribute name is a reserved keyword; reserved keyword: name", one],
  [
    "a value that is not defined",
    "SET a = :v",
    "An expression attribute value used in expression is not defined; attribute value: :v",
  ],
  [
    "a name that is not defined",
    "REMOVE #a",
    "An expression attribute name used in the document path is not defined; attribute name: #a",
  ],
  ["an unknown function", "SET a = foo(n)", "Invalid function name; function: foo"],
  ["size", "SET a = size(n)", "The function is not allowed in an update expression; function: size"],
  [
    "one operand for list_append",
    "SET a = list_append(l)",
    "Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1",
  ],
  [
    "if_not_exists of a value",
    "SET a = if_not_exists(:v, n)",
    "Operator or function requires a document path; operator or function: if_not_exists",
    one,
  ],
  [
    "if_not_exists of an attribute with itself",
    "SET a = if_not_exists(n, n)",
    "The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: [n]",
  ],
  ["a sum with a string value", "SET a = n + :v", `${operandType}operator or function: +, operand type: S`, { ":v": s("x") }],
  [
    "list_append of a number value",
    "SET a = list_append(l, :v)",
    `${operandType}operator or function: list_append, operand type: N`,
    one,
  ],
  ["ADD of a string", "ADD n :v", `${operandType}operator: ADD, operand type: STRING`, { ":v": s("x") }],
  ["ADD of a list", "ADD l :v", `${operandType}operator: ADD, operand type: LIST`, { ":v": l() }],
  ["DELETE of a number", "DELETE n :v", `${operandType}operator: DELETE, operand type: NUMBER`, one],
];

const ofPaths: readonly Row[] = [
  ["the same path twice", "SET a = :v, a = :v", overlap("overlap", "a", "a"), one],
  ["a path and one below it", "SET m = :v, m.a = :v", overlap("overlap", "m", "m, a"), one],
  ["a path and one above it", "SET m.a = :v, m = :v", overlap("overlap", "m, a", "m"), one],
  ["overlapping paths of two clauses", "SET m.a = :v REMOVE m.a.b", overlap("overlap", "m, a", "m, a, b"), one],
  ["the same index twice", "REMOVE l[0], l[0]", overlap("overlap", "l, [0]", "l, [0]")],
  ["a path as map and as list", "SET m[0] = :v, m.a = :v", overlap("conflict", "m, [0]", "m, a"), one],
];

const badPath = "The document path provided in the update expression is invalid for update";
const badOperand = "An operand in the update expression has an incorrect data type";
const noAttribute = "The provided expression refers to an attribute that does not exist in the item";
const ofKey = "Cannot update attribute pk. This attribute is part of the key";

const ofTheItem: readonly Row[] = [
  ["SET below an absent attribute", "SET a.b = :v", badPath, one],
  ["SET below a number", "SET n.b = :v", badPath, one],
  ["SET of a name in a list", "SET l.b = :v", badPath, one],
  ["SET of an index in a map", "SET m[0] = :v", badPath, one],
  ["REMOVE below an absent attribute", "REMOVE a.b", badPath],
  ["REMOVE of an index in an absent list", "REMOVE a[0]", badPath],
  ["ADD below an absent attribute", "ADD a.b :v", badPath, one],
  ["a copy of an absent attribute", "SET a = b", noAttribute],
  ["a sum with an absent attribute", "SET a = b + :v", noAttribute, one],
  ["list_append to an absent attribute", "SET a = list_append(b, :v)", noAttribute, { ":v": l() }],
  ["if_not_exists with two absent attributes", "SET a = if_not_exists(b, c)", noAttribute],
  ["an attribute that the same update sets first", "SET a = :v, b = a", noAttribute, one],
  ["a sum with a string attribute", "SET a = s + :v", badOperand, one],
  ["a difference with a set attribute", "SET a = n - ss", badOperand],
  ["list_append to a number attribute", "SET a = list_append(n, :v)", badOperand, { ":v": l() }],
  ["ADD of a number to a string", "ADD s :v", badOperand, one],
  ["ADD of a set to a number", "ADD n :v", badOperand, { ":v": ss("x") }],
  ["ADD of a number set to a string set", "ADD ss :v", badOperand, { ":v": ns(1) }],
  ["DELETE of a number set from a string set", "DELETE ss :v", badOperand, { ":v": ns(1) }],
  ["DELETE of a set from a number", "DELETE n :v", badOperand, { ":v": ss("1") }],
  ["SET of the key", "SET pk = :v", ofKey, { ":v": s("x") }],
  ["REMOVE of the key", "REMOVE pk", ofKey],
  ["ADD to the key", "ADD pk :v", ofKey, one],
  ["SET below the key", "SET pk.a = :v", ofKey, one],
];

const rejected =
  (prefix: string) =>
  ([what, expression, says, values]: Row) =>
    updateRow({ name: `an update is rejected for ${what}: ${expression}`, before, expression, values, rejected: prefix + says });

export const updateRejectionCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.UpdateExpressions; public conformance suites" },
  [...[...ofTheExpression, ...ofPaths].map(rejected("Invalid UpdateExpression: ")), ...ofTheItem.map(rejected(""))],
);

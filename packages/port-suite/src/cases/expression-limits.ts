import { n, pk, s } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { conditionRow, invalidConditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const suites = "public conformance suites";
const v = { ":v": n(1) };
const item = { a: n(1) };
const maxBindingBytes = 2 * 1024 * 1024;

const times = (count: number, part: string, between: string) => Array(count).fill(part).join(between);
const padded = (expression: string, bytes: number) => expression.padEnd(bytes, " ");
/** `count` comparisons, and the ORs between them: 2 × count − 1 operators. */
const comparisons = (count: number) => times(count, "a = :v", " OR ");
const placeholder = (bytes: number) => `#${times(bytes - 1, "a", "")}`;

/** Conditions that hold of {@link item}. */
const allowed: readonly (readonly [name: string, expression: string])[] = [
  ["a condition may have 4,096 bytes", padded("a = :v", 4096)],
  ["a condition may have 299 operators", comparisons(150)],
  ["a condition may have 300 operators", `NOT ${comparisons(150)}`],
  ["IN may have 100 operands", `a IN (${times(100, ":v", ", ")})`],
];

const rejected: readonly (readonly [name: string, expression: string, says: string])[] = [
  [
    "a condition of 4,097 bytes is rejected",
    padded("a = :v", 4097),
    "Expression size has exceeded the maximum allowed size; expression size: 4097",
  ],
  [
    "a condition of 301 operators is rejected",
    comparisons(151),
    "The expression contains too many operators; operator count: 301",
  ],
  [
    "IN with 101 operands is rejected",
    `a IN (${times(101, ":v", ", ")})`,
    "The IN operator is provided with too many operands; number of operands: 101",
  ],
];

export const expressionLimitCases: readonly PortCase[] = cases({ source: "AWS docs: Constraints, expression parameters" }, [
  ...allowed.map(([name, expression]) => conditionRow({ name, item, expression, values: v, holds: true })),
  ...rejected.map(([name, expression, says]) =>
    invalidConditionRow({ name, expression, values: v, text: `Invalid ConditionExpression: ${says}` }),
  ),
  updateRow({
    name: "an update may have 4,096 bytes",
    before: "absent",
    expression: padded("SET a = :v", 4096),
    values: v,
    after: item,
  }),
  updateRow({
    name: "an update of 4,097 bytes is rejected",
    before: item,
    expression: padded("SET a = :v", 4097),
    values: v,
    rejected: "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
  }),
  conditionRow({
    name: "a path may have 32 elements",
    source: suites,
    expression: `attribute_not_exists(${times(32, "a", ".")})`,
    holds: true,
  }),
  invalidConditionRow({
    name: "a path of 33 elements is rejected",
    source: suites,
    expression: `attribute_not_exists(${times(33, "a", ".")})`,
    text: "Invalid ConditionExpression: The document path has too many nesting levels; nesting levels: 33",
  }),
  conditionRow({
    name: "a placeholder may have 255 bytes",
    item,
    expression: `${placeholder(255)} = :v`,
    names: { [placeholder(255)]: "a" },
    values: v,
    holds: true,
  }),
  invalidConditionRow({
    name: "a placeholder of 256 bytes is rejected",
    expression: `attribute_exists(${placeholder(256)})`,
    names: { [placeholder(256)]: "a" },
    text: "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: 256",
  }),
  invalidConditionRow({
    name: "values of more than 2 MB, with their placeholders, are rejected",
    expression: "a = :v",
    values: { ":v": s("x".repeat(maxBindingBytes - 1)) },
    text: "ExpressionAttributeValues exceeds max size",
  }),
  invalidConditionRow({
    name: "names and values of more than 2 MB together are rejected",
    expression: "#a = :v",
    names: { "#a": "a".repeat(1000) },
    values: { ":v": s("x".repeat(maxBindingBytes - 1000)) },
    text: "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size",
  }),
  invalidConditionRow({
    name: "a list index beyond any list is rejected",
    source: suites,
    expression: "l[99999999999] = :v",
    values: v,
    text: "Invalid ConditionExpression: List index is not within the allowable range; index: [99999999999]",
  }),
  {
    name: "a projection may have 4,096 bytes",
    table: "simple",
    given: { simple: [{ pk, ...item }] },
    getItem: { Key: { pk }, ProjectionExpression: padded("a", 4096) },
    returns: { Item: item },
  },
]);

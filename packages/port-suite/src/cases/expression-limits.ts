import { conditionCase, invalidConditionCase } from "../condition-cases.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { refusedUpdateCase, updateCase } from "../update-cases.ts";

const limits = "AWS docs: Constraints, expression parameters";
const suites = "public conformance suites";
const values = { ":v": { N: "1" } };
const item = { a: { N: "1" } };

const times = (count: number, part: string, between: string) => Array(count).fill(part).join(between);
const padded = (expression: string, bytes: number) => expression.padEnd(bytes, " ");
/** `count` comparisons, and the ORs between them: 2 × count − 1 operators. */
const comparisons = (count: number) => times(count, "a = :v", " OR ");

export const expressionLimitCases: readonly PortCase[] = [
  conditionCase({
    name: "a condition may have 4,096 bytes",
    source: limits,
    item,
    expression: padded("a = :v", 4096),
    values,
    holds: true,
  }),
  invalidConditionCase({
    name: "a condition of 4,097 bytes is refused",
    source: limits,
    expression: padded("a = :v", 4097),
    values,
    text: "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097",
  }),
  updateCase({
    name: "an update may have 4,096 bytes",
    source: limits,
    before: "absent",
    expression: padded("SET a = :v", 4096),
    values,
    after: item,
  }),
  refusedUpdateCase({
    name: "an update of 4,097 bytes is refused",
    source: limits,
    before: item,
    expression: padded("SET a = :v", 4097),
    values,
    text: "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
  }),
  conditionCase({
    name: "a condition may have 299 operators",
    source: limits,
    item,
    expression: comparisons(150),
    values,
    holds: true,
  }),
  conditionCase({
    name: "a condition may have 300 operators",
    source: limits,
    item,
    expression: `NOT ${comparisons(150)}`,
    values,
    holds: true,
  }),
  invalidConditionCase({
    name: "a condition of 301 operators is refused",
    source: limits,
    expression: comparisons(151),
    values,
    text: "Invalid ConditionExpression: The expression contains too many operators; operator count: 301",
  }),
  conditionCase({
    name: "IN may have 100 operands",
    source: limits,
    item,
    expression: `a IN (${times(100, ":v", ", ")})`,
    values,
    holds: true,
  }),
  invalidConditionCase({
    name: "IN with 101 operands is refused",
    source: limits,
    expression: `a IN (${times(101, ":v", ", ")})`,
    values,
    text: "Invalid ConditionExpression: The IN operator is provided with too many operands; number of operands: 101",
  }),
  conditionCase({
    name: "a path may have 32 elements",
    source: suites,
    expression: `attribute_not_exists(${times(32, "a", ".")})`,
    holds: true,
  }),
  invalidConditionCase({
    name: "a path of 33 elements is refused",
    source: suites,
    expression: `attribute_not_exists(${times(33, "a", ".")})`,
    text: "Invalid ConditionExpression: The document path has too many nesting levels; nesting levels: 33",
  }),
  conditionCase({
    name: "a placeholder may have 255 bytes",
    source: limits,
    item,
    expression: `#${times(254, "a", "")} = :v`,
    names: { [`#${times(254, "a", "")}`]: "a" },
    values,
    holds: true,
  }),
  invalidConditionCase({
    name: "a placeholder of 256 bytes is refused",
    source: limits,
    expression: `attribute_exists(#${times(255, "a", "")})`,
    names: { [`#${times(255, "a", "")}`]: "a" },
    text: "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: 256",
  }),
  invalidConditionCase({
    name: "a list index beyond any list is refused",
    source: suites,
    expression: "l[99999999999] = :v",
    values,
    text: "Invalid ConditionExpression: List index is not within the allowable range; index: [99999999999]",
  }),
  {
    name: "a projection may have 4,096 bytes",
    source: limits,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, ...item } });
      const read = await port.getItem({
        TableName: tables.simple,
        Key,
        ProjectionExpression: padded("a", 4096),
      });
      same(read, { Item: item });
    },
  },
];

import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import type { Step } from "../step.ts";
import type { KeyPart, ReadPath, TestTable } from "../tables.ts";
import { condition } from "./conditions.ts";
import { expressions, type Fragment } from "./expression.ts";
import { keyOrNearly, keyValue } from "./keys.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { projection } from "./updates.ts";
import { anyValue } from "./values.ts";
import { capacityAsked } from "./writes.ts";

export function getItem(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .record({
      Key: keyOrNearly(table),
      ConsistentRead: fc.constantFrom(undefined, true, false),
      ReturnConsumedCapacity: capacityAsked,
      ProjectionExpression: sometimes(30, projection),
    })
    .map(({ ProjectionExpression, ...members }) => ({
      operation: "GetItem",
      input: present({ TableName: table.name, ...members, ...expressions({ ProjectionExpression }) }),
    }));
}

const value = (part: KeyPart, pool: number): fc.Arbitrary<AttributeValue> =>
  mostly(keyValue(part, pool), mostly(keyValue(part), anyValue(0)));
const named = ({ name }: KeyPart): Fragment => [{ name, hidden: false }];

function sortCondition(part: KeyPart): fc.Arbitrary<Fragment> {
  const name = named(part);
  return fc.oneof(
    fc
      .tuple(mostly(fc.constantFrom("=", "<", "<=", ">", ">="), fc.constant("<>")), value(part, 7))
      .map(([sign, each]): Fragment => [...name, ` ${sign} `, { value: each }]),
    fc
      .tuple(value(part, 7), value(part, 7))
      .map(([low, high]): Fragment => [...name, " BETWEEN ", { value: low }, " AND ", { value: high }]),
    value(part, 7).map((prefix): Fragment => ["begins_with(", ...name, ", ", { value: prefix }, ")"]),
  );
}

const oddKeyCondition = fc.constantFrom<Fragment[]>(
  ["pk = :missing"],
  [""],
  [{ name: "a", hidden: false }, " = ", { value: { N: "1" } }],
  ["pk > ", { value: { S: "a" } }],
  ["pk = ", { value: { S: "a" } }, " OR pk = ", { value: { S: "b" } }],
  ["pk = ", { value: { S: "a" } }, " AND a = ", { value: { N: "1" } }],
  ["pk = ", { value: { S: "a" } }, " AND sk = ", { value: { S: "a" } }, " AND sk > ", { value: { S: "a" } }],
  ["pk = ", { value: { S: "a" } }, " AND attribute_exists(sk)"],
  ["pk = ", { value: { S: "a" } }, " AND NOT sk = ", { value: { S: "a" } }],
  ["pk = sk"],
  ["pk IN (", { value: { S: "a" } }, ")"],
);

function keyCondition({ hash, range }: ReadPath): fc.Arbitrary<Fragment> {
  const partition = value(hash, 3).map((each): Fragment => [...named(hash), " = ", { value: each }]);
  if (range === undefined) return mostly(partition, oddKeyCondition);
  const both = fc.tuple(partition, sortCondition(range));
  return mostly(
    fc.oneof(
      { weight: 2, arbitrary: partition },
      { weight: 3, arbitrary: both.map(([one, two]): Fragment => [...one, " AND ", ...two]) },
      { weight: 1, arbitrary: both.map(([one, two]): Fragment => [...two, " and ", ...one]) },
    ),
    oddKeyCondition,
  );
}

const select = sometimes(
  25,
  fc.constantFrom("COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"),
);
const limit = sometimes(50, fc.constantFrom(1, 2, 3, 5, 100));

function pageMembers(path: ReadPath) {
  return {
    IndexName: fc.constant(path.index),
    Limit: limit,
    Select: select,
    ConsistentRead:
      path.kind === "global"
        ? fc.constantFrom(undefined, false, false, true)
        : fc.constantFrom(undefined, true, false),
    ReturnConsumedCapacity: capacityAsked,
  };
}

export function query(table: TestTable): fc.Arbitrary<Step> {
  return fc.constantFrom(...table.paths).chain((path) =>
    fc
      .record({
        ...pageMembers(path),
        ScanIndexForward: fc.constantFrom(undefined, true, false, false),
        KeyConditionExpression: keyCondition(path),
        FilterExpression: sometimes(35, condition),
        ProjectionExpression: sometimes(25, projection),
      })
      .map(({ KeyConditionExpression, FilterExpression, ProjectionExpression, ...members }) => ({
        operation: "Query",
        input: present({
          TableName: table.name,
          ...members,
          ...expressions({ KeyConditionExpression, FilterExpression, ProjectionExpression }),
        }),
        allPages: { table, path },
      })),
  );
}

const segments = sometimes(
  20,
  fc.constantFrom<{ Segment?: number; TotalSegments?: number }[]>(
    { Segment: 0, TotalSegments: 1 },
    { Segment: 2, TotalSegments: 2 },
    { Segment: 1 },
    { TotalSegments: 2 },
  ),
);

export function scan(table: TestTable): fc.Arbitrary<Step> {
  return fc.constantFrom(...table.paths).chain((path) =>
    fc
      .record({
        ...pageMembers(path),
        segment: segments,
        FilterExpression: sometimes(50, condition),
        ProjectionExpression: sometimes(25, projection),
      })
      .map(({ segment, FilterExpression, ProjectionExpression, ...members }) => ({
        operation: "Scan",
        input: present({
          TableName: table.name,
          ...members,
          ...segment,
          ...expressions({ FilterExpression, ProjectionExpression }),
        }),
        allPages: { table, path },
      })),
  );
}

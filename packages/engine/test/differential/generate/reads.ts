import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";
import type { Step } from "../step.ts";
import type { KeyPart, ReadPath, TestTable } from "../tables.ts";
import { condition } from "./conditions.ts";
import { expressions, type Fragment } from "./expression.ts";
import { key, keyOrInvalid, keyValue } from "./keys.ts";
import { attributeNames, keyNames } from "./paths.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { projection } from "./updates.ts";
import { anyValue } from "./values.ts";
import { capacityAsked } from "./writes.ts";

export function getItem(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .record({
      Key: keyOrInvalid(table),
      ConsistentRead: fc.constantFrom(undefined, true, false),
      ReturnConsumedCapacity: capacityAsked(table),
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

function pageMembers(table: TestTable, path: ReadPath) {
  return {
    IndexName: fc.constant(path.index),
    Limit: limit,
    Select: select,
    ConsistentRead:
      path.kind === "global"
        ? fc.constantFrom(undefined, false, false, true)
        : fc.constantFrom(undefined, true, false),
    ReturnConsumedCapacity: capacityAsked(table),
  };
}

/** Returns the attributes that a condition names and the index does not contain. */
function namesBeyond({ projected }: ReadPath, fragment: Fragment | undefined): boolean {
  if (projected === undefined || fragment === undefined) return false;
  const names = fragment.flatMap((piece) =>
    typeof piece === "string" ? (piece.match(/[a-z]\w*/gi) ?? []) : "name" in piece ? [piece.name] : [],
  );
  return names.some((name) => allAttributes.has(name) && !projected.includes(name));
}

const allAttributes: ReadonlySet<string> = new Set([...attributeNames, ...keyNames, "q", "n"]);

/**
 * A filter that means the same in DynamoDB Local: its scans filter by attributes that the index does not contain, and
 * a local index charges for what it fetches from the table by another rule, whose units only items without a filter
 * show.
 */
function fittingFilter(
  path: ReadPath,
  { Select, ProjectionExpression }: { Select?: string; ProjectionExpression?: Fragment },
  filter: Fragment | undefined,
): Fragment | undefined {
  const fetches = path.kind === "local" && (Select !== undefined || ProjectionExpression !== undefined);
  return namesBeyond(path, filter) || (fetches && path.projected !== undefined) ? undefined : filter;
}

/** A key to start after: of any item, existing or not, in the requested partition. */
function startKey(table: TestTable, path: ReadPath): fc.Arbitrary<Item | undefined> {
  if (path.kind !== "table" || table.range === undefined) return fc.constant(undefined);
  return sometimes(15, key(table));
}

export function query(table: TestTable): fc.Arbitrary<Step> {
  return fc.constantFrom(...table.paths).chain((path) =>
    fc
      .record({
        ...pageMembers(table, path),
        ScanIndexForward: fc.constantFrom(undefined, true, false, false),
        ExclusiveStartKey: startKey(table, path),
        KeyConditionExpression: keyCondition(path),
        FilterExpression: sometimes(35, condition),
        ProjectionExpression: sometimes(25, projection),
      })
      .map(({ KeyConditionExpression, FilterExpression: filter, ProjectionExpression, ...members }) => {
        const FilterExpression = fittingFilter(path, { ...members, ProjectionExpression }, filter);
        return {
          operation: "Query",
          input: present({
            TableName: table.name,
            ...members,
            ...expressions({ KeyConditionExpression, FilterExpression, ProjectionExpression }),
          }),
          allPages: { table, path },
        };
      }),
  );
}

/** The number of segments of a scan; all of them are read, and compared together. */
const segmentCount = sometimes(20, fc.constantFrom(1, 2, 3, 7));

const oddSegments = fc.constantFrom<{ Segment?: number; TotalSegments?: number }[]>(
  { Segment: 2, TotalSegments: 2 },
  { Segment: 1 },
  { TotalSegments: 2 },
);

export function scan(table: TestTable): fc.Arbitrary<Step> {
  return fc.constantFrom(...table.paths).chain((path) =>
    fc
      .record({
        ...pageMembers(table, path),
        segments: segmentCount,
        odd: sometimes(5, oddSegments),
        FilterExpression: sometimes(50, condition),
        ProjectionExpression: sometimes(25, projection),
      })
      .map(({ segments, odd, FilterExpression: filter, ProjectionExpression, ...members }) => {
        const FilterExpression = fittingFilter(path, { ...members, ProjectionExpression }, filter);
        return {
          operation: "Scan",
          input: present({
            TableName: table.name,
            ...members,
            ...odd,
            ...expressions({ FilterExpression, ProjectionExpression }),
          }),
          allPages: { table, path, ...(odd === undefined && segments !== undefined && { segments }) },
        };
      }),
  );
}

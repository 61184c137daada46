import fc from "fast-check";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";
import { condition } from "./conditions.ts";
import { expressions } from "./expression.ts";
import { item, keyOrInvalid } from "./keys.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { update } from "./updates.ts";

/**
 * The capacity that a request on these tables asks for. A total only if no table has indexes: DynamoDB Local charges
 * indexes by other rules, and a total does not show which units are which.
 */
export function capacityAsked(...tables: readonly TestTable[]): fc.Arbitrary<string | undefined> {
  const indexed = tables.some(({ paths }) => paths.length > 1);
  return indexed
    ? fc.constantFrom(undefined, "INDEXES", "INDEXES", "NONE")
    : fc.constantFrom(undefined, "TOTAL", "INDEXES", "INDEXES", "NONE");
}

const asked = (table: TestTable) =>
  fc.record({
    ReturnConsumedCapacity: capacityAsked(table),
    ReturnValuesOnConditionCheckFailure: fc.constantFrom(undefined, "ALL_OLD", "NONE"),
  });
const returnsOld = mostly<string | undefined>(
  fc.constantFrom(undefined, "NONE", "ALL_OLD", "ALL_OLD"),
  fc.constant("ALL_NEW"),
);
const returnsAny = fc.constantFrom(undefined, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW");

export function putItem(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .record({
      Item: item(table),
      ReturnValues: returnsOld,
      rest: asked(table),
      ConditionExpression: sometimes(40, condition),
    })
    .map(({ rest, ConditionExpression, ...members }) => ({
      operation: "PutItem",
      input: present({ TableName: table.name, ...members, ...rest, ...expressions({ ConditionExpression }) }),
    }));
}

export function deleteItem(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .record({
      Key: keyOrInvalid(table),
      ReturnValues: returnsOld,
      rest: asked(table),
      ConditionExpression: sometimes(70, condition),
    })
    .map(({ rest, ConditionExpression, ...members }) => ({
      operation: "DeleteItem",
      input: present({ TableName: table.name, ...members, ...rest, ...expressions({ ConditionExpression }) }),
    }));
}

export function updateItem(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .record({
      Key: keyOrInvalid(table),
      ReturnValues: returnsAny,
      rest: asked(table),
      UpdateExpression: sometimes(96, update),
      ConditionExpression: sometimes(25, condition),
    })
    .map(({ rest, UpdateExpression, ConditionExpression, ...members }) => ({
      operation: "UpdateItem",
      input: present({
        TableName: table.name,
        ...members,
        ...rest,
        ...expressions({ UpdateExpression, ConditionExpression }),
      }),
    }));
}

import fc from "fast-check";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";
import { condition } from "./conditions.ts";
import { expressions } from "./expression.ts";
import { item, keyOrNearly } from "./keys.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { update } from "./updates.ts";

export const capacityAsked: fc.Arbitrary<string | undefined> = fc.constantFrom(
  undefined,
  "TOTAL",
  "INDEXES",
  "INDEXES",
  "NONE",
);

const asked = fc.record({
  ReturnConsumedCapacity: capacityAsked,
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
      rest: asked,
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
      Key: keyOrNearly(table),
      ReturnValues: returnsOld,
      rest: asked,
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
      Key: keyOrNearly(table),
      ReturnValues: returnsAny,
      rest: asked,
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

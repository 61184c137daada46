import { expect, test } from "vitest";
import { settleDeleteParams } from "./settle-delete.ts";
import { settlePutParams } from "./settle-put.ts";
import { settleUpdateParams } from "./settle-update.ts";

const mark = { attribute: "wid", id: "id-1" };
const Key = { pk: { S: "a" } };

test("a put contains its write id, and requests the item only where a condition can fail", () => {
  const options = { writeIdAttribute: "wid", keyNames: ["pk"] } as const;
  expect(settlePutParams({ TableName: "t", Item: Key }, mark, options)).toEqual({
    TableName: "t",
    Item: { ...Key, wid: { S: "id-1" } },
  });
  expect(settlePutParams({ TableName: "t", Item: Key }, mark, { ...options, insertOnly: true })).toEqual({
    TableName: "t",
    Item: { ...Key, wid: { S: "id-1" } },
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": "pk" },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
});

test("an update sets its write id beside what it does, and keeps its condition", () => {
  const input = {
    TableName: "t",
    Key,
    UpdateExpression: "REMOVE v",
    ConditionExpression: "attribute_exists(pk)",
  };
  expect(settleUpdateParams(input, mark)).toEqual({
    ...input,
    UpdateExpression: "REMOVE v SET #writeId = :writeId",
    ExpressionAttributeNames: { "#writeId": "wid" },
    ExpressionAttributeValues: { ":writeId": { S: "id-1" } },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
});

test("a delete without a condition is left as it is", () => {
  expect(settleDeleteParams({ TableName: "t", Key })).toEqual({ TableName: "t", Key });
});

import { expect, test } from "vitest";
import { deleteOnceParams } from "./delete-once.ts";
import { putOnceParams } from "./put-once.ts";
import { updateOnceParams } from "./update-once.ts";

const mark = { attribute: "wid", id: "id-1" };
const Key = { pk: { S: "a" } };

test("a put carries its write id, and asks for the item only where a condition can fail", () => {
  const options = { writeIdAttribute: "wid", keyNames: ["pk"] } as const;
  expect(putOnceParams({ TableName: "t", Item: Key }, mark, options)).toEqual({
    TableName: "t",
    Item: { ...Key, wid: { S: "id-1" } },
  });
  expect(putOnceParams({ TableName: "t", Item: Key }, mark, { ...options, insertOnly: true })).toEqual({
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
  expect(updateOnceParams(input, mark)).toEqual({
    ...input,
    UpdateExpression: "REMOVE v SET #writeId = :writeId",
    ExpressionAttributeNames: { "#writeId": "wid" },
    ExpressionAttributeValues: { ":writeId": { S: "id-1" } },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
});

test("a delete without a condition is left as it is", () => {
  expect(deleteOnceParams({ TableName: "t", Key })).toEqual({ TableName: "t", Key });
});

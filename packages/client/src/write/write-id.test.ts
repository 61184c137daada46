import { describe, expect, test } from "vitest";
import { carriesMark, markItem, markUpdate, newWriteId } from "./write-id.ts";

const mark = { attribute: "wid", id: "id-1" };

test("write ids are short and differ", () => {
  const ids = Array.from({ length: 1000 }, newWriteId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
});

test("an item is recognized by its own mark only", () => {
  const item = markItem({ pk: { S: "a" } }, mark);
  expect(carriesMark(item, mark)).toBe(true);
  expect(carriesMark(item, { ...mark, id: "id-2" })).toBe(false);
  expect(carriesMark({ wid: { B: Buffer.from("id-1") } }, mark)).toBe(false);
  expect(carriesMark(undefined, mark)).toBe(false);
});

describe("markUpdate", () => {
  test.each([
    ["SET a = :a", "SET #writeId = :writeId, a = :a"],
    ["set a = :a", "SET #writeId = :writeId, a = :a"],
    ["SET#a=:a", "SET #writeId = :writeId,#a=:a"],
    ["ADD n :one", "ADD n :one SET #writeId = :writeId"],
    ["REMOVE #set ADD a.#set :set", "REMOVE #set ADD a.#set :set SET #writeId = :writeId"],
    ["ADD offset_ :one SET subset = :set", "ADD offset_ :one SET #writeId = :writeId, subset = :set"],
    ["", "SET #writeId = :writeId"],
  ])("%s", (given, expected) => {
    const names = { "#a": "x" };
    const values = { ":a": { S: "y" } };
    const marked = markUpdate(
      { UpdateExpression: given, ExpressionAttributeNames: names, ExpressionAttributeValues: values },
      mark,
    );
    expect(marked).toEqual({
      UpdateExpression: expected,
      ExpressionAttributeNames: { "#a": "x", "#writeId": "wid" },
      ExpressionAttributeValues: { ":a": { S: "y" }, ":writeId": { S: "id-1" } },
    });
  });

  test("placeholders of the caller stay unchanged", () => {
    const marked = markUpdate(
      {
        UpdateExpression: "SET #writeId2 = :writeId",
        ConditionExpression: "#writeId = :writeId",
        ExpressionAttributeNames: { "#writeId": "wid", "#writeId2": "causedBy" },
        ExpressionAttributeValues: { ":writeId": { S: "order-17" } },
      },
      mark,
    );
    expect(marked).toEqual({
      UpdateExpression: "SET #writeId3 = :writeId2, #writeId2 = :writeId",
      ConditionExpression: "#writeId = :writeId",
      ExpressionAttributeNames: { "#writeId": "wid", "#writeId2": "causedBy", "#writeId3": "wid" },
      ExpressionAttributeValues: { ":writeId": { S: "order-17" }, ":writeId2": { S: "id-1" } },
    });
  });
});

import { operationNames } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { callEffect } from "./call-effect.ts";

describe("callEffect", () => {
  test("every operation has its line", () => {
    const by = (effect: string) => operationNames.filter((name) => callEffect(name, {} as never) === effect);
    expect(by("repeatable")).toEqual([
      "PutItem",
      "DeleteItem",
      "BatchWriteItem",
      "TagResource",
      "UntagResource",
    ]);
    expect(by("tokened")).toEqual(["TransactWriteItems", "ExecuteTransaction"]);
    expect(by("once")).toEqual([
      "UpdateItem",
      "ExecuteStatement",
      "BatchExecuteStatement",
      "CreateTable",
      "UpdateTable",
      "DeleteTable",
      "UpdateTimeToLive",
    ]);
    expect(by("read").length).toBe(operationNames.length - 5 - 2 - 7);
  });

  test("statements are reads only if all of them select", () => {
    const select = { Statement: '  SELECT * FROM "t"' };
    const write = { Statement: `INSERT INTO "t" VALUE {'id': 'select'}` };
    expect(callEffect("ExecuteStatement", select)).toBe("read");
    expect(callEffect("ExecuteStatement", write)).toBe("once");
    expect(callEffect("ExecuteStatement", { Statement: undefined })).toBe("once");
    expect(callEffect("BatchExecuteStatement", { Statements: [select, select] })).toBe("read");
    expect(callEffect("BatchExecuteStatement", { Statements: [select, write] })).toBe("once");
    expect(callEffect("ExecuteTransaction", { TransactStatements: [select] })).toBe("read");
    expect(callEffect("ExecuteTransaction", { TransactStatements: [write] })).toBe("tokened");
  });

  test("`idempotent` makes a write repeatable, and a read stays a read", () => {
    const update = { TableName: "t", Key: {} };
    expect(callEffect("UpdateItem", update, { idempotent: true })).toBe("repeatable");
    expect(callEffect("GetItem", { TableName: "t", Key: {} }, { idempotent: true })).toBe("read");
  });
});

import { itemSize, type TransactWriteItem } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { isClientError } from "../base/client-error.ts";
import { checkTransactLimits, markedActions, transactWriteParams } from "./transact-write-params.ts";

const put = (n: number, bytes = 100): TransactWriteItem => {
  const pk = { S: `k${n}`.padEnd(5, "-") };
  return { Put: { TableName: "t", Item: { pk, p: { S: "x".repeat(bytes - 2 - 5 - 1) } } } };
};
function limitOf(actions: TransactWriteItem[]): string | undefined {
  try {
    checkTransactLimits(actions);
    return undefined;
  } catch (error) {
    if (isClientError(error, "CLIENT_LIMIT_EXCEEDED")) return error.details.limit;
    throw error;
  }
}

describe("checkTransactLimits", () => {
  test("accepts 100 actions and not 101", () => {
    const actions = Array.from({ length: 101 }, (_, n) => put(n));
    expect(limitOf(actions.slice(0, 100))).toBeUndefined();
    expect(limitOf(actions)).toBe("transaction actions");
  });

  test("accepts 4 MB of items and not a byte more", () => {
    const full = (bytes: number) => [
      ...Array.from({ length: 10 }, (_, n) => put(n, 409_600)),
      put(10, 4 * 1024 * 1024 - 10 * 409_600 - 10 + bytes),
      { Delete: { TableName: "t", Key: { pk: { S: "12345678" } } } },
    ];
    const sizes = full(0).map(({ Put, Delete }) => itemSize(Put?.Item ?? Delete?.Key ?? {}));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(4 * 1024 * 1024);
    expect(limitOf(full(0))).toBeUndefined();
    expect(limitOf(full(1))).toBe("transaction bytes");
  });

  test("accepts an item of 400 KB and not a byte more", () => {
    expect(limitOf([put(1, 409_600)])).toBeUndefined();
    expect(limitOf([put(1, 409_601)])).toBe("item bytes");
  });
});

describe("transactWriteParams", () => {
  const actions: TransactWriteItem[] = [
    { Put: { TableName: "t", Item: { pk: { S: "a" } }, ConditionExpression: "attribute_not_exists(pk)" } },
    {
      Update: {
        TableName: "t",
        Key: { pk: { S: "b" } },
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    },
    { Delete: { TableName: "t", Key: { pk: { S: "c" } } } },
    { ConditionCheck: { TableName: "t", Key: { pk: { S: "d" } }, ConditionExpression: "a = b" } },
  ];
  const mark = { attribute: "wid", id: "id-1" };

  test("marks every put by default", () => {
    expect(markedActions(actions, undefined)).toEqual([0]);
    const { TransactItems, ClientRequestToken } = transactWriteParams(actions, "token", mark, [0]);
    expect(ClientRequestToken).toBe("token");
    expect(TransactItems?.[0]?.Put?.Item).toEqual({ pk: { S: "a" }, wid: { S: "id-1" } });
    expect(TransactItems?.[1]).toEqual(actions[1]);
  });

  test("marks updates where asked, and leaves the given actions alone", () => {
    const before = structuredClone(actions);
    const { TransactItems } = transactWriteParams(actions, "token", mark, [1]);
    expect(TransactItems?.[1]?.Update).toMatchObject({
      UpdateExpression: "ADD n :one SET #writeId = :writeId",
      ExpressionAttributeNames: { "#writeId": "wid" },
      ExpressionAttributeValues: { ":one": { N: "1" }, ":writeId": { S: "id-1" } },
    });
    expect(actions).toEqual(before);
  });

  test("requests the item wherever a condition can fail, and nowhere else", () => {
    const { TransactItems = [] } = transactWriteParams(actions, "token");
    expect(TransactItems[0]?.Put?.ReturnValuesOnConditionCheckFailure).toBe("ALL_OLD");
    expect(TransactItems[3]?.ConditionCheck?.ReturnValuesOnConditionCheckFailure).toBe("ALL_OLD");
    expect([TransactItems[1], TransactItems[2]]).toEqual([actions[1], actions[2]]);
  });

  test("an action with two members is sent as it is, for DynamoDB to reject: neither is left out", () => {
    const [insert, update, remove, check] = actions;
    const pairs = [
      { ...insert, ...remove },
      { ...remove, ...check },
      { ...update, ...check },
      { ...insert, ...update },
    ];
    for (const marked of [[], [0, 1, 2, 3]]) {
      const { TransactItems = [] } = transactWriteParams(pairs, "token", mark, marked);
      const members = (all: readonly object[]) => all.map((each) => Object.keys(each).sort());
      expect(members(TransactItems)).toEqual(members(pairs));
    }
  });
});

import { DynamoError, sleep, TablekeepError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { fakeClock, historyRecorder, operationsOf } from "../index.ts";

const conflict = new DynamoError({ exception: "ConditionalCheckFailedException", serviceMessage: "" });
const refused = new DynamoError({ exception: "ValidationException", serviceMessage: "" });
const inDoubt = new DynamoError({
  exception: "ConditionalCheckFailedException",
  serviceMessage: "",
  ambiguous: true,
});
const rejecting = (error: unknown) => () => Promise.reject(error);

describe("historyRecorder", () => {
  test("records each operation with its client, time and result", async () => {
    const clock = fakeClock();
    const history = historyRecorder<string, number>({ clock });
    const slow = history.call("a", "append 1", async () => {
      await sleep(clock, 20);
      return 1;
    });
    await clock.advance(5);
    await history.run("b", "append 2", async () => ({ kind: "conflict", error: conflict }));
    await clock.advance(15);
    await slow;
    expect(history.events).toEqual([
      { index: 0, at: 0, actor: "a", id: 1, type: "invoke", operation: "append 1" },
      { index: 1, at: 5, actor: "b", id: 2, type: "invoke", operation: "append 2" },
      { index: 2, at: 5, actor: "b", id: 2, type: "conflict", error: "DYNAMO_CONDITIONAL_CHECK_FAILED" },
      { index: 3, at: 20, actor: "a", id: 1, type: "ok", value: 1 },
    ]);
  });

  test("is plain data", async () => {
    const history = historyRecorder<string, number>({ clock: fakeClock() });
    await history.call("a", "read", async () => 7);
    await history.call("a", "write", rejecting(refused)).catch(() => undefined);
    expect(JSON.parse(JSON.stringify(history.events))).toEqual(history.events);
  });

  test.each([
    ["ok", async () => ({ kind: "ok", value: 1 }) as const],
    ["rejected", async () => ({ kind: "rejected", error: refused }) as const],
    ["conflict", async () => ({ kind: "conflict", error: conflict }) as const],
    ["unknown", async () => ({ kind: "unknown", error: inDoubt }) as const],
  ])("the outcome %s", async (outcome, work) => {
    const history = historyRecorder<string, number>();
    expect(await history.run("a", "x", work)).toEqual(await work());
    expect(operationsOf(history.events)).toMatchObject([{ outcome }]);
  });

  test.each([
    ["rejected", refused],
    ["conflict", conflict],
    ["unknown", inDoubt],
    [
      "unknown",
      new TablekeepError({ code: "X", kind: "aborted", message: "", details: {}, ambiguous: true }),
    ],
    ["unknown", new TypeError("a bug")],
  ])("an error that means %s is written down and thrown on", async (outcome, error) => {
    const history = historyRecorder<string, number>();
    await expect(history.call("a", "x", rejecting(error))).rejects.toBe(error);
    expect(operationsOf(history.events)).toMatchObject([{ outcome }]);
  });

  test("an operation that was cut off, or is unknown, may take effect at any later time", async () => {
    const history = historyRecorder<string, number>();
    void history.call("a", "cut off", () => new Promise(() => {}));
    await history.run("b", "in doubt", async () => ({ kind: "unknown", error: inDoubt }));
    await history.call("b", "done", async () => 3);
    const ended = Number.POSITIVE_INFINITY;
    expect(operationsOf(history.events)).toEqual([
      { id: 1, actor: "a", operation: "cut off", invoked: 0, ended, outcome: "unknown" },
      {
        id: 2,
        actor: "b",
        operation: "in doubt",
        invoked: 1,
        ended,
        outcome: "unknown",
        error: inDoubt.code,
      },
      { id: 3, actor: "b", operation: "done", invoked: 3, ended: 4, outcome: "ok", value: 3 },
    ]);
  });
});

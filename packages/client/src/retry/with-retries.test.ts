import { type Clock, DynamoError, type RequestEffect, type TablekeepError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { ClientError } from "../base/client-error.ts";
import { createRetryBudget } from "./retry-policy.ts";
import { type RetriedCall, type RetrySettings, withRetries } from "./with-retries.ts";

/** A clock that advances only during sleeps. */
function sleepyClock(): Clock & { slept: number[]; advance(ms: number): void } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    advance: (ms) => {
      time += ms;
    },
    now: () => time,
    monotonic: () => time,
    after(ms, callback) {
      slept.push(ms);
      let cancelled = false;
      queueMicrotask(() => {
        if (cancelled) return;
        time += ms;
        callback();
      });
      return () => {
        cancelled = true;
      };
    },
  };
}

const throttle = () => new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow" });
const fault = () => new DynamoError({ exception: "InternalServerError", serviceMessage: "oh" });
const failedCheck = () =>
  new DynamoError({
    exception: "ConditionalCheckFailedException",
    serviceMessage: "no",
    item: { id: { S: "1" } },
  });
const lost = () =>
  new ClientError(
    "CLIENT_CONNECTION_LOST",
    "lost",
    { endpoint: "http://x", attempts: 1 },
    { ambiguous: true },
  );
const unreachable = () =>
  new ClientError("CLIENT_UNREACHABLE", "gone", {
    endpoint: "http://x",
    attempts: 1,
    reason: "ECONNREFUSED",
  });
const cut = (ambiguous: boolean) =>
  new ClientError("CLIENT_DEADLINE_EXCEEDED", "late", { deadlineMs: 10_000, attempts: 1 }, { ambiguous });

interface Run {
  readonly effect?: RequestEffect;
  readonly settings?: Partial<RetrySettings>;
  readonly call?: Partial<RetriedCall>;
  readonly random?: number;
  readonly stepMs?: number;
}

/** Sends once per failure of `script`, then succeeds. */
async function run(script: readonly (() => Error)[], { effect = "repeatable", ...given }: Run = {}) {
  const clock = sleepyClock();
  const budget = given.settings?.budget ?? createRetryBudget();
  let sent = 0;
  const outcome = await withRetries(
    { clock, random: () => given.random ?? 1, maxAttempts: 10, budget, ...given.settings },
    { effect, options: {}, endsAt: 100_000_000, ...given.call },
    async () => {
      clock.advance(given.stepMs ?? 0);
      const failure = script[sent++];
      if (failure !== undefined) throw failure();
      return "done";
    },
  ).then(
    (value) => ({ value, error: undefined }),
    (error: TablekeepError) => ({ value: undefined, error }),
  );
  return { ...outcome, sent, slept: clock.slept, budget };
}

describe("withRetries", () => {
  test("a first success is passed on with no wait", async () => {
    expect(await run([])).toMatchObject({ value: "done", sent: 1, slept: [] });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("%i throttles in a row are waited out", async (n) => {
    const { value, sent, slept } = await run(Array(n).fill(throttle), { effect: "once" });
    expect({ value, sent }).toEqual({ value: "done", sent: n + 1 });
    expect(slept).toEqual(Array.from({ length: n }, (_, i) => 50 * 2 ** i));
  });

  test("waits are a random part of a bound that doubles up to the cap", async () => {
    const { slept } = await run(Array(9).fill(unreachable), { random: 0.5 });
    expect(slept).toEqual([12.5, 25, 50, 100, 200, 400, 800, 1600, 3200]);
    const capped = await run(Array(14).fill(throttle), { settings: { maxAttempts: 20 } });
    expect(capped.slept.slice(9)).toEqual([20_000, 20_000, 20_000, 20_000, 20_000]);
  });

  test("after the last attempt throws the failure with the number of attempts", async () => {
    const { error, sent } = await run(Array(20).fill(throttle));
    expect(sent).toBe(10);
    expect(error).toMatchObject({
      code: "DYNAMO_THROTTLING",
      ambiguous: false,
      details: { attempts: 10, exception: "ThrottlingException" },
    });
  });

  test("throws a non-retryable failure unchanged", async () => {
    const rejected = failedCheck();
    const { error, sent } = await run([() => rejected]);
    expect(sent).toBe(1);
    expect(error).toBe(rejected);
  });

  test("leaves foreign errors unchanged", async () => {
    const bug = new RangeError("a bug");
    expect((await run([() => bug])).error).toBe(bug);
  });

  test.each(["read", "repeatable", "tokened"] as const)(
    "a lost answer to a %s call is sent again",
    async (effect) => {
      expect(await run([lost, fault], { effect })).toMatchObject({ value: "done", sent: 3 });
    },
  );

  test.each([lost, fault])(
    "a lost answer to a write that must not be repeated ends the call in doubt",
    async (failure) => {
      const { error, sent } = await run([failure], { effect: "once" });
      expect(sent).toBe(1);
      expect(error).toMatchObject({ ambiguous: true, details: { attempts: 1 } });
    },
  );

  test("own write seen as conflict: the rejection after a lost answer is ambiguous and keeps the item", async () => {
    const { error, sent } = await run([lost, failedCheck]);
    expect(sent).toBe(2);
    expect(error).toMatchObject({
      code: "DYNAMO_CONDITIONAL_CHECK_FAILED",
      ambiguous: true,
      details: { attempts: 2, item: { id: { S: "1" } } },
    });
  });

  test("stays ambiguous after later harmless failures", async () => {
    const { error } = await run([lost, ...Array(9).fill(throttle)]);
    expect(error).toMatchObject({ code: "DYNAMO_THROTTLING", ambiguous: true, details: { attempts: 10 } });
  });

  test("a write that must not be repeated is sent again after harmless failures only", async () => {
    const { error, sent } = await run([throttle, unreachable, fault, throttle], { effect: "once" });
    expect(sent).toBe(3);
    expect(error).toMatchObject({
      code: "DYNAMO_INTERNAL_SERVER",
      ambiguous: true,
      details: { attempts: 3 },
    });
  });

  test("a read is never ambiguous", async () => {
    const { error } = await run([lost, ...Array(9).fill(fault)], { effect: "read" });
    expect(error).toMatchObject({ code: "DYNAMO_INTERNAL_SERVER", ambiguous: false });
    const once = await run([lost], { effect: "read", settings: { maxAttempts: 1 } });
    expect(once.error).toMatchObject({ code: "CLIENT_CONNECTION_LOST", ambiguous: false });
  });

  test("does not begin a wait beyond the deadline: throws the last failure", async () => {
    const { error, sent, slept } = await run(Array(9).fill(throttle), { call: { endsAt: 200 } });
    expect(slept).toEqual([50, 100]);
    expect(sent).toBe(3);
    expect(error).toMatchObject({ code: "DYNAMO_THROTTLING", details: { attempts: 3 } });
  });

  test("an attempt cut by the deadline says so, with the failure before it as its cause", async () => {
    const { error } = await run([throttle, () => cut(true)]);
    expect(error).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: true,
      details: { attempts: 2, deadlineMs: 10_000 },
      cause: { code: "DYNAMO_THROTTLING" },
    });
    const first = await run([() => cut(false)]);
    expect(first.error).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: false });
  });

  test("a transaction is not sent again once its token may be forgotten", async () => {
    const late = await run([lost, throttle], { effect: "tokened", stepMs: 599_960 });
    expect(late.sent).toBe(1 + 1);
    expect(late.error).toMatchObject({ ambiguous: true });
    const inTime = await run([lost], { effect: "tokened", stepMs: 599_960 });
    expect(inTime.value).toBe("done");
    const neverInDoubt = await run([throttle, throttle], { effect: "tokened", stepMs: 599_960 });
    expect(neverInDoubt.value).toBe("done");
  });

  test("an abort during a wait ends the call at once and stays ambiguous", async () => {
    const controller = new AbortController();
    const random = () => {
      queueMicrotask(() => controller.abort(new Error("enough")));
      return 1;
    };
    const { error, sent } = await run([lost], {
      settings: { random },
      call: { options: { signal: controller.signal } },
    });
    expect(sent).toBe(1);
    expect(error).toMatchObject({
      code: "CLIENT_ABORTED",
      ambiguous: true,
      details: { attempts: 1 },
      cause: { message: "enough" },
    });
  });

  test("a request that can be corrected is corrected and sent again at once", async () => {
    const expired = () => new DynamoError({ exception: "ExpiredTokenException", serviceMessage: "old" });
    let repairs = 0;
    const repair = () => ++repairs === 1;
    expect(await run([expired], { call: { repair } })).toMatchObject({ value: "done", slept: [] });
    const again = await run([expired], { call: { repair } });
    expect(again).toMatchObject({ sent: 1, error: { code: "DYNAMO_EXPIRED_TOKEN" } });
  });

  test("a failed correction fails the call, with its attempts and `ambiguous`", async () => {
    const repair = async () => {
      throw new ClientError("CLIENT_CREDENTIALS_FAILED", "sealed", { provider: "vault" });
    };
    const expired = () => new DynamoError({ exception: "ExpiredTokenException", serviceMessage: "old" });
    expect((await run([lost, expired], { call: { repair } })).error).toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      ambiguous: true,
    });
    expect((await run([expired], { call: { repair } })).error).toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      ambiguous: false,
    });
    const late = async () => {
      throw cut(false);
    };
    expect((await run([lost, expired], { call: { repair: late } })).error).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: true,
      details: { attempts: 2 },
      cause: { details: { exception: "ExpiredTokenException" } },
    });
  });

  test("a retry listener cannot end a call whose write may have been applied", async () => {
    const onRetry = () => {
      throw new Error("the meter is broken");
    };
    expect(await run([lost, throttle], { call: { options: { onRetry } } })).toMatchObject({
      value: "done",
      sent: 3,
    });
  });

  test("a narrower choice of failures is respected", async () => {
    const onlyConflicts = (error: TablekeepError) => error.code === "DYNAMO_TRANSACTION_CONFLICT";
    const conflict = () => new DynamoError({ exception: "TransactionConflictException", serviceMessage: "" });
    const { sent, error } = await run([conflict, throttle], { settings: { retries: onlyConflicts } });
    expect(sent).toBe(2);
    expect(error).toMatchObject({ code: "DYNAMO_THROTTLING", details: { attempts: 2 } });
  });
});

describe("the retry budget", () => {
  test("an outage costs at most a hundred retries beyond the first attempts", async () => {
    const budget = createRetryBudget();
    let sent = 0;
    for (let call = 0; call < 200; call++) {
      sent += (await run(Array(10).fill(throttle), { settings: { budget } })).sent;
    }
    expect(sent).toBe(200 + 100);
    expect(budget.left).toBe(0);
  });

  test("a retry after no answer costs twice, and a success returns the last cost", async () => {
    const budget = createRetryBudget();
    await run([lost, unreachable, throttle], { settings: { budget } });
    expect(budget.left).toBe(500 - 10 - 10 - 5 + 5);
    for (let i = 0; i < 100; i++) await run([], { settings: { budget } });
    expect(budget.left).toBe(500);
  });
});

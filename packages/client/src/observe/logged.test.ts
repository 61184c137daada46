import {
  buildPort,
  type CallOptions,
  type Clock,
  DynamoError,
  type DynamoPort,
  type LogFields,
  type Logger,
  silentLogger,
} from "@tablekeep/core";
import { describe, expect, it } from "vitest";
import { logged } from "./logged.ts";

type Line = [level: string, message: string, fields: LogFields | undefined];

function recorder(): { lines: Line[]; logger: Logger } {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields]);
  return { lines, logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}

/** A clock that a test sets. */
function settableClock(): Clock & { ms: number } {
  return {
    ms: 0,
    now: () => 0,
    monotonic() {
      return this.ms;
    },
    after: () => () => {},
  };
}

function port(answer: (options: CallOptions) => Promise<object>): DynamoPort {
  return buildPort(
    (_operation, _input, options) => answer(options) as never,
    async () => {},
  );
}

const throttled = new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow down" });
const lost = new DynamoError({ exception: "InternalServerError", serviceMessage: "?", requestId: "r-1" });
const put = { TableName: "carts", Item: { id: { S: "1" } } };

describe("logged", () => {
  it("logs no successful requests unless tracing is on", async () => {
    const { lines, logger } = recorder();
    await logged(
      port(async () => ({})),
      logger,
    ).putItem(put);
    expect(lines).toEqual([]);
  });

  it("a failing logger does not change the result for the caller", async () => {
    const full = () => {
      throw new Error("ENOSPC");
    };
    const broken = { debug: full, info: full, warn: full, error: full };
    const answering = (answer: (options: CallOptions) => Promise<object>) =>
      logged(port(answer), broken, { tracing: true });
    await expect(answering(async () => ({})).putItem(put)).resolves.toEqual({});
    await expect(answering(() => Promise.reject(lost)).putItem(put)).rejects.toBe(lost);
    const retried = answering(async ({ onRetry }) => {
      onRetry?.(2, throttled);
      return {};
    });
    await expect(retried.putItem(put)).resolves.toEqual({});
  });

  it("logs every request at debug with tracing", async () => {
    const { lines, logger } = recorder();
    const clock = settableClock();
    const slow = port(async ({ onRetry }) => {
      clock.ms += 12.5;
      onRetry?.(2, lost);
      return {};
    });
    const loud = logged(slow, logger, { tracing: true, clock });
    await loud.putItem(put);
    await loud.listTables({});
    expect(lines).toEqual([
      [
        "debug",
        "PutItem",
        { operation: "PutItem", table: "carts", durationMs: 12.5, attempts: 2, outcome: "ok" },
      ],
      ["debug", "ListTables", { operation: "ListTables", durationMs: 12.5, attempts: 2, outcome: "ok" }],
    ]);
  });

  it("logs how a request failed", async () => {
    const { lines, logger } = recorder();
    const rejection = new DynamoError({ exception: "ConditionalCheckFailedException", serviceMessage: "no" });
    const rejecting = logged(
      port(() => Promise.reject(rejection)),
      logger,
      { tracing: true, clock: settableClock() },
    );
    await expect(rejecting.putItem(put)).rejects.toBe(rejection);
    expect(lines).toMatchObject([
      ["debug", "PutItem", { outcome: "conflict", code: "DYNAMO_CONDITIONAL_CHECK_FAILED" }],
    ]);
  });

  it("warns of every write that may have been applied", async () => {
    const { lines, logger } = recorder();
    await expect(
      logged(
        port(() => Promise.reject(lost)),
        logger,
      ).putItem(put),
    ).rejects.toBe(lost);
    expect(lines).toEqual([
      [
        "warn",
        "dynamodb write may have been applied although its call failed",
        {
          operation: "PutItem",
          table: "carts",
          attempts: 1,
          outcome: "unavailable",
          code: "DYNAMO_INTERNAL_SERVER",
          requestId: "r-1",
        },
      ],
    ]);
  });

  it("warns of throttling once a second, even where a retry helped, and counts what it left out", async () => {
    const { lines, logger } = recorder();
    const clock = settableClock();
    const busy = logged(
      port(async ({ onRetry }) => {
        for (const attempt of [2, 3, 4]) onRetry?.(attempt, throttled);
        return {};
      }),
      logger,
      { clock },
    );
    await busy.putItem(put);
    await busy.putItem(put);
    clock.ms = 1000;
    await busy.putItem(put);
    expect(lines.map(([level, , fields]) => [level, fields?.["code"], fields?.["suppressed"]])).toEqual([
      ["warn", "DYNAMO_THROTTLING", undefined],
      ["warn", "DYNAMO_THROTTLING", 5],
    ]);
  });

  it("is free with the silent logger", () => {
    const below = port(async () => ({}));
    expect(logged(below, silentLogger, { tracing: true })).toBe(below);
  });

  it("rejects a value that is not a logger", () => {
    expect(() =>
      logged(
        port(async () => ({})),
        {} as Logger,
      ),
    ).toThrow(expect.objectContaining({ code: "CLIENT_OPTION_INVALID" }));
  });
});

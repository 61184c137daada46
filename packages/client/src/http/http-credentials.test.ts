import { systemClock, wrapPort } from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer, reject } from "../../test/loopback-server.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { httpPort } from "./http-port.ts";
import type { HttpPortOptions } from "./http-port-options.ts";

const fixed = { accessKeyId: "AKID", secretAccessKey: "canary-secret" };
const get = { TableName: "carts", Key: { id: { S: "1" } } };
const update = { TableName: "carts", Key: { id: { S: "1" } }, UpdateExpression: "ADD n :one" };

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, {}));
});
afterEach(() => server.close());

const open = (options: HttpPortOptions = {}) =>
  httpPort({ endpoint: server.url, credentials: fixed, random: () => 0, ...options });

/** A provider of numbered credentials. */
function provider(): { fetched: number; get: () => Promise<Credentials> } {
  const self = {
    fetched: 0,
    get: async () => {
      self.fetched++;
      return {
        accessKeyId: `KEY${self.fetched}`,
        secretAccessKey: "s",
        sessionToken: `token${self.fetched}`,
      };
    },
  };
  return self;
}

const keyOf = (headers: { authorization?: string }) =>
  /Credential=(\w+)\//.exec(headers.authorization ?? "")?.[1];

describe("expired credentials", () => {
  test.each(["ExpiredTokenException", "UnrecognizedClientException"])(
    "%s: one refresh, then on",
    async (name) => {
      const source = provider();
      server.script = ({ headers }, response) =>
        keyOf(headers) === "KEY1" ? reject(response, name) : answer(response, {});
      await using port = open({ credentials: source.get });
      await expect(port.updateItem(update)).resolves.toEqual({});
      expect(server.seen.map(({ headers }) => headers["x-amz-security-token"])).toEqual(["token1", "token2"]);
      expect(source.fetched).toBe(2);
    },
  );

  test("in the middle of many reads: all of them complete after one refresh", async () => {
    const source = provider();
    let expired = false;
    server.script = ({ number, headers }, response) => {
      expired ||= number > 500;
      if (expired && keyOf(headers) === "KEY1") reject(response, "ExpiredTokenException");
      else answer(response, { Items: [] });
    };
    await using port = open({ credentials: source.get });
    const reader = async () => {
      for (let i = 0; i < 100; i++) await port.query({ TableName: "carts" });
    };
    await Promise.all(Array.from({ length: 20 }, reader));
    expect(source.fetched).toBe(2);
  });

  test("that a refresh does not change fail after one refresh", async () => {
    let fetched = 0;
    server.script = (_, response) => reject(response, "ExpiredTokenException");
    const same = async () => {
      fetched++;
      return { ...fixed, sessionToken: "same" };
    };
    await using port = open({ credentials: same });
    const error = await failureOf(port.getItem(get));
    expect(error).toMatchObject({ code: "DYNAMO_EXPIRED_TOKEN", kind: "denied", details: { attempts: 1 } });
    expect(fetched).toBe(2);
    expect(server.seen.length).toBe(1);
  });

  test("that stay rejected are refreshed once, not in a loop", async () => {
    const source = provider();
    server.script = (_, response) => reject(response, "ExpiredTokenException");
    await using port = open({ credentials: source.get });
    expect(await failureOf(port.getItem(get))).toMatchObject({
      code: "DYNAMO_EXPIRED_TOKEN",
      details: { attempts: 2 },
    });
    expect(source.fetched).toBe(2);
  });

  test("that cannot be renewed do not change whether an earlier attempt was ambiguous", async () => {
    let fetched = 0;
    const once = async () => {
      if (++fetched > 1) throw new Error("vault is sealed");
      return { ...fixed, sessionToken: "first" };
    };
    server.script = ({ number }, response) => {
      if (number === 1) response.destroy();
      else reject(response, "ExpiredTokenException");
    };
    await using port = open({ credentials: once });
    const put = { TableName: "carts", Item: { id: { S: "1" } } };
    expect(await failureOf(port.putItem(put))).toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      ambiguous: true,
    });
  });
});

describe("bad credentials", () => {
  test.each([
    ["UnrecognizedClientException", "DYNAMO_UNRECOGNIZED_CLIENT"],
    ["InvalidSignatureException", "DYNAMO_INVALID_SIGNATURE"],
    ["AccessDeniedException", "DYNAMO_ACCESS_DENIED"],
    ["MissingAuthenticationTokenException", "DYNAMO_MISSING_AUTHENTICATION_TOKEN"],
  ])("%s is not retried", async (name, code) => {
    server.script = (_, response) => reject(response, name);
    await using port = open();
    const error = await failureOf(port.getItem(get));
    expect(error).toMatchObject({
      code,
      kind: "denied",
      ambiguous: false,
      details: { attempts: 1, exception: name },
    });
    expect(server.seen.length).toBe(1);
  });

  test("that cannot be sent are rejected before anything is", async () => {
    await using port = open({ credentials: { ...fixed, sessionToken: "line\nbreak" } });
    const error = await failureOf(port.getItem(get));
    expect(error).toMatchObject({ code: "CLIENT_OPTION_INVALID", details: { option: "credentials" } });
    expect(server.seen.length).toBe(0);
  });

  test("a provider that fails fails the call with its own error", async () => {
    await using port = open({
      credentials: async () => {
        throw new Error("vault is sealed");
      },
    });
    expect(await failureOf(port.getItem(get))).toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      kind: "denied",
      ambiguous: false,
    });
  });

  test("no error and no log line holds a secret", async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const credentials = {
      accessKeyId: "canary-id",
      secretAccessKey: "canary-secret",
      sessionToken: "canary-token",
    };
    await using port = open({ credentials, logger, tracing: true, maxAttempts: 2 });
    const seen: unknown[] = [];
    for (const script of [
      (_: unknown, response: Parameters<typeof reject>[0]) => reject(response, "InvalidSignatureException"),
      (_: unknown, response: Parameters<typeof reject>[0]) => void response.destroy(),
    ]) {
      server.script = script;
      seen.push(await failureOf(port.getItem(get)));
    }
    const text = seen.map(
      (error) =>
        `${(error as Error).stack} ${JSON.stringify(error)} ${JSON.stringify((error as Error).cause)}`,
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify([text, lines])).not.toContain("canary");
  });
});

describe("a clock that is wrong", () => {
  const aDay = 86_400_000;
  /** Rejects signatures that are more than five minutes off the real time. */
  const strict: LoopbackServer["script"] = ({ headers }, response) => {
    const time = String(headers["x-amz-date"]).replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z");
    if (Math.abs(Date.parse(time) - Date.now()) > 300_000) reject(response, "InvalidSignatureException");
    else answer(response, {});
  };

  test.each([-aDay, -10 * 60_000, 10 * 60_000, aDay])(
    "by %i ms is corrected once for all calls",
    async (offMs) => {
      const warnings: unknown[] = [];
      const nothing = () => {};
      const logger = {
        debug: nothing,
        info: nothing,
        error: nothing,
        warn: (...line: unknown[]) => warnings.push(line),
      };
      server.script = strict;
      const clock = { ...systemClock, now: () => Date.now() + offMs };
      await using port = open({ clock, logger });
      await expect(port.updateItem(update)).resolves.toEqual({});
      await expect(port.updateItem(update)).resolves.toEqual({});
      expect(server.seen.length).toBe(3);
      expect(warnings.length).toBe(1);
    },
  );

  test("is corrected for all the calls that were sent before the first rejection", async () => {
    const waiting: (() => void)[] = [];
    server.script = (request, response) => {
      waiting.push(() => strict(request, response));
      if (waiting.length === 5) for (const go of waiting) go();
      else if (waiting.length > 5) strict(request, response);
    };
    await using port = open({ clock: { ...systemClock, now: () => Date.now() - aDay } });
    const calls = Array.from({ length: 5 }, () => port.updateItem(update));
    await expect(Promise.all(calls)).resolves.toHaveLength(5);
    expect(server.seen.length).toBe(10);
  });

  test("is known from every response, also of a wrapped port", async () => {
    await using port = open({ clock: { ...systemClock, now: () => Date.now() - 10 * 60_000 } });
    const wrapped = wrapPort(port, (operation, input, options, next) => next(operation, input, options));
    expect(wrapped.serverOffsetMs?.()).toBeUndefined();
    await wrapped.getItem(get);
    // Dates have whole seconds.
    expect(wrapped.serverOffsetMs?.()).toBeGreaterThan(9 * 60_000);
    expect(wrapped.serverOffsetMs?.()).toBeLessThan(11 * 60_000);
    server.script = (_, response) => answer(response, {}, 200, { date: "no date" });
    await wrapped.getItem(get);
    expect(wrapped.serverOffsetMs?.()).toBeUndefined();
  });

  test("is corrected although the log cannot be written", async () => {
    const full = () => {
      throw new Error("ENOSPC");
    };
    server.script = strict;
    const clock = { ...systemClock, now: () => Date.now() - aDay };
    await using port = open({ clock, logger: { debug: full, info: full, warn: full, error: full } });
    await expect(port.updateItem(update)).resolves.toEqual({});
  });

  test("a rejected signature with the right time is not retried", async () => {
    server.script = (_, response) => reject(response, "InvalidSignatureException");
    await using port = open();
    expect(await failureOf(port.getItem(get))).toMatchObject({ details: { attempts: 1 } });
  });

  test("is corrected once a call at most", async () => {
    server.script = ({ number }, response) =>
      reject(response, "InvalidSignatureException", {
        headers: { date: new Date(Date.now() + number * aDay).toUTCString() },
      });
    await using port = open();
    expect(await failureOf(port.getItem(get))).toMatchObject({ details: { attempts: 2 } });
  });
});

describe("tracing", () => {
  test("logs every call at debug level, without item contents", async () => {
    const lines: [string, unknown][] = [];
    const nothing = () => {};
    const logger = {
      debug: (message: string, fields?: unknown) => void lines.push([message, fields]),
      info: nothing,
      warn: nothing,
      error: nothing,
    };
    await using port = open({ logger, tracing: true });
    await port.putItem({ TableName: "carts", Item: { id: { S: "private" } } });
    server.script = (_, response) => reject(response, "ValidationException");
    await failureOf(port.getItem(get));
    expect(lines.map(([, fields]) => fields)).toMatchObject([
      { operation: "PutItem", table: "carts", outcome: "ok", attempts: 1 },
      { operation: "GetItem", table: "carts", outcome: "invalid", code: "DYNAMO_VALIDATION" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("private");
  });
});

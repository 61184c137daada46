import type { IncomingMessage } from "node:http";
import { fakeClock } from "@tablekeep/testkit";
import { hashSync } from "bcryptjs";
import { beforeEach, describe, expect, test } from "vitest";
import { SignInThrottle } from "../auth/password-check.ts";
import { parseTokens, parseUsers, readTokensFile, readUsersFile, tokenHash } from "../auth/secret-files.ts";
import type { SignedAccess } from "./http-route.ts";
import { type HttpSignIn, httpSignIn } from "./http-sign-in.ts";

const users = parseUsers(`anna:${hashSync("pässword:1", 4)}\n\nben:${hashSync("x", 4)}\r\n`, "users");
const tokens = parseTokens(`ci:${tokenHash("tk_secret")}\n`, "tokens");
let clock = fakeClock();
let guard: HttpSignIn;
beforeEach(() => {
  clock = fakeClock();
  guard = httpSignIn({ users, tokens }, clock);
});

function enter(
  authorization?: string,
  access: SignedAccess = "users",
  remoteAddress = "192.0.2.1",
): Promise<string> {
  return guard({ headers: { authorization }, socket: { remoteAddress } } as IncomingMessage, access).then(
    () => "in",
    (error: { status: number; headers: object }) => `${error.status} ${Object.keys(error.headers)}`,
  );
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const out = "401 www-authenticate";
const wait = "429 retry-after";

test("accepts a user's password, repeatedly", async () => {
  expect(await enter(basic("anna:pässword:1"))).toBe("in");
  expect(await enter(basic("anna:pässword:1"))).toBe("in");
  expect(await enter(basic("ben:x"), "passwords")).toBe("in");
});

test("accepts a token where tokens are allowed, and as a password everywhere else", async () => {
  expect(await enter("Bearer tk_secret")).toBe("in");
  expect(await enter("Bearer tk_secret", "passwords")).toBe(out);
  expect(await enter(basic("ci:tk_secret"), "passwords")).toBe("in");
});

test.each([
  undefined,
  basic("anna:x"),
  basic("ben:pässword:1"),
  basic("nobody:x"),
  basic("anna"),
  basic("anna:tk_secret"),
  basic(`ci:${tokenHash("tk_secret")}`),
  "Basic ???",
  "Bearer x",
  `Bearer ${tokenHash("tk_secret")}`,
  "Bearer ",
])("rejects %s", async (authorization) => {
  expect(await enter(authorization)).toBe(out);
});

describe("a client that fails five times must wait", () => {
  test.each([basic("anna:x"), "Bearer x"])("with %s", async (authorization) => {
    for (let times = 1; times < 5; times++) expect(await enter(authorization)).toBe(out);
    expect(await enter(authorization)).toBe(wait);
    // Even the right password is not checked.
    expect(await enter(basic("ben:x"))).toBe(wait);
    expect(await enter(basic("ben:x"), "users", "192.0.2.2")).toBe("in");
    await clock.advance(1001);
    expect(await enter(basic("ben:x"))).toBe("in");
  });

  test("longer each time, up to a minute, and not forever", async () => {
    const attempts = new SignInThrottle(clock);
    const waits: number[] = [];
    for (let times = 0; times < 13; times++) {
      expect(attempts.begin("here")).toBe(true);
      waits.push(attempts.waitMs("here") / 1000);
      await clock.advance(attempts.waitMs("here"));
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    await clock.advance(15 * 60_000 + 1);
    expect(attempts.begin("here")).toBe(true);
    expect(attempts.waitMs("here")).toBe(0);
  });

  test("concurrent attempts count, too", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => enter(basic("anna:x"))));
    expect(all.filter((each) => each === wait).length).toBeGreaterThanOrEqual(45);
  });

  test("unless it was verified before, or sends no credentials", async () => {
    expect(await enter(basic("ben:x"))).toBe("in");
    for (let times = 0; times < 9; times++) await enter(basic("anna:x"));
    expect(await enter(basic("ben:x"))).toBe("in");
    expect(await enter("Bearer tk_secret")).toBe("in");
    expect(await enter()).toBe(out);
  });
});

test("an invalid line is reported by its number, without its secret", () => {
  for (const [line, text] of [
    [1, "anna:\nben"],
    [1, "anna"],
    [1, ":$2a$04$x"],
    [2, `a:${hashSync("x", 4)}\na:${hashSync("x", 4)}`],
    [1, "anna:secret"],
    // A hash that bcrypt cannot check would fail at every sign-in.
    [1, `a:${hashSync("x", 4).replace("$2b$", "$2x$")}`],
    [1, `a:${hashSync("x", 4).replace("$04$", "$03$")}`],
    [1, `a:${hashSync("x", 4).replace("$04$", "$32$")}`],
  ] as const) {
    expect(() => parseUsers(text, "users.txt")).toThrow(
      expect.objectContaining({
        code: "SERVER_USERS_FILE_INVALID",
        details: { path: "users.txt", line },
      }),
    );
    expect(() => parseUsers(text, "users.txt")).not.toThrow(/secret/);
  }
});

test("a missing file is an error with its path", () => {
  expect(() => readUsersFile("/no/such/file")).toThrow(
    expect.objectContaining({
      code: "SERVER_USERS_FILE_INVALID",
      details: { path: "/no/such/file" },
    }),
  );
});

test("tokens files are checked in the same way", () => {
  for (const [line, text] of [
    [1, "ci"],
    [1, "ci:secret"],
    [2, `ci:${tokenHash("a")}\nci:${tokenHash("b")}`],
  ] as const)
    expect(() => parseTokens(text, "t")).toThrow(
      expect.objectContaining({
        code: "SERVER_TOKENS_FILE_INVALID",
        details: { path: "t", line },
      }),
    );
  expect(() => readTokensFile("/no/such/file")).toThrow(
    expect.objectContaining({
      code: "SERVER_TOKENS_FILE_INVALID",
      details: { path: "/no/such/file" },
    }),
  );
});

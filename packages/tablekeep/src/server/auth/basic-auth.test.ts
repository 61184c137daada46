import type { IncomingMessage } from "node:http";
import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { basicAuth } from "./basic-auth.ts";
import { passwordCheck } from "./password-check.ts";
import { parseUsers, readUsersFile } from "./users-file.ts";

const users = parseUsers(`anna:${hashSync("pässword:1", 4)}\n\nben:${hashSync("x", 4)}\r\n`, "users");
const guard = basicAuth(passwordCheck(users));

function enter(authorization?: string): Promise<string> {
  return guard({ headers: { authorization } } as IncomingMessage).then(
    () => "in",
    (error: { status: number; headers: object }) => `${error.status} ${Object.keys(error.headers)}`,
  );
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test("a user comes in with the password, and again", async () => {
  expect(await enter(basic("anna:pässword:1"))).toBe("in");
  expect(await enter(basic("anna:pässword:1"))).toBe("in");
  expect(await enter(basic("ben:x"))).toBe("in");
});

test.each([
  undefined,
  basic("anna:x"),
  basic("ben:pässword:1"),
  basic("nobody:x"),
  basic("anna"),
  "Basic ???",
  "Bearer x",
])("%s stays out", async (authorization) => {
  expect(await enter(authorization)).toBe("401 www-authenticate");
});

test("a wrong line is named by its number, and its secret is not repeated", () => {
  for (const text of [
    "anna:\nben",
    "anna",
    ":$2a$04$x",
    `a:${hashSync("x", 4)}\na:${hashSync("x", 4)}`,
    "anna:secret",
  ]) {
    expect(() => parseUsers(text, "users.txt")).toThrow(/^line \d of users\.txt is not name:hash/);
    expect(() => parseUsers(text, "users.txt")).not.toThrow(/secret/);
  }
});

test("a file that is not there is one line", () => {
  expect(() => readUsersFile("/no/such/file")).toThrow("no users can be read from /no/such/file: ENOENT");
});

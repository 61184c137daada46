import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { parseTokens, tokenHash } from "../../server/auth/secret-files.ts";

test("prints a new token each time, with its line for the tokens file", async () => {
  const made = async () => JSON.parse((await runMain(["token", "ci", "--json"])).stdout);
  const [one, other] = [await made(), await made()];
  expect(one.token).toMatch(/^tk_[\w-]{43}$/);
  expect(one.token).not.toBe(other.token);
  expect(parseTokens(`${one.line}\n`, "tokens")).toEqual(new Map([["ci", tokenHash(one.token)]]));
  expect(one.line).not.toContain(one.token);
});

test.each(["a:b", "", "a b", "x".repeat(65)])("rejects %j as a name", async (name) => {
  expect(await runMain(["token", name])).toMatchObject({ code: 2 });
});

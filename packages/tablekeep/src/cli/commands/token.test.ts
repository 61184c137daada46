import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { parseTokens, tokenHash } from "../../server/auth/secret-files.ts";

test("a token comes with the line that lets it in, and is another each time", async () => {
  const made = async () => JSON.parse((await runMain(["token", "ci", "--json"])).stdout);
  const [one, other] = [await made(), await made()];
  expect(one.token).toMatch(/^tk_[\w-]{43}$/);
  expect(one.token).not.toBe(other.token);
  expect(parseTokens(`${one.line}\n`, "tokens")).toEqual(new Map([["ci", tokenHash(one.token)]]));
  expect(one.line).not.toContain(one.token);
});

test.each(["a:b", "", "a b", "x".repeat(65)])("%j is no name", async (name) => {
  expect(await runMain(["token", name])).toMatchObject({ code: 2 });
});

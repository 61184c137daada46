import { compareSync } from "bcryptjs";
import { expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { parseUsers } from "../../server/auth/secret-files.ts";

test("prints a hash for a users file, from an argument or from a line of stdin", async () => {
  const fromArgument = await runMain(["bcrypt", "--cost", "4", "pässword"]);
  const fromInput = await startMain(["bcrypt", "--cost", "4"], {}, undefined, "pässword\r\nmore\n").result;
  for (const { code, stdout } of [fromArgument, fromInput]) {
    expect(code).toBe(0);
    const hash = parseUsers(`anna:${stdout}`, "users").get("anna") ?? "";
    expect(compareSync("pässword", hash)).toBe(true);
  }
  const { stdout } = await runMain(["--json", "bcrypt", "--cost", "4", "x"]);
  expect(compareSync("x", JSON.parse(stdout).hash)).toBe(true);
});

test.each([
  [["bcrypt"], "[CLI_ARGUMENT_MISSING]"],
  [["bcrypt", ""], "[CLI_ARGUMENT_MISSING]"],
  [["bcrypt", "x".repeat(73)], "longer than 72 bytes"],
  [["bcrypt", "--cost", "3", "x"], "from 4 to 15"],
  [["bcrypt", "--cost", "ten", "x"], "from 4 to 15"],
])("%j is rejected", async (argv, reason) => {
  const { code, stderr } = await runMain(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { compareSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { parseTokens, parseUsers, tokenHash } from "../../server/auth/secret-files.ts";

function newFolder(): string {
  const folder = tempFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}

const withInput = (argv: readonly string[], input: string, env = {}) =>
  startMain(argv, env, undefined, input).result;

describe("auth hash", () => {
  test("prints a hash for a users file, from an argument or from a line of stdin", async () => {
    const fromArgument = await runMain(["auth", "hash", "--cost", "4", "pässword"]);
    const fromInput = await withInput(["auth", "hash", "--cost", "4"], "pässword\r\nmore\n");
    for (const { code, stdout } of [fromArgument, fromInput]) {
      expect(code).toBe(0);
      const hash = parseUsers(`anna:${stdout}`, "users").get("anna") ?? "";
      expect(compareSync("pässword", hash)).toBe(true);
    }
    const { stdout } = await runMain(["--json", "auth", "hash", "--cost", "4", "x"]);
    expect(compareSync("x", JSON.parse(stdout).hash)).toBe(true);
  });

  test.each([
    [[], "[CLI_ARGUMENT_MISSING]"],
    [[""], "[CLI_ARGUMENT_MISSING]"],
    [["x".repeat(73)], "longer than 72 bytes"],
    [["--cost", "3", "x"], "from 4 to 15"],
    [["--cost", "ten", "x"], "from 4 to 15"],
  ])("%j is rejected", async (argv, reason) => {
    const { code, stderr } = await runMain(["auth", "hash", ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describe("auth token", () => {
  test("prints a new token each time, with its line for the tokens file", async () => {
    const made = async () => JSON.parse((await runMain(["auth", "token", "ci", "--json"])).stdout);
    const [one, other] = [await made(), await made()];
    expect(one.token).toMatch(/^tk_[\w-]{43}$/);
    expect(one.token).not.toBe(other.token);
    expect(parseTokens(`${one.line}\n`, "tokens")).toEqual(new Map([["ci", tokenHash(one.token)]]));
    expect(one.line).not.toContain(one.token);
  });

  test.each(["a:b", "", "a b", "x".repeat(65)])("rejects %j as a name", async (name) => {
    expect(await runMain(["auth", "token", name])).toMatchObject({ code: 2 });
    expect(await runMain(["auth", "add", name, "--file", "never-made"])).toMatchObject({ code: 2 });
    expect(existsSync("never-made")).toBe(false);
  });
});

describe("auth add", () => {
  const add = (name: string, file: string, ...more: string[]) =>
    withInput(["auth", "add", name, "--cost", "4", "--file", file, ...more], "secret\n");

  test("creates a file that only its owner reads, and adds to it", async () => {
    const folder = newFolder();
    const file = join(folder, "users");
    expect(await add("ann", file)).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    expect(await add("ben", file)).toMatchObject({ code: 0 });
    const users = parseUsers(readFileSync(file, "utf8"), file);
    expect([...users.keys()]).toEqual(["ann", "ben"]);
    for (const hash of users.values()) expect(compareSync("secret", hash)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(["users"]);
  });

  test("keeps the other lines, also those without a line end", async () => {
    const file = join(newFolder(), "users");
    const { stdout } = await runMain(["auth", "hash", "--cost", "4", "x"]);
    writeFileSync(file, `zoe:${stdout.trim()}\r\n\r\nyan:${stdout.trim()}`);
    expect(await add("ann", file)).toMatchObject({ code: 0 });
    expect([...parseUsers(readFileSync(file, "utf8"), file).keys()]).toEqual(["zoe", "yan", "ann"]);
  });

  test("replaces a user only with --replace", async () => {
    const file = join(newFolder(), "users");
    await add("ann", file);
    const before = readFileSync(file, "utf8");
    const taken = await add("ann", file);
    expect([taken.code, taken.stderr]).toEqual([4, expect.stringContaining("[CLI_NAME_TAKEN]")]);
    expect(readFileSync(file, "utf8")).toBe(before);
    const { stdout } = await add("ann", file, "--replace", "--json");
    expect(JSON.parse(stdout)).toEqual({ name: "ann", file, replaced: true });
    expect(readFileSync(file, "utf8")).not.toBe(before);
    expect(parseUsers(readFileSync(file, "utf8"), file).size).toBe(1);
  });

  test("adds a token, and prints it once", async () => {
    const file = join(newFolder(), "tokens");
    const { stdout } = await runMain(["auth", "add", "ci", "--token", "--file", file, "--json"]);
    const { token } = JSON.parse(stdout);
    expect(parseTokens(readFileSync(file, "utf8"), file)).toEqual(new Map([["ci", tokenHash(token)]]));
  });

  test("of two commands at a time, each adds its user or reports that the file is in use", async () => {
    const folder = newFolder();
    const file = join(folder, "users");
    const names = Array.from({ length: 8 }, (_, at) => `user-${at}`);
    const results = await Promise.all(names.map((name) => add(name, file)));
    const added = names.filter((_, at) => results[at]?.code === 0);
    expect(added.length).toBeGreaterThan(0);
    expect([...parseUsers(readFileSync(file, "utf8"), file).keys()].toSorted()).toEqual(added);
    for (const { code, stderr } of results)
      if (code !== 0) expect([code, stderr]).toEqual([4, expect.stringContaining("[CLI_FILE_LOCKED]")]);
    expect(readdirSync(folder)).toEqual(["users"]);
  });

  test("changes nothing in a file that a server would reject", async () => {
    const file = join(newFolder(), "users");
    writeFileSync(file, "ann:plain\n");
    const rejected = await add("ben", file);
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining("[SERVER_USERS_FILE_INVALID]"),
    ]);
    expect(readFileSync(file, "utf8")).toBe("ann:plain\n");
  });

  test.each([
    [[], "authFile", "TABLEKEEP_AUTH_FILE"],
    [["--token"], "tokenFile", "TABLEKEEP_TOKEN_FILE"],
    [["--for", "smtp"], "smtpUsers", "TABLEKEEP_SMTP_USERS"],
    [["--for", "mqtt"], "mqttUsers", "TABLEKEEP_MQTT_USERS"],
    [["--for", "mqtt", "--token"], "mqttTokens", "TABLEKEEP_MQTT_TOKENS"],
    [[], "authFile", "MH_AUTH_FILE"],
  ])("%j writes to the file that serve reads: %s, %s", async (flags, key, variable) => {
    const folder = newFolder();
    const argv = ["auth", "add", "ann", "--cost", "4", ...flags];
    expect((await withInput(argv, "x\n", { [variable]: join(folder, "by-variable") })).code).toBe(0);
    const config = join(folder, "tablekeep.json");
    writeFileSync(config, JSON.stringify({ [key]: "by-file" }));
    expect((await withInput([...argv, "--config", config], "x\n")).code).toBe(0);
    for (const name of ["by-variable", "by-file"])
      expect(readFileSync(join(folder, name), "utf8")).toMatch(/^ann:/);
  });

  test.each([
    [[], "[CLI_OPTION_MISSING]"],
    [["--for", "smtp", "--token"], "[CLI_OPTION_CONFLICT]"],
    [["--for", "smtp", "--token", "--file", "unused"], "[CLI_OPTION_CONFLICT]"],
    [["--for", "imap"], "[CLI_VALUE_INVALID]"],
    [["--file", ""], "[CLI_VALUE_INVALID]"],
  ])("%j is rejected", async (flags, reason) => {
    const { code, stderr } = await withInput(["auth", "add", "ann", ...flags], "x\n");
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  test("reports a folder that cannot be written", async () => {
    const { code, stderr } = await add("ann", join(newFolder(), "none", "users"));
    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(/its folder does not exist \(ENOENT\) \[CLI_OUTPUT_FAILED\]\n$/),
    ]);
  });
});

/** Errors that a new user meets say what to do, in one line. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import { beforeAll, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();
const empty = tempFolder();

beforeAll(async () => {
  mkdirSync(empty, { recursive: true });
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  for (const spec of [journalTableSpec(), mailTableSpec(), shadowTableSpec()])
    await ensureTable(engine, spec);
});

async function expectError(argv: readonly string[], code: number, message: RegExp): Promise<void> {
  const result = await startMain(argv, {}, undefined, "x").result;
  expect(result).toEqual({ code, stdout: "", stderr: expect.stringMatching(message) });
  expect(result.stderr).toMatch(/^error: [^\n]+\n$/);
}

test.each(["auth-file", "token-file", "smtp-users", "mqtt-tokens"])(
  "serve --%s of a missing file says how to create it",
  async (option) => {
    const file = join(empty, "none");
    await expectError(
      ["serve", `--${option}`, file],
      2,
      /none: it does not exist \(ENOENT\); "tablekeep auth add NAME (--token )?--file .*none" creates it \[SERVER_/,
    );
    await expectError(["serve", `--${option}`, empty], 2, /: it is a folder \(EISDIR\) \[SERVER_/);
  },
);

test.each([
  "outgoing-smtp",
  "relay-rules",
  "recipient-rules",
  "mail-hooks",
  "shadow-rules",
  "shadow-schemas",
  "shadow-sync",
  "iot-policies",
])("serve --%s of a missing file says that it does not exist", (option) =>
  expectError(
    ["serve", `--${option}`, join(empty, "none")],
    2,
    /: it does not exist \(ENOENT\) \[SERVER_|RELEASE_/,
  ),
);

test("a command on a folder without data names the command to start", () =>
  expectError(
    ["mail", "list", "--data", empty],
    3,
    /: start "tablekeep serve" there first, .* \[CLI_DATA_FOLDER/,
  ));

test("a second server on a folder says what to do about the first", async () => {
  await using _engine = await openEngine({ storage: { kind: "folder", path: data } });
  const message = /is open in process \d+ on .*: stop that process, or serve another folder with --data \[/;
  const ports = ["http", "smtp", "mqtt", "dynamodb"].flatMap((name) => [`--${name}-port`, "0"]);
  await expectError(["serve", "--data", data, ...ports], 4, message);
  await expectError(["dynamodb", "--data", data, "--port", "0"], 4, message);
});

test("sendmail without a server says what to start", () =>
  expectError(
    ["sendmail", "--smtp-addr", "127.0.0.1:1", "ann@example.org"],
    7,
    /no SMTP server listens on 127\.0\.0\.1:1 .*start "tablekeep serve".* \[RELEASE_FAILED\]/,
  ));

test.each([
  ["feed get", 3, /"tablekeep feed run" \[FEED_UNKNOWN\]/],
  ["journal repair none", 3, /CLI_NO_EVENTS/],
  ["journal get none --limit 0", 2, /at least 1 \[CLI_VALUE_INVALID\]/],
  ["feed list --limit 0", 2, /at least 1 \[CLI_VALUE_INVALID\]/],
  ["journal get none --limit 99999999999999999999", 2, /at most 9007199254740991 \[CLI_VALUE_INVALID\]/],
  ["journal list --after cursor", 2, /add --source registry or --source rows \[CLI_OPTION_MISSING\]/],
  [
    "mail put --to ann@example.org --from ann,ben",
    2,
    /--from must be .* got "ann,ben" \[CLI_VALUE_INVALID\]/,
  ],
  ["mail put --to ann,ben", 2, /--to must be .* got "ann,ben"; --to is repeatable \[CLI_VALUE_INVALID\]/],
  ["mail import /dev/null", 3, /no messages found in \/dev\/null \[CLI_NO_MESSAGE\]/],
  ["mail lint none", 3, /"tablekeep mail list" lists the messages.*\[CLI_NO_MESSAGE\]/],
  ["projection get none", 3, /runProjections creates it.*--projections-table \[CLI_TABLE_MISSING\]/],
  ["shadow group add none lamp", 3, /"tablekeep shadow group list" lists the groups \[CLI_NO_GROUP\]/],
  ["shadow group remove none lamp", 3, /"tablekeep shadow group list" lists the groups \[CLI_NO_GROUP\]/],
  ["shadow rollout pause none", 3, /"tablekeep shadow rollout list" lists the rollouts \[CLI_NO_ROLLOUT\]/],
  ["shadow rollout resume none", 3, /"tablekeep shadow rollout list" lists the rollouts \[CLI_NO_ROLLOUT\]/],
  ["shadow rollout cancel none", 3, /"tablekeep shadow rollout list" lists the rollouts \[CLI_NO_ROLLOUT\]/],
  ["table export events -o /none/file", 7, /its folder does not exist \(ENOENT\)/],
  ["mail export -o /dev/null/file", 7, /a part of its path is not a folder \(ENOTDIR\)/],
  ["shadow rollout create v2 connected {on:true}", 2, /quote JSON with single quotes.*CLI_VALUE_INVALID/],
] as const)("%s", (words, code, message) =>
  expectError([...words.split(" "), "--data", data], code, message),
);

test("table list has a limit also without a table, and nothing to print without tables", async () => {
  const list = async (...argv: string[]) => (await runMain(["table", "list", ...argv])).stdout;
  expect(await list("--data", data, "--limit", "2")).toBe("device-shadows\nevents\n");
  expect(await list("--data", data)).toBe("device-shadows\nevents\nmail\n");
  const none = join(tempFolder(), "none");
  await using engine = await openEngine({ storage: { kind: "folder", path: none } });
  await engine.close();
  expect(await list("--data", none)).toBe("There are no tables.\n");
  expect(await list("--data", none, "-q")).toBe("");
  expect(await list("--data", none, "-q", "--json")).toBe('{"tables":[]}\n');
});

test.each(["status", "compact", "dynamodb", "doctor", "mcp", "mail list"])(
  "the help of %s shows the variable of the data folder",
  async (words) => {
    const { stdout } = await runMain([...words.split(" "), "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("[TABLEKEEP_DATA]");
  },
);

test("commands about groups count the things that they change", async () => {
  const shadow = (...words: string[]) => runMain(["shadow", "group", ...words, "--data", data]);
  await shadow("put", "kitchen");
  expect(await shadow("add", "kitchen", "lamp", "fan", "fan")).toMatchObject({
    stdout: "Added 2 to group kitchen.\n",
  });
  expect(await shadow("add", "kitchen", "lamp", "door")).toMatchObject({
    stdout: "Added 1 to group kitchen.\n",
  });
  expect(await shadow("remove", "kitchen", "fan", "oven")).toMatchObject({
    stdout: "Removed 1 from group kitchen.\n",
  });
  await expectError(
    ["shadow", "group", "remove", "kitchen", "fan", "--data", data],
    3,
    /none of these things is in group "kitchen".*\[CLI_NOT_IN_GROUP\]/,
  );
});

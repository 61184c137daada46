import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { type Setting, variableOf } from "./setting.ts";
import { settingEntries } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "tablekeep-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function fileWith(document: unknown): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document));
  return path;
}

interface Shown {
  readonly settings: Record<string, { value: unknown; from: string | null }>;
  readonly stores: Record<string, unknown>;
}

async function config(flags: readonly string[] = [], env: Record<string, string> = {}): Promise<Shown> {
  const { code, stdout, stderr } = await runMain(["config", "--json", ...flags], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** A value other than the default, as a string and as JSON. */
const others: Readonly<Record<Setting["type"], readonly [string, unknown]>> = {
  text: ["other", "other"],
  path: ["/other", "/other"],
  port: ["7", 7],
  number: ["0.5", 0.5],
  flag: ["true", true],
  switch: ["false", false],
  choice: ["true", true],
};

describe("every setting", () => {
  // These two cannot be set beside a region.
  const all = settingEntries.filter(([key]) => key !== "data" && key !== "memory");

  test("is set by its variable, with the variable as its source", async () => {
    const env = Object.fromEntries(all.map(([key, { type }]) => [variableOf(key), others[type][0]]));
    const shown = await config([], env);
    for (const [key, { type, secret }] of all) {
      const value = secret ? true : others[type][1];
      expect([key, shown.settings[key]]).toEqual([key, { value, from: variableOf(key) }]);
    }
  });

  test("is set by the file", async () => {
    const path = fileWith(Object.fromEntries(all.map(([key, { type }]) => [key, others[type][1]])));
    const shown = await config(["--config", path]);
    for (const [key, { type, secret }] of all) {
      const value = secret ? true : others[type][1];
      expect([key, shown.settings[key]]).toEqual([key, { value, from: path }]);
    }
  });

  test("is set by a file that begins with a byte order mark", async () => {
    const path = fileWith('\ufeff{"smtpPort":7}');
    expect((await config(["--config", path])).settings["smtpPort"]).toEqual({ value: 7, from: path });
  });

  test("is set by its flag, which has the highest precedence", async () => {
    const path = fileWith({ hostname: "file", smtpPort: 1, httpPort: 1, mqttPort: 1 });
    const env = { TABLEKEEP_HOSTNAME: "own", MH_HOSTNAME: "mailhog", TABLEKEEP_SMTP_PORT: "2" };
    const mailhog = { MH_SMTP_BIND_ADDR: "127.0.0.1:3", MH_API_BIND_ADDR: "127.0.0.1:4" };
    const shown = await config(["--config", path, "--hostname", "flag"], { ...env, ...mailhog });
    expect(shown.settings).toMatchObject({
      hostname: { value: "flag", from: "--hostname" },
      smtpPort: { value: 2, from: "TABLEKEEP_SMTP_PORT" },
      httpPort: { value: 4, from: "MH_API_BIND_ADDR" },
      mqttPort: { value: 1, from: path },
      dynamodbPort: { value: 8000, from: "default" },
    });
  });
});

test("one source decides where the data is", async () => {
  const path = fileWith({ region: "eu-west-1", endpoint: "http://127.0.0.1:1" });
  const shown = await config(["--config", path, "--data", "x"]);
  expect([shown.settings["data"]?.value, shown.settings["region"]?.value]).toEqual(["x", null]);
  const both = fileWith({ region: "eu-west-1", data: "x" });
  const { code, stderr } = await runMain(["config", "--config", both]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("[CLI_OPTION_CONFLICT]")]);
});

test("memory decides where the data is, unless it is false", async () => {
  const path = fileWith({ data: "x" });
  const shown = await config(["--config", path, "--memory"]);
  expect([shown.settings["memory"]?.value, shown.settings["data"]?.value]).toEqual([true, null]);
  const byVariable = await config(["--config", path], { TABLEKEEP_MEMORY: "true" });
  expect(byVariable.settings["memory"]).toEqual({ value: true, from: "TABLEKEEP_MEMORY" });
  const none = await config(["--config", path], { TABLEKEEP_MEMORY: "false" });
  expect([none.settings["memory"]?.value, none.settings["data"]?.from]).toEqual([null, path]);
  const { code, stderr } = await runMain(["config", "--memory", "--region", "eu-west-1"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("[CLI_OPTION_CONFLICT]")]);
});

test("relative paths in a file start from its folder", async () => {
  mkdirSync(join(folder, "inner"), { recursive: true });
  const path = join(folder, "inner", "tablekeep.json");
  writeFileSync(path, JSON.stringify({ data: "./data", authFile: "../users" }));
  const { settings: shown } = await config([], { TABLEKEEP_CONFIG: path });
  expect(shown["data"]?.value).toBe(join(folder, "inner", "data"));
  expect(shown["authFile"]?.value).toBe(join(folder, "users"));
});

test("a secret is shown as set, without its value", async () => {
  const env = { TABLEKEEP_ACCESS_KEY_ID: "AKID", TABLEKEEP_SECRET_ACCESS_KEY: "canary-secret" };
  for (const flags of [["config"], ["config", "--json"]]) {
    const { stdout } = await runMain(flags, env);
    expect(stdout).toContain("AKID");
    expect(stdout).not.toContain("canary-secret");
  }
  expect((await runMain(["config"], env)).stdout).toMatch(/^secretAccessKey +\(set\) +TABLEKEEP_SECRET/m);
});

describe("unknown and invalid settings are errors with a suggestion", () => {
  test.each([
    [{ TABLEKEEP_HTTP_PROT: "1" }, "TABLEKEEP_HTTP_PORT? [CLI_VALUE_INVALID]"],
    [{ TABLEKEEP_ZZZ: "1" }, "TABLEKEEP_ZZZ [CLI_VALUE_INVALID]"],
    [{ TABLEKEEP_HTTP_PORT: "high" }, "[CLI_VALUE_INVALID]"],
    [{ TABLEKEEP_SMTP: "perhaps" }, "[CLI_VALUE_INVALID]"],
    [{ MH_STORAGE: "mongodb" }, "[CLI_VALUE_INVALID]"],
    [{ MH_API_BIND_ADDR: ":1", MH_UI_BIND_ADDR: ":2" }, "[CLI_OPTION_CONFLICT]"],
    [{ TABLEKEEP_CONFIG: "/no/such/file" }, "cannot read /no/such/file"],
  ])("%j", async (env, words) => {
    const { code, stderr } = await runMain(["config"], env as Record<string, string>);
    expect([code > 0, stderr]).toEqual([true, expect.stringContaining(words)]);
  });

  test.each([
    ["{", undefined],
    [[], ""],
    [{ htpPort: 1 }, "/htpPort"],
    [{ httpPort: "8025" }, "/httpPort"],
    [{ journals: {} }, "/journals"],
    [{ journals: [{ table: "x" }] }, "/journals/0/name"],
    [{ journals: [{ name: "a/b" }] }, "/journals/0/name"],
    [{ journals: [{ name: "a" }, { name: "a" }] }, "/journals/1/name"],
    [{ journals: [{ name: "a", tabel: "x" }] }, "/journals/0/tabel"],
    [{ journals: [{ name: "a", layout: "round" }] }, "/journals/0/layout"],
    [{ journals: [{ name: "a", projectionsTable: "" }] }, "/journals/0/projectionsTable"],
    [{ mail: { ttlDays: 0 } }, "/mail/ttlDays"],
    [{ mail: [] }, "/mail"],
    [{ shadows: [3] }, "/shadows/0"],
  ])("file %j", async (document, pointer) => {
    const path = fileWith(document);
    const { code, stderr } = await runMain(["config", "--config", path, "--json"]);
    const { error } = JSON.parse(stderr) as { error: { code: string; details: object } };
    expect([code, error.code, error.details]).toEqual([
      2,
      "CLI_FILE_INVALID",
      pointer === undefined ? { path } : { path, pointer },
    ]);
    expect((await runMain(["config", "--config", path])).stderr).toMatch(/^error: [^\n]*\n$/);
  });
});

test.each([
  [["--smtp-port", "26", "--smtp-bind-addr", ":25"], "--smtp-bind-addr"],
  [["--http-host", "::1", "--ui-bind-addr", ":25"], "--ui-bind-addr"],
])("%j contradict each other", async (flags, words) => {
  const { code, stderr } = await runMain(["config", ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(stderr).toContain("[CLI_OPTION_CONFLICT]");
});

test.each(["25", "127.0.0.1", "::1:25", "127.0.0.1:99999", "http://127.0.0.1:80"])(
  "%j is rejected as an address",
  async (address) => {
    const { code, stderr } = await runMain(["config"], { MH_SMTP_BIND_ADDR: address });
    expect([code, stderr]).toEqual([2, expect.stringContaining("[CLI_VALUE_INVALID]")]);
  },
);

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
// Imported here, so that no test waits until it is loaded.
import "../../server/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "tablekeep-mailhog-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const rest = ["--no-dynamodb", "--no-mqtt", "--data", join(folder, "data")];
const loopback = { MH_SMTP_BIND_ADDR: "127.0.0.1:0", MH_API_BIND_ADDR: "127.0.0.1:0" };

interface Started {
  readonly http: string;
  readonly smtp: string;
}

/** Runs the server while `check` runs. */
async function served(
  argv: readonly string[],
  env: Record<string, string>,
  check: (at: Started) => Promise<void>,
): Promise<void> {
  const run = startMain(["serve", "--json", ...rest, ...argv], env);
  try {
    await Promise.race([
      expect.poll(run.stdout).toContain("\n"),
      run.result.then(({ stderr }) => {
        throw new Error(stderr);
      }),
    ]);
    const { listeners } = JSON.parse(run.stdout()) as { listeners: { name: string; url: string }[] };
    const url = (name: string) => listeners.find((each) => each.name === name)?.url ?? "";
    await check({ http: url("http"), smtp: url("smtp") });
  } finally {
    run.interrupt();
    const { code, stderr } = await run.result;
    // Chaos is logged as a warning when a test starts it.
    expect([code, stderr.replace(/^warning: SMTP fault injection .*\n$/, "")]).toEqual([0, ""]);
  }
}

describe("serve, started like MailHog", () => {
  test("accepts its variables", async () => {
    const relays = join(folder, "relays.json");
    writeFileSync(relays, JSON.stringify({ one: { name: "one", host: "127.0.0.1", port: "2525" } }));
    const env = {
      ...loopback,
      MH_HOSTNAME: "mail.test",
      MH_CORS_ORIGIN: "http://app.test",
      MH_UI_WEB_PATH: "mail/",
      MH_OUTGOING_SMTP: relays,
      MH_INVITE_JIM: "1",
      MH_STORAGE: "memory",
    };
    await served(["--jim-accept", "1"], env, async ({ http }) => {
      const answer = await fetch(`${http}mail/api/v2/jim`);
      expect(answer.headers.get("access-control-allow-origin")).toBe("http://app.test");
      expect(await answer.json()).toMatchObject({ AcceptChance: 1, DisconnectChance: 0.005 });
      const outgoing = await (await fetch(`${http}mail/api/v2/outgoing-smtp`)).json();
      expect(Object.keys(outgoing as object)).toEqual(["one"]);
      const inject = `${http}mail/api/v3/mail/messages?to=a@b.example`;
      const sent = await fetch(inject, { method: "POST", body: "x" });
      const { id } = (await sent.json()) as { id: string };
      const shown = await (await fetch(`${http}mail/api/v1/messages/${id}`)).json();
      expect(shown).toMatchObject({
        Content: { Headers: { Received: [expect.stringContaining(" by mail.test ")] } },
      });
    });
  });

  test("accepts its flags, also with one dash, and they override variables", async () => {
    const users = join(folder, "users");
    const { stdout } = await runMain(["auth", "hash", "secret"]);
    writeFileSync(users, `me:${stdout.trim()}\n`);
    const env = { MH_API_BIND_ADDR: "192.0.2.1:1", MH_INVITE_JIM: "true", MH_AUTH_FILE: "/no/such/file" };
    const flags = ["-smtp-bind-addr=127.0.0.1:0", "-api-bind-addr", "127.0.0.1:0", "-invite-jim=false"];
    const others = ["-ui-web-path", "/box", "--auth-file", users, "-jim-accept=.5"];
    await served([...flags, ...others], env, async ({ http, smtp }) => {
      expect([http, smtp]).toEqual([
        expect.stringContaining("//127.0.0.1:"),
        expect.stringContaining("//127.0.0.1:"),
      ]);
      expect((await fetch(`${http}box/api/v2/jim`)).status).toBe(401);
      const authorization = `Basic ${Buffer.from("me:secret").toString("base64")}`;
      const jim = (method: string) => fetch(`${http}box/api/v2/jim`, { method, headers: { authorization } });
      expect((await jim("GET")).status).toBe(404);
      expect((await jim("POST")).status).toBe(201);
      expect(await (await jim("GET")).json()).toMatchObject({ AcceptChance: 0.5, DisconnectChance: 0.005 });
    });
  });

  test("empty variables are ignored", async () => {
    const empty = { MH_HOSTNAME: "", MH_STORAGE: "", MH_INVITE_JIM: "", MH_AUTH_FILE: "" };
    await served([], { ...loopback, ...empty }, async ({ http }) => {
      expect((await fetch(`${http}api/v2/jim`)).status).toBe(404);
    });
  });

  test.each([
    [{ MH_STORAGE: "mongodb" }, [], 2, "[CLI_VALUE_INVALID]"],
    [{}, ["--storage", "maildir"], 2, "[CLI_VALUE_INVALID]"],
    [{ MH_INVITE_JIM: "perhaps" }, [], 2, "MH_INVITE_JIM"],
    [{}, ["--invite-jim", "perhaps"], 2, "[CLI_VALUE_INVALID]"],
    [{}, ["--jim-accept", "often"], 2, "[CLI_VALUE_INVALID]"],
    [{}, ["--jim-accept", "2"], 2, "acceptChance"],
    [{ MH_UI_BIND_ADDR: "127.0.0.1:1" }, [], 2, "[CLI_OPTION_CONFLICT]"],
    [{ MH_SMTP_BIND_ADDR: "0.0.0.0:0" }, [], 8, "SERVER_HOST_REFUSED"],
    [{ MH_SMTP_BIND_ADDR: ":0", MH_API_BIND_ADDR: ":0" }, [], 8, "--allow-anonymous"],
  ])("%j with %j is one line", async (env, flags, exitCode, words) => {
    const { code, stderr } = await runMain(["serve", ...rest, ...flags], { ...loopback, ...env });
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(words)]);
  });

  test("other commands reject one dash before more than one letter", async () => {
    expect(await runMain(["dynamodb", "-memory"])).toMatchObject({ code: 2 });
  });
});

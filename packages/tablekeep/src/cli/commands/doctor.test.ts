import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { openJournal } from "@tablekeep/journal";
import { openMail } from "@tablekeep/mail";
import { openRollouts, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { beforeAll, describe, expect, test } from "vitest";
import { anyPorts, doctor, listening } from "../../../test/run-doctor.ts";
import { runMain } from "../../../test/run-main.ts";
import { storeProjection } from "../../../test/stored-projection.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { inboxDirectory } from "../../server/mail/inboxes/inbox-directory.ts";
import { RuleItems } from "../../server/shadow/rules/rule-items.ts";
import { startServer } from "../../server/start-server.ts";

const serverPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };

async function servedOnce(path: string): Promise<void> {
  await (await startServer({ dataFolder: path, ...serverPorts })).stop();
}

describe("tablekeep doctor", () => {
  test("finds nothing wrong with a folder, served or not", async () => {
    const path = tempFolder();
    const server = await startServer({ dataFolder: path, ...serverPorts });
    const ports = server.listeners.map(({ name, url }) => [
      `TABLEKEEP_${name.toUpperCase()}_PORT`,
      new URL(url).port,
    ]);
    const served = await doctor(["--data", path], Object.fromEntries(ports));
    expect([served.code, served.wrong, served.stderr]).toEqual([0, [], ""]);
    const ofPorts = served.findings.filter(({ check }) => check === "port");
    expect(ofPorts).toHaveLength(4);
    expect(new Set(ofPorts.map(({ reason }) => reason))).toEqual(new Set(["port-ours"]));
    await server.stop();
    const free = await doctor(["--data", path], Object.fromEntries(ports));
    // Any program may take one of the ports meanwhile.
    expect(free.wrong.filter(({ check }) => check !== "port")).toEqual([]);
    expect(free.findings).toContainEqual(
      expect.objectContaining({ check: "port", status: "ok", reason: "port-free" }),
    );
    const checks = free.findings.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(["settings", "folder", "space", "owner", "port"]));
    expect(checks).toEqual(expect.arrayContaining(["table events", "journal journal"]));
  });

  test("finds nothing to note about a stream that a feed has enabled", async () => {
    const path = tempFolder();
    await servedOnce(path);
    await using engine = await openEngine({ storage: { kind: "folder", path } });
    const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } as const;
    await engine.updateTable({ TableName: "events", StreamSpecification });
    await engine.close();
    const { findings } = await doctor(["--data", path]);
    expect(findings.filter(({ check }) => check === "table events")).toMatchObject([{ status: "ok" }]);
  });

  test("creates nothing where there is no folder", async () => {
    const path = tempFolder();
    const { code, findings } = await doctor(["--data", path]);
    expect(code).toBe(0);
    expect(findings).toContainEqual(expect.objectContaining({ check: "folder", status: "note" }));
    expect(existsSync(path)).toBe(false);
  });

  test("prints a line for each check, and a summary", async () => {
    const path = tempFolder();
    writeFileSync(path, "");
    const { code, stdout, stderr } = await runMain(["doctor", "--data", path], anyPorts);
    expect(stdout).toMatch(/^wrong {2}settings: .* is not a folder.*\n1 check: 0 ok, 0 notes, 1 wrong\.\n$/);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/^error: [^\n]*\[CLI_DOCTOR_FINDINGS\]\n$/)]);
  });

  test("reports settings that serve would reject", async () => {
    const file = join(dirname(tempFolder()), "tablekeep.json");
    writeFileSync(file, '{"htpPort":1}');
    const unknown = await doctor(["--config", file]);
    expect([unknown.code, unknown.wrong]).toMatchObject([
      9,
      [{ check: "settings", reason: "CLI_FILE_INVALID", details: { path: file, pointer: "/htpPort" } }],
    ]);
    const open = await doctor(["--data", tempFolder()], { TABLEKEEP_HOST: "0.0.0.0" });
    expect(open.wrong).toMatchObject([{ reason: "SERVER_HOST_REFUSED", details: { host: "0.0.0.0" } }]);
    const users = await doctor(["--data", tempFolder()], { TABLEKEEP_AUTH_FILE: `${file}.none` });
    const none = { path: `${file}.none` };
    expect(users.wrong).toMatchObject([
      { check: "settings", reason: "SERVER_USERS_FILE_INVALID", details: none },
    ]);
    const pair = { TABLEKEEP_TLS_CERT: `${file}.none`, TABLEKEEP_TLS_KEY: `${file}.none` };
    const certificate = await doctor(["--data", tempFolder()], pair);
    expect(certificate.wrong).toMatchObject([
      { reason: "CLI_FILE_UNREADABLE", details: { ...none, what: "--tls-cert" } },
    ]);
  });

  test("reports a port that another process uses", async () => {
    const other = createServer();
    const port = await listening(other);
    const { code, wrong } = await doctor(["--data", tempFolder()], { TABLEKEEP_SMTP_PORT: String(port) });
    expect([code, wrong]).toMatchObject([
      9,
      [{ check: "port", reason: "SERVER_PORT_TAKEN", details: { listener: "smtp", port } }],
    ]);
    other.close();
  });

  test("checks the ports of its options, variables and file, in this order of precedence", async () => {
    const [file, other] = [join(dirname(tempFolder()), "tablekeep.json"), createServer()];
    const port = await listening(other);
    writeFileSync(file, JSON.stringify({ smtpPort: port, imapPort: port, mqtt: false, dynamodb: false }));
    const [argv, env] = [["--data", tempFolder(), "--config", file], { TABLEKEEP_SMTP_PORT: "0" }];
    const checked = async (flags: readonly string[]) =>
      (await doctor([...argv, ...flags], env)).wrong.map(({ details }) => details);
    const taken = (listener: string) => expect.objectContaining({ listener, port });
    expect(await checked([])).toEqual([taken("imap")]);
    expect(await checked(["--smtp-port", String(port)])).toEqual([taken("smtp"), taken("imap")]);
    expect(await checked(["--imap-port", "0", "--http-port", String(port)])).toEqual([taken("http")]);
    expect(await checked(["--smtp-port", String(port), "--no-smtp"])).toEqual([taken("imap")]);
    other.close();
  });

  test("reports a folder that other users can write to", async () => {
    const path = tempFolder();
    mkdirSync(path);
    chmodSync(path, 0o777);
    const { code, findings } = await doctor(["--data", path]);
    expect(code).toBe(0);
    expect(findings).toContainEqual({
      check: "folder",
      status: "note",
      reason: "folder-shared",
      details: { path },
      message: expect.any(String),
    });
  });

  test("reports a folder of another format", async () => {
    const path = tempFolder();
    await servedOnce(path);
    writeFileSync(join(path, "format.json"), '{"format":"99"}');
    const { code, wrong } = await doctor(["--data", path]);
    expect([code, wrong]).toMatchObject([
      9,
      [{ check: "data", reason: "ENGINE_FORMAT_UNKNOWN", details: { found: "99" } }],
    ]);
  });

  test("reports a folder whose owner cannot be read", async () => {
    const path = tempFolder();
    mkdirSync(join(path, "owner.json"), { recursive: true });
    const { code, wrong, findings } = await doctor(["--data", path, "--smtp-port", "1"]);
    expect(code).toBe(9);
    expect(wrong).toContainEqual(
      expect.objectContaining({ check: "owner", reason: "ENGINE_FOLDER_UNUSABLE", details: { path } }),
    );
    expect(findings.at(-1)).toMatchObject({ check: "port" });
  });

  test("notes an engine that has the folder open without serving it", async () => {
    const path = tempFolder();
    await using _ = await openEngine({ storage: { kind: "folder", path } });
    const { code, findings } = await doctor(["--data", path]);
    expect(code).toBe(0);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "owner", status: "note", reason: "not-served" }),
    );
  });

  test("reports a table with other keys", async () => {
    const path = tempFolder();
    const { name: table } = shadowTableSpec();
    {
      await using engine = await openEngine({ storage: { kind: "folder", path } });
      await engine.createTable({
        TableName: table,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "other", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "other", KeyType: "HASH" }],
      });
    }
    const { code, wrong } = await doctor(["--data", path]);
    expect(code).toBe(9);
    expect(new Set(wrong.map(({ check }) => check))).toEqual(new Set([`table ${table}`]));
    expect(wrong[0]).toMatchObject({
      reason: "table-differs",
      details: { aspect: "key", problem: "different", part: "partition-key", actual: "other (S)" },
    });
  });

  test("reports a journal that lacks an event", async () => {
    const path = tempFolder();
    await servedOnce(path);
    {
      await using engine = await openEngine({ storage: { kind: "folder", path } });
      const writer = await (await openJournal(engine, {})).recover("cart-1");
      for (let at = 0; at < 3; at++) await writer.append({ payload: "x".repeat(300_000) });
      const { Items = [] } = await engine.scan({ TableName: "events" });
      const rows = Items.filter((item) => JSON.stringify(item).length > 200_000);
      expect(rows).toHaveLength(3);
      const { par, num } = rows[1] ?? {};
      await engine.deleteItem({ TableName: "events", Key: { par, num } as never });
    }
    const { code, wrong } = await doctor(["--data", path]);
    expect([code, wrong]).toMatchObject([
      9,
      [
        {
          check: "journal journal",
          reason: "damaged",
          details: { table: "events", persistenceId: "cart-1", kind: "gap" },
        },
      ],
    ]);
  });
});

describe("tablekeep doctor on what stores have", () => {
  const path = tempFolder();
  const rules = join(dirname(path), "rules.json");
  const other = { TABLEKEEP_SHADOW_RULES: rules };
  const syncLines = [
    ["fine.test", ["0 shadows, 0 waiting, 0 rejected"]],
    ["full.test", ["1 shadow, 0 waiting, 1 rejected"]],
    ["down.test", ["1 shadow, 1 waiting, 0 rejected", "last error: no route"]],
  ] as const;

  beforeAll(async () => {
    writeFileSync(rules, '[{"name":"r","on":"update","url":"http://127.0.0.1:1/"}]');
    await servedOnce(path);
    await using engine = await openEngine({ storage: { kind: "folder", path } });
    await (await (await openJournal(engine, {})).recover("cart-1")).append({ payload: 1 });
    await (await openFeed(engine)).catchUp();
    await storeProjection(engine, { name: "stopped", stoppedBy: ["cart-9", "handler failed"] });
    await storeProjection(engine, { name: "parking", parked: [[3, "cart-7", "no such account"]] });
    const clock = systemClock;
    const inboxes = inboxDirectory({ port: engine, table: "mail", ttlDays: 1, clock });
    await inboxes.save({ name: "shop", rules: [], quota: 1 });
    await inboxes.save({ name: "empty", rules: [], quota: 1 });
    const mail = await openMail(engine, { inbox: "shop" });
    await mail.store({ from: "a@b.test", to: ["c@d.test"], helo: "x" }, Buffer.from("Subject: a\r\n\r\nb"));
    await mail.close();
    const manager = openShadowManager(engine);
    await manager.report({ id: "lamp", state: { on: true } });
    const rollouts = openRollouts(engine, manager);
    await rollouts.create({ name: "v2", query: 'thing = "lamp"', desired: { on: false } });
    await rollouts.advance("v2");
    await rollouts.pause("v2");
    const items = new RuleItems({ port: engine, table: shadowTableSpec().name, rule: "r", clock });
    const event = { order: "1", id: "e", thing: "lamp", name: "", version: 1, attempts: 9 };
    await items.park(event, "{}", "connection refused");
    for (const [cloud, lines] of syncLines)
      await engine.putItem({
        TableName: shadowTableSpec().name,
        Item: {
          PK: { S: "STATUS#services" },
          SK: { S: `shadow sync with ${cloud}` },
          At: { N: "1" },
          Lines: { S: JSON.stringify(lines) },
        },
      });
    const rejected = { Problem: { S: "too large" }, Revision: { N: "1" } };
    await engine.putItem({
      TableName: shadowTableSpec().name,
      Item: { PK: { S: "SYNC#full.test" }, SK: { S: "lamp#" }, ...rejected },
    });
  });

  test("reports what is synced, what is not, and a cloud that does not answer", async () => {
    const file = join(dirname(path), "sync.json");
    const cloud = createHttpServer((_request, response) => response.writeHead(403).end());
    const port = await listening(cloud);
    const settings = { endpoint: `http://127.0.0.1:${port}`, shadows: [{ things: "*" }] };
    writeFileSync(file, JSON.stringify(settings));
    const env = { TABLEKEEP_SHADOW_SYNC: file };
    const { findings } = await doctor(["--data", path], env);
    const of = (check: string) => findings.find((each) => each.check === check);
    expect(of("sync endpoint")).toMatchObject({ status: "ok" });
    expect(of(`sync with 127.0.0.1:${port}`)).toMatchObject({ status: "note", reason: "never-synced" });
    expect(of("sync with fine.test")).toMatchObject({
      status: "ok",
      reason: "synced",
      details: { shadows: 0 },
    });
    expect(of("sync with down.test")).toMatchObject({
      status: "wrong",
      reason: "sync-failed",
      details: { error: "no route" },
    });
    expect(of("sync with full.test")).toMatchObject({
      status: "wrong",
      reason: "sync-rejected",
      details: { shadows: 1, rejected: 1, first: { thing: "lamp", problem: "too large" } },
    });
    cloud.close();
    cloud.closeAllConnections();
    const gone = await doctor(["--data", path], env);
    expect(gone.wrong.find(({ check }) => check === "sync endpoint")).toMatchObject({
      reason: "endpoint-silent",
      details: { option: expect.stringContaining("--shadow-sync"), endpoint: settings.endpoint },
    });
  });

  test("reports what stopped, is full or was given up, and what to do", async () => {
    const { code, findings } = await doctor(["--data", path], other);
    const of = (check: string) => findings.find((each) => each.check === check);
    expect(code).toBe(9);
    expect(of("feed journal")).toMatchObject({
      status: "note",
      reason: "not-running",
      details: { events: 1 },
    });
    expect(of("projection stopped")).toMatchObject({
      status: "wrong",
      reason: "stopped",
      details: { persistenceId: "cart-9", sequenceNr: 1, error: "handler failed" },
    });
    expect(of("projection parking")).toMatchObject({
      status: "note",
      reason: "parked",
      details: { parked: 1 },
    });
    expect(of("inbox shop")).toMatchObject({
      status: "wrong",
      reason: "quota-reached",
      details: { inbox: "shop", quota: 1 },
    });
    expect(of("inbox empty")).toBeUndefined();
    expect(of("rollout v2")).toMatchObject({ status: "note", reason: "paused", details: { rollout: "v2" } });
    expect(of("rule r")).toMatchObject({
      status: "wrong",
      reason: "parked",
      details: { rule: "r", parked: 1, error: "connection refused" },
    });
    expect(of("shadows")).toMatchObject({ status: "ok", reason: "counted", details: { shadows: 1 } });
  });

  test("changes nothing", async () => {
    const contents = async () => {
      await using engine = await openEngine({ storage: { kind: "folder", path } });
      const { TableNames = [] } = await engine.listTables({});
      return Promise.all(TableNames.map(async (TableName) => (await engine.scan({ TableName })).Items));
    };
    const before = await contents();
    await doctor(["--data", path], other);
    expect(await contents()).toEqual(before);
  });
});

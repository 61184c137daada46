import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable, httpPort } from "@tablekeep/client";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { anyPorts, fill, filled, serveFailing, serveFor, whole } from "../../../test/serve-on-endpoint.ts";
import { type RunningDynamoDb, startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";
// Imported here, so that no test waits until it is loaded.
import "../../server/start-server.ts";

let dynamodb: RunningDynamoDb;
beforeEach(async () => {
  dynamodb = await startDynamoDb({ port: 0 });
});
afterEach(() => dynamodb.stop());

const tables = ["events", "mail", "device-shadows"];

describe("serve --endpoint", () => {
  test("lists the missing tables in one line, and prints the template that creates them", async () => {
    const { code, stdout, stderr } = await serveFailing(["--endpoint", dynamodb.endpoint]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: tables [^\n]* \[SERVER_TABLES_MISSING\]\n$/);
    for (const table of tables) expect(stderr).toContain(table);
    const { Resources } = JSON.parse(stdout) as {
      Resources: Record<string, { Properties: { TableName: string } }>;
    };
    expect(Object.values(Resources).map(({ Properties }) => Properties.TableName)).toEqual(tables);
    const { stdout: list } = await runMain(["table", "list", "--json", "--endpoint", dynamodb.endpoint]);
    expect(JSON.parse(list)).toEqual({ tables: [] });
  });

  test("creates them with --create-tables; stores the data there, and serves no DynamoDB endpoint", async () => {
    await serveFor(["--endpoint", dynamodb.endpoint, "--create-tables"], async (at) => {
      expect(at.listeners).toEqual(["http", "smtp", "mqtt"]);
      expect(at.storage).toBe(`DynamoDB at ${dynamodb.endpoint}`);
      expect(await (await fetch(`${at.http}about`)).text()).toContain(dynamodb.endpoint);
      await fill(at);
    });
    const { stdout: list } = await runMain(["table", "list", "--json", "--endpoint", dynamodb.endpoint]);
    expect(JSON.parse(list)).toEqual({ tables: tables.toSorted() });
    await serveFor(["--endpoint", dynamodb.endpoint], async (at) => {
      expect(await filled(at)).toEqual(whole);
    });
  });

  test("with --region, credentials come from the standard chain", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID").stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const flags = ["--region", "eu-west-1", "--endpoint", dynamodb.endpoint, "--create-tables"];
    await serveFor(flags, async (at) => {
      expect(at.storage).toBe(`DynamoDB in eu-west-1 at ${dynamodb.endpoint}`);
      expect((await fetch(`${at.http}readyz`)).status).toBe(200);
    });
    vi.unstubAllEnvs();
  });

  test("reports a table with the wrong keys", async () => {
    await using port = httpPort({
      endpoint: dynamodb.endpoint,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    });
    await ensureTable(port, { ...mailTableSpec(), partitionKey: { name: "id", type: "S" } });
    for (const flags of [[], ["--create-tables"]]) {
      const { code, stderr } = await serveFailing(["--endpoint", dynamodb.endpoint, ...flags]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("table mail is not as specified")]);
    }
  });

  test("serves a journal table without time to live, as Akka creates it, and warns once", async () => {
    await using port = httpPort({
      endpoint: dynamodb.endpoint,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    });
    const { ttlAttribute, ...akkaTable } = journalTableSpec();
    await ensureTable(port, akkaTable);
    const start = () => startMain(["serve", ...anyPorts, "--endpoint", dynamodb.endpoint, "--create-tables"]);
    const run = start();
    await expect.poll(run.stdout).toContain("http://");
    run.interrupt();
    const { code, stderr } = await run.result;
    expect(code).toBe(0);
    expect(stderr.match(/^warning: /gm)).toHaveLength(1);
    expect(stderr).toContain(`--table-name ${akkaTable.name}`);
    expect(stderr).toContain(`AttributeName=${ttlAttribute}`);
  });

  test("a stored journal that is not packed needs the table of its snapshots", async () => {
    await using port = httpPort({
      endpoint: dynamodb.endpoint,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    });
    await ensureTable(port, journalTableSpec());
    const journal = await openJournal(port, { layout: "bucketed" });
    await journal.append("cart-1", [{ payload: 1 }]);
    await journal.close();
    for (const spec of [mailTableSpec(), shadowTableSpec()]) await ensureTable(port, spec);
    const { code, stdout, stderr } = await serveFailing(["--endpoint", dynamodb.endpoint]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^error: table snapshots is missing /)]);
    expect(stdout).toContain('"TableName": "snapshots"');
    await serveFor(["--endpoint", dynamodb.endpoint, "--create-tables"], async ({ http }) => {
      expect((await fetch(`${http}readyz`)).status).toBe(200);
      const read = await fetch(`${http}api/v3/journals/journal/ids/cart-1/snapshots`);
      expect(await read.json()).toEqual({ snapshots: [] });
    });
    const { TableNames } = await port.listTables({});
    expect(TableNames?.toSorted()).toEqual([...tables, "snapshots"].toSorted());
  });

  test("rejects a data folder beside an endpoint", async () => {
    const { code, stderr } = await serveFailing(["--endpoint", dynamodb.endpoint, "--data", "x"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("CLI_OPTION_CONFLICT")]);
  });
});

describe("serve --print-template", () => {
  test.each([
    [[], '"AWSTemplateFormatVersion"'],
    [["terraform"], '"aws_dynamodb_table"'],
    [["aws-cli"], "aws dynamodb create-table"],
  ])("%j starts nothing", async (kind, words) => {
    const { code, stdout } = await runMain(["serve", "--print-template", ...kind]);
    expect(code).toBe(0);
    expect(stdout).toContain(words);
    for (const table of tables) expect(stdout).toContain(table);
    // Snapshots are beside the events.
    expect(stdout).not.toContain("snapshots");
  });

  test("has a table of snapshots if it is configured", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tablekeep-template-"));
    const config = join(folder, "tablekeep.json");
    const journals = [
      { name: "a", table: "a-events", snapshotTable: "a-snapshots" },
      { name: "b", table: "b-events", layout: "bucketed" },
      { name: "c", table: "c-events" },
    ];
    await writeFile(config, JSON.stringify({ journals }));
    const { stdout } = await runMain(["serve", "--print-template", "--config", config]);
    await rm(folder, { recursive: true });
    const { Resources } = JSON.parse(stdout) as {
      Resources: Record<string, { Properties: { TableName: string } }>;
    };
    const names = Object.values(Resources).map(({ Properties }) => Properties.TableName);
    expect(names).toEqual([
      ...["a-events", "a-snapshots", "b-events", "snapshots", "c-events"],
      ...["mail", "device-shadows"],
    ]);
  });

  test("rejects an unknown kind", async () => {
    expect(await runMain(["serve", "--print-template", "pulumi"])).toMatchObject({ code: 2 });
  });
});

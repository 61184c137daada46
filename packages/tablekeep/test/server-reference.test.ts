import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { longFlag, variableOf } from "../src/cli/settings/setting.ts";
import { settingEntries } from "../src/cli/settings/settings.ts";
import { startServer } from "../src/server/start-server.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";
import { readMetrics } from "./read-metrics.ts";
import { runMain } from "./run-main.ts";
import { servedRoutes } from "./served-endpoints.ts";
import { rawClient } from "./smtp/smtp-client.ts";
import { tempFolder } from "./temp-folder.ts";

const page = readDocs("docs/reference/server.md");
const anyPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };

describe("docs/reference/server.md", () => {
  test("lists every setting with its flag, its variables and its default", () => {
    const output = settingEntries.map(([key, { flag, type, default: value, mailhog }]) => {
      const without = type === "switch" ? "true" : type === "flag" || type === "choice" ? "false" : "";
      const variables = [variableOf(key), ...(mailhog === undefined ? [] : [mailhog])].join(", ");
      return [key, longFlag(flag), variables, String(value ?? without)];
    });
    const [rows] = [sectionOf(page, "## Configuration").split("### Configuration file")[0] ?? ""].map(
      tableRows,
    );
    expect(rows).toEqual(output);
  });

  test("shows a valid configuration file", async () => {
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(sectionOf(page, "### Configuration file")) ?? [];
    const path = `${tempFolder()}.json`;
    writeFileSync(path, example);
    const { code, stdout, stderr } = await runMain(["config", "--json", "--config", path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { stores } = JSON.parse(stdout) as { stores: Record<string, unknown> };
    const sections = tableRows(sectionOf(page, "### Configuration file")).map(([name]) => name);
    expect(Object.keys(stores)).toEqual(sections);
  });

  test("lists every metric with its type, labels and meaning, and no other", async () => {
    await using server = await startServer({ ...anyPorts, memory: true });
    const url = (name: string) => new URL(server.listeners.find((each) => each.name === name)?.url ?? "");
    const smtp = await rawClient(url("smtp").href);
    await smtp.say("HELO x\r\n");
    await smtp.say("NONSENSE\r\n");
    await fetch(url("dynamodb"), {
      method: "POST",
      headers: { "x-amz-target": "DynamoDB_20120810.ListTables" },
      body: "{}",
    });
    await fetch(new URL("/healthz", url("http")));
    const { families } = await readMetrics(url("http"));
    const listed = tableRows(sectionOf(page, "## Metrics"));
    expect(listed.map(([name]) => name).toSorted()).toEqual([...families.keys()].toSorted());
    for (const [name = "", type, labels = "", help] of listed) {
      const family = families.get(name);
      expect([name, family?.type, family?.help]).toEqual([name, type, help]);
      const documented = labels.split(", ").filter((label) => label !== "");
      for (const used of family?.labels ?? [])
        expect([name, documented]).toEqual([name, expect.arrayContaining([used])]);
    }
  });

  test("lists the root of every route, and no other", async () => {
    const listed = tableRows(sectionOf(page, "## Paths")).map(([path = ""]) => path);
    const routes = await servedRoutes({ memory: true, smtp: false, mqtt: false });
    const isUnder = (path: string, root: string) => path === root || path.startsWith(`${root}/`);
    const roots = routes.map(
      ({ path }) => listed.find((root) => isUnder(path, root)) ?? `not listed: ${path}`,
    );
    expect([...new Set(roots)].toSorted()).toEqual(listed.toSorted());
  });

  test("lists the health checks", async () => {
    await using server = await startServer({ ...anyPorts, memory: true, smtp: false, mqtt: false });
    for (const [path = ""] of tableRows(sectionOf(page, "## Health checks")))
      expect((await fetch(new URL(path, server.listeners[0]?.url))).status).toBe(200);
  });
});

import { fileURLToPath } from "node:url";
import { ensureTable, httpPort } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("journal compact", () => {
  test("merges the items of one id or all, of a folder that is served, beside a writer", async () => {
    const folder = tempFolder();
    await (await openEngine({ storage: { kind: "folder", path: folder } })).close();
    const server = await startDynamoDb({ dataFolder: folder, port: 0 });
    try {
      const credentials = { accessKeyId: "local", secretAccessKey: "local" };
      await using port = httpPort({ endpoint: server.endpoint, credentials });
      await ensureTable(port, journalTableSpec());
      const events = await openJournal(port);
      const writers = [await events.recover("a"), await events.recover("b")];
      for (const writer of writers)
        for (let number = 1; number <= 5; number++) await writer.append({ payload: number });
      const compact = (...argv: string[]) =>
        runMain(["journal", "compact", ...argv, "--data", folder, "--json"]);
      const one = await compact("a");
      expect(one).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(one.stdout)).toEqual({ ids: 1, merged: 4, into: 1, table: "events" });
      expect(await writers[0]?.append({ payload: 6 })).toMatchObject({ kind: "ok" });
      expect(JSON.parse((await compact()).stdout)).toEqual({ ids: 2, merged: 5, into: 2, table: "events" });
      for (const [id, count] of [["a", 6] as const, ["b", 5] as const]) {
        const shown = lines((await runMain(["journal", "get", id, "--data", folder, "--json"])).stdout);
        expect(shown.map(({ payload }) => payload)).toEqual(Array.from({ length: count }, (_, at) => at + 1));
      }
      expect((await runMain(["journal", "verify", "--data", folder])).code).toBe(0);
      expect((await compact("nobody")).stderr).toMatch(/"CLI_NO_EVENTS"/);
    } finally {
      await server.stop();
    }
  });

  test("rejects a journal of another layout, and changes nothing of it", async () => {
    const fixture = fileURLToPath(
      new URL("../../../../journal/test/fixtures/akka-1.3-akka-2.6/journal.json", import.meta.url),
    );
    const folder = tempFolder();
    const journal = (...argv: string[]) => runMain(["journal", ...argv, "--data", folder]);
    await runMain(["table", "import", fixture, "--table", "events", "--data", folder, "--create"]);
    const before = (await journal("stats", "--json")).stdout;
    const rejected = await journal("compact");
    expect(rejected).toMatchObject({ code: 2, stdout: "" });
    expect(rejected.stderr).toMatch(/\[JOURNAL_OPTION_INVALID\]\n$/);
    expect((await journal("stats", "--json")).stdout).toBe(before);
  });
});

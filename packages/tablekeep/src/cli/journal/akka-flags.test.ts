import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { beforeEach, describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { serveFor } from "../../../test/serve-on-endpoint.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const akkaTable = fileURLToPath(
  new URL("../../../../journal/test/fixtures/akka-1.3-akka-2.6/journal.json", import.meta.url),
);
const unreadable = /^[^\n]*\[JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA\]\n$/;

let data = "";
const journal = (...argv: string[]) => runMain(["journal", ...argv, "--data", data]);

/** A folder with a table of Akka 2.6, and one of ours with an event that Akka cannot read. */
beforeEach(async () => {
  data = tempFolder();
  await runMain(["table", "import", akkaTable, "--table", "akka", "--data", data, "--create"]);
  const port = await openEngine({ storage: { kind: "folder", path: data } });
  await ensureTable(port, journalTableSpec({ table: "ours" }));
  const writer = await (await openJournal(port, { table: "ours" })).recover("mixed");
  await writer.appendEach([{ payload: "text" }, { payload: { an: "object" } }]);
  await port.close();
});

describe("into a table that Akka shares", () => {
  test("import writes nothing of an id that Akka could not recover, unless allowed", async () => {
    const file = `${data}.ndjson`;
    expect((await journal("export", "--table", "ours", "--output", file)).code).toBe(0);
    const into = ["import", file, "--table", "akka", "--akka", "2.6"];
    const rejected = await journal(...into);
    expect(rejected.code).not.toBe(0);
    expect(rejected.stderr).toMatch(unreadable);
    expect((await journal("get", "mixed", "--table", "akka")).code).toBe(3);
    expect((await journal(...into, "--allow-unreadable-by-akka")).code).toBe(0);
    expect((await journal("get", "mixed", "--table", "akka")).code).toBe(0);
  });

  test("migrate writes nothing of an id that Akka could not recover, unless allowed", async () => {
    const into = ["migrate", "--table", "ours", "--to-table", "akka", "--to-akka", "2.6"];
    const rejected = await journal(...into);
    expect(rejected.code).not.toBe(0);
    expect(rejected.stderr).toMatch(unreadable);
    expect((await journal("get", "mixed", "--table", "akka")).code).toBe(3);
    expect((await journal(...into, "--allow-unreadable-by-akka")).code).toBe(0);
  });

  test("what Akka wrote is copied into a new shared table", async () => {
    const into = ["migrate", "--table", "akka", "--to-table", "copy", "--to-akka", "2.6", "--create"];
    const copied = await journal(...into);
    expect({ code: copied.code, stderr: copied.stderr }).toEqual({ code: 0, stderr: "" });
    const again = await journal("delete", "p-1", "--to", "1", "--yes", "--table", "copy", "--akka", "none");
    expect(again.stderr).toContain("[JOURNAL_SETTINGS_DIFFER]");
  });
});

test.each([
  ["delete", ["p-1", "--to", "1", "--yes"]],
  ["purge", ["p-1", "--yes"]],
  ["repair", ["p-1", "--apply", "--yes"]],
])("%s takes the Akka that uses the journal", async (verb, argv) => {
  const run = (akka: string) => journal(verb, ...argv, "--table", "akka", "--akka", akka);
  expect((await run("2.6")).code).toBe(0);
  expect((await run("none")).stderr).toContain("[JOURNAL_SETTINGS_DIFFER]");
  expect((await run("2.4")).stderr).toContain("[CLI_VALUE_INVALID]");
});

test("a configured journal rejects what its Akka cannot read, over HTTP and in commands", async () => {
  const config = `${data}.json`;
  writeFileSync(
    config,
    JSON.stringify({
      data,
      dynamodb: false,
      journals: [{ name: "carts", table: "carts", akka: "2.6" }],
    }),
  );
  await serveFor(["--config", config], async ({ http }) => {
    const append = async (payload: unknown) => {
      const body = JSON.stringify({ events: [{ payload }] });
      const answer = await fetch(`${http}api/v3/journals/carts/ids/new/events`, { method: "POST", body });
      return [answer.status, JSON.stringify(await answer.json())] as const;
    };
    const [status, text] = await append({ an: "object" });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(text).toContain("JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA");
    expect((await append("text"))[0]).toBeLessThan(300);
  });
  const migrated = await runMain([
    "journal",
    "migrate",
    "--table",
    "ours",
    "--to-table",
    "carts",
    "--config",
    config,
  ]);
  expect(migrated.stderr).toMatch(unreadable);
});

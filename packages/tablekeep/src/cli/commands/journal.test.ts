import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngine } from "@tablekeep/engine";
import { openJournal } from "@tablekeep/journal";
import { beforeAll, describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";
import { openReadable } from "../journal/event-files.ts";

const data = tempFolder();
const outside = dirname(data);
const fixtures = fileURLToPath(new URL("../../../../journal/test/fixtures/", import.meta.url));

interface Listed {
  readonly persistenceIds: Readonly<
    Record<
      string,
      {
        readonly events?: readonly { seq: number; value?: unknown; payloadKind: string; manifest?: string }[];
      }
    >
  >;
}
const listed = (fixture: string): Listed["persistenceIds"] =>
  (JSON.parse(readFileSync(join(fixtures, fixture, "expected.json"), "utf8")) as Listed).persistenceIds;

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const journal = (...argv: string[]) => runMain(["journal", ...argv, "--data", data]);

beforeAll(async () => {
  for (const [fixture, table] of [
    ["akka-0.3", "old"],
    ["akka-1.1", "victims"],
    ["akka-1.3-akka-2.6", "events"],
  ]) {
    const file = join(fixtures, fixture ?? "", "journal.json");
    const loaded = await runMain([
      "table",
      "import",
      file,
      "--table",
      table ?? "",
      "--data",
      data,
      "--create",
    ]);
    expect(loaded.code).toBe(0);
  }
  const snapshots = join(fixtures, "akka-1.3-akka-2.6", "snapshots.json");
  await runMain(["table", "import", snapshots, "--table", "snapshots", "--data", data]);
});

test("the part of a file that has been read is known, and begins again with each reading", async () => {
  const path = join(outside, "part");
  writeFileSync(path, Buffer.alloc(200_000));
  await using file = await openReadable(path);
  for (let reading = 0; reading < 2; reading++) {
    const parts: (number | undefined)[] = [];
    for await (const _chunk of file.chunks()) parts.push(file.partRead);
    expect(parts[0]).toBeLessThan(1);
    expect(parts.at(-1)).toBe(1);
  }
});

describe("journal get", () => {
  const ids = Object.entries(listed("akka-1.3-akka-2.6")).filter(([id]) => !["p-6"].includes(id));

  test.each(ids)("prints what the original wrote: %s", async (id, { events = [] }) => {
    const { code, stdout } = await journal("get", id, "--json");
    expect(code).toBe(events.length === 0 ? 3 : 0);
    const printed = lines(stdout);
    expect(printed.map(({ sequenceNr }) => sequenceNr)).toEqual(events.map(({ seq }) => seq));
    for (const [at, event] of events.entries()) {
      const line = printed[at] ?? {};
      expect(Object.keys(line)).toEqual([
        "id",
        "persistenceId",
        "sequenceNr",
        "payload",
        "serializerId",
        "manifest",
        "writerUuid",
        "timestamp",
        "tags",
      ]);
      expect(line).toMatchObject({
        persistenceId: id,
        manifest: event.manifest ?? "",
        tags: [],
        timestamp: 0,
      });
      const isShown = ["string", "long", "int", "boolean", "bytes", "bytestring"].includes(event.payloadKind);
      if (isShown && event.value !== undefined) expect(line["payload"]).toEqual(event.value);
    }
  });

  test("accepts bounds, and prints one line per event without --json", async () => {
    const { stdout } = await journal("get", "p-1", "--from", "3", "--limit", "2");
    expect(stdout).toBe(
      `       3  -                         "a-3"\n       4  -                         "a-4"\n`,
    );
    expect((await journal("get", "p-1", "--to", "2", "--json")).stdout.split("\n")).toHaveLength(3);
    expect((await journal("get", "p-1", "--from", "-1")).stdout).toContain('"a-250"');
  });

  test.each([
    ["CLI_VALUE_INVALID", "get", "p-1", "--from", "2", "--to", "1"],
    ["CLI_VALUE_INVALID", "get", "p-1", "--to", "0"],
    ["CLI_OPTION_CONFLICT", "get", "p-1", "--from", "-1", "--to", "5"],
    ["CLI_VALUE_INVALID", "delete", "p-1", "--to", "0", "--yes"],
    ["CLI_OPTION_CONFLICT", "watch", "p-1", "--from", "1", "--last", "3"],
  ])("bounds that no event can be within are invalid: %s %s %s %s %s", async (error, ...argv) => {
    const { code, stdout, stderr } = await journal(...argv, "--json");
    expect([code, stdout, JSON.parse(stderr).error.code]).toEqual([2, "", error]);
  });

  test.each([
    ["get"],
    ["verify"],
    ["stats"],
    ["export"],
    ["delete", "--to", "1", "--yes"],
    ["purge", "--yes"],
  ])("of an unknown id fails in one line: journal %s", async (verb, ...rest) => {
    const { code, stdout, stderr } = await journal(verb, "nobody", ...rest);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^error: [^\n]*\[CLI_NO_EVENTS\]\n$/);
  });

  test("shows payloads of unknown serializers as bytes, and 64-bit numbers as digits", async () => {
    const all = lines((await journal("get", "types", "--json")).stdout);
    expect(all.find(({ serializerId }) => serializerId === 18)?.["payload"]).toMatch(/^-?\d+$/);
    const unknown = all.find(({ serializerId }) => serializerId === 9001)?.["payload"];
    expect(unknown).toMatchObject({ serializerId: 9001, manifest: "v1" });
    expect(Buffer.from((unknown as { bytes: string }).bytes, "base64").toString()).toBe('{"a":1}');
  });

  test("finds the layout by the keys of the table, or reads it from the options", async () => {
    const found = await journal("get", "p-1", "--table", "old", "--json");
    expect(lines(found.stdout)).toHaveLength(250);
    const named = await journal(
      ...["get", "p-1", "--table", "old", "--layout", "scattered", "--sequence-shards", "1000", "--json"],
    );
    expect(named.stdout).toBe(found.stdout);
    const wrong = await journal("get", "p-1", "--table", "old", "--layout", "bucketed");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/^error: old has the key key, .*\[CLI_NO_JOURNAL\]\n$/);
  });

  test("reads another journal of the same table by its name", async () => {
    const { stdout, code } = await journal("get", "p-1", "--journal-name", "other");
    expect({ stdout, code }).toEqual({ stdout: "", code: 3 });
  });

  test("reports an error in one line", async () => {
    const missing = await journal("get", "p-1", "--table", "nothing");
    expect(missing.code).toBe(3);
    expect(missing.stderr).toMatch(/^error: .*\[CLI_TABLE_MISSING\]\n$/);
    const folder = await runMain(["journal", "get", "p-1", "--data", join(outside, "nowhere")]);
    expect(folder.stderr).toMatch(/\[CLI_DATA_FOLDER_MISSING\]\n$/);
    const number = await journal("get", "p-1", "--from", "x");
    expect(number).toMatchObject({ code: 2 });
    expect(number.stderr).toMatch(/\[CLI_VALUE_INVALID\]\n$/);
  });

  test("works through the server that has the folder open, and changes nothing", async () => {
    const server = await startDynamoDb({ dataFolder: data, port: 0 });
    try {
      const through = await journal("get", "p-2", "--json");
      expect(lines(through.stdout)).toHaveLength(192);
      const direct = await runMain(["journal", "get", "p-2", "--endpoint", server.endpoint, "--json"]);
      expect(direct.stdout).toBe(through.stdout);
    } finally {
      await server.stop();
    }
    const counted = await journal("stats", "--json");
    expect(JSON.parse(counted.stdout)).toMatchObject({ writerItems: 0, registered: 0, otherItems: 0 });
  });
});

describe("journal list and stats", () => {
  test("list and count what is there", async () => {
    const { stdout } = await journal("list", "--json");
    const ids = lines(stdout).map(({ persistenceId }) => persistenceId);
    const expected = Object.entries(listed("akka-1.3-akka-2.6")).filter(
      ([, { events = [] }]) => events.length > 0,
    );
    // The original does not see what is left of p-6.
    expect(ids.toSorted()).toEqual(["p-6", ...expected.map(([id]) => id)].toSorted());
    expect((await journal("list", "--source", "registry")).stdout).toBe("");
    const stats = JSON.parse((await journal("stats", "--json")).stdout);
    expect(stats).toMatchObject({ ids: 16, events: 637, byFormat: { event: 637, pay: 0, message: 0 } });
    expect((await journal("stats", "p-1")).stdout).toMatch(/^ids {13}1\nevents {10}250, /);
  });
});

describe("journal verify and repair", () => {
  test("find the id with the lost high mark, and repair it", async () => {
    const found = await journal("verify", "--table", "victims", "--json");
    expect(found.code).toBe(9);
    expect(found.stderr).toMatch(/CLI_JOURNAL_DAMAGED/);
    const marks = lines(found.stdout).filter(({ kind }) => kind === "high-mark-missing");
    expect(marks).toMatchObject([{ persistenceId: "p-98", from: 100, to: 102, severity: "warning" }]);
    const planned = await journal("repair", "p-98", "--table", "victims");
    expect(planned.stdout).toMatch(/^planned +raise-high-mark +p-98: /);
    expect((await journal("verify", "p-98", "--table", "victims")).code).toBe(9);
    const rejected = await journal("repair", "p-98", "--table", "victims", "--apply");
    expect(rejected).toMatchObject({ code: 2, stdout: "" });
    expect(rejected.stderr).toMatch(/--yes.*\[CLI_NOT_CONFIRMED\]\n$/);
    const done = await journal("repair", "p-98", "--table", "victims", "--apply", "--yes", "--json");
    expect(lines(done.stdout).map(({ status }) => status)).toEqual(["done", "done", undefined]);
    const healed = await journal("verify", "p-98", "--table", "victims", "--json");
    expect({ code: healed.code, lines: lines(healed.stdout) }).toEqual({
      code: 0,
      lines: [{ summary: { ids: 1, rows: 102, error: 0, warning: 0, info: 0 } }],
    });
  });
});

describe("journal export, import and migrate", () => {
  const events = async (table: string, id: string) =>
    (await journal("get", id, "--table", table, "--json")).stdout;

  test("an export can be imported again, even after an interruption", async () => {
    const output = join(outside, "events.ndjson");
    const exported = await journal("export", "--output", output, "--json");
    expect(JSON.parse(exported.stdout)).toMatchObject({ output, complete: true });
    const whole = readFileSync(output, "utf8");
    const again = await journal("export", "--output", output);
    expect(again.stderr).toMatch(/\[CLI_OUTPUT_FAILED\]/);
    expect((await journal("export")).stdout).toBe(whole);
    const complete = await journal("export", "--output", output, "--resume", "--json");
    expect(JSON.parse(complete.stdout)).toEqual({ output, lines: 0 });
    writeFileSync(output, whole.slice(0, 40_000));
    expect((await journal("export", "--output", output, "--resume")).code).toBe(0);
    const imported = await journal("import", output, "--table", "linear", "--layout", "linear", "--create");
    expect(imported).toMatchObject({ code: 0, stdout: "Imported 637 events of 16 ids into linear.\n" });
    for (const id of ["p-1", "p-3", "odd-payloads", "a-P-b|c/ü-7"])
      expect(await events("linear", id)).toBe(await events("events", id));
    const second = await journal("import", output, "--table", "linear", "--json");
    expect(JSON.parse(second.stdout)).toMatchObject({ ids: 16, events: 637, written: 0 });
    const broken = join(outside, "broken.ndjson");
    writeFileSync(broken, whole.slice(0, 1000));
    const failed = await journal("import", broken, "--table", "linear");
    expect(failed).toMatchObject({ code: 2 });
    expect(failed.stderr).toMatch(/JOURNAL_EXPORT_INVALID/);
    expect((await journal("import", join(outside, "none"), "--table", "linear")).stderr).toMatch(
      /CLI_FILE_UNREADABLE/,
    );
  });

  test("an import of a missing file fails in one line, and creates no table", async () => {
    const missing = join(outside, "not-there.ndjson");
    const { code, stderr } = await journal("import", missing, "--table", "fresh", "--create");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^.*cannot read .*not-there\.ndjson: .*ENOENT.*\[CLI_FILE_UNREADABLE\]\n$/);
    expect((await runMain(["table", "list", "--data", data])).stdout).not.toContain("fresh");
    const folder = await journal("import", outside, "--table", "fresh", "--create");
    expect(folder.stderr).toMatch(/EISDIR.*\[CLI_FILE_UNREADABLE\]\n$/);
  });

  test("copies a table of plugin 0.3 into one of 1.x, in the same folder or another", async () => {
    const moved = await journal(
      ...[
        "migrate",
        "--table",
        "old",
        "--to-table",
        "moved",
        "--to-layout",
        "bucketed",
        "--create",
        "--json",
      ],
    );
    expect({ ...moved, stdout: JSON.parse(moved.stdout) }).toMatchObject({
      code: 0,
      stdout: { table: "moved", ids: 9 },
    });
    for (const id of ["p-1", "p-2", "p-3", "p-4", "p-5"]) {
      const numbers = async (table: string) =>
        lines(await events(table, id)).map(({ sequenceNr }) => sequenceNr);
      expect(await numbers("moved")).toEqual(await numbers("old"));
    }
    expect((await journal("verify", "--table", "moved")).code).toBe(0);
    const other = join(outside, "other");
    const away = await journal(
      ...["migrate", "p-2", "--to-data", other, "--to-table", "there", "--to-layout", "linear", "--create"],
    );
    expect(away).toMatchObject({ code: 0, stderr: "" });
    const there = await runMain(["journal", "get", "p-2", "--data", other, "--table", "there", "--json"]);
    expect(there.stdout).toBe(await events("events", "p-2"));
    expect(existsSync(other)).toBe(true);
  });
});

describe("commands that delete", () => {
  test("require confirmation: at the terminal, or by --yes", async () => {
    await journal("migrate", "p-1", "--to-table", "doomed", "--to-layout", "bucketed", "--create");
    const unsure = await journal("delete", "p-1", "--to", "10", "--table", "doomed");
    expect(unsure).toMatchObject({ code: 2, stdout: "" });
    expect(unsure.stderr).toMatch(/\[CLI_NOT_CONFIRMED\]\n$/);
    const asked: string[] = [];
    const answering = (answer: boolean) => (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const flags = ["--table", "doomed", "--data", data];
    const no = await startMain(["journal", "delete", "p-1", "--to", "10", ...flags], {}, answering(false))
      .result;
    expect(no.stderr).toMatch(/\[CLI_NOT_CONFIRMED\]/);
    const yes = await startMain(["journal", "delete", "p-1", "--to", "10", ...flags], {}, answering(true))
      .result;
    expect(yes.stdout).toBe("Deleted the events of p-1 up to 10: 11 to 250 are left.\n");
    expect(asked).toEqual(Array(2).fill(expect.stringMatching(/p-1 up to 10\b.*\[y\/N\] $/)));
    const deleted = await journal("delete", "p-1", "--to", "9999", "--yes", "--json", "--table", "doomed");
    expect(JSON.parse(deleted.stdout)).toEqual({ persistenceId: "p-1", lowest: 251, highest: 250 });
    expect((await journal("purge", "p-1", "--table", "doomed")).code).toBe(2);
    const purged = await journal("purge", "p-1", "--yes", "--table", "doomed");
    expect(purged.stdout).toBe("Removed p-1. Its snapshots and command replies are kept.\n");
    const stats = JSON.parse((await journal("stats", "--json", "--table", "doomed")).stdout);
    expect(stats).toMatchObject({ ids: 0, events: 0, tombstones: 0 });
  });
});

test("journal watch prints the last events, then new ones, until Ctrl+C", async () => {
  const folder = join(outside, "tail");
  const engine = await openEngine({ storage: { kind: "folder", path: folder } });
  await engine.close();
  const server = await startDynamoDb({ dataFolder: folder, port: 0 });
  try {
    const { httpPort } = await import("@tablekeep/client");
    const { ensureTable } = await import("@tablekeep/client");
    const { journalTableSpec } = await import("@tablekeep/journal");
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    await using port = httpPort({ endpoint: server.endpoint, credentials });
    await ensureTable(port, journalTableSpec({ table: "events" }));
    const writer = await (await openJournal(port, { table: "events" })).recover("a");
    await writer.appendEach([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
    const argv = ["journal", "watch", "a", "--last", "2", "--table", "events", "--data", folder, "--json"];
    const run = startMain(argv);
    const seen = () => lines(run.stdout()).map(({ sequenceNr }) => sequenceNr);
    await expect.poll(seen).toEqual([2, 3]);
    await writer.append({ payload: 4 });
    await expect.poll(seen).toEqual([2, 3, 4]);
    run.interrupt();
    expect(await run.result).toMatchObject({ code: 0, stderr: "" });
  } finally {
    await server.stop();
  }
});

describe("snapshots", () => {
  const snapshot = (...argv: string[]) => runMain(["snapshot", ...argv, "--data", data]);

  test("are listed, shown and deleted", async () => {
    const listedOnes = lines((await snapshot("list", "p-1", "--json")).stdout);
    expect(listedOnes.map(({ sequenceNr }) => sequenceNr)).toEqual([50, 150]);
    expect((await snapshot("list", "p-1")).stdout).toMatch(/^ {6}50 {2}\d{4}-/);
    const latest = lines((await snapshot("get", "p-1", "--json")).stdout);
    expect(latest).toMatchObject([{ persistenceId: "p-1", sequenceNr: 150, serializerId: 20 }]);
    expect(typeof latest[0]?.["state"]).toBe("string");
    const older = lines((await snapshot("get", "p-1", "--sequence-nr", "50", "--json")).stdout);
    expect(older).toMatchObject([{ sequenceNr: 50, state: { serializerId: 1 } }]);
    expect(await snapshot("get", "nobody")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("[CLI_NO_SNAPSHOT]"),
    });
    expect((await snapshot("delete", "p-1", "--yes")).stderr).toMatch(/\[CLI_OPTION_MISSING\]/);
    expect((await snapshot("delete", "p-1", "--all")).stderr).toMatch(/CLI_NOT_CONFIRMED/);
    expect((await snapshot("delete", "p-1", "--to", "60", "--yes")).stdout).toBe(
      "Deleted snapshots up to 60 of p-1.\n",
    );
    expect(lines((await snapshot("list", "p-1", "--json")).stdout)).toHaveLength(1);
    expect((await snapshot("delete", "p-1", "--sequence-nr", "150", "--yes")).code).toBe(0);
    expect((await snapshot("list", "p-1")).stdout).toBe("");
    expect((await snapshot("delete", "snap-types", "--all", "--yes")).code).toBe(0);
    expect((await snapshot("list", "snap-types")).stdout).toBe("");
  });
});

/**
 * While a folder is served, every verb of the command line works on it, through the server that holds it. Where there is
 * no data, every verb reports the location.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, ensureTable } from "@tablekeep/client";
import { readFolderAccess } from "@tablekeep/engine";
import { openJournal, openSnapshots } from "@tablekeep/journal";
import { shadowHistoryTableSpec } from "@tablekeep/shadow";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram as parserOf } from "../src/cli/build-program.ts";
import { buildProgram } from "./build-program.ts";
import { startMain } from "./run-main.ts";
import { type ServedProcess, startServed } from "./shadow/served-process.ts";
import { storeProjection } from "./stored-projection.ts";
import { tempFolder } from "./temp-folder.ts";

interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** One command line, and its expected output. */
interface Line {
  readonly args: readonly string[];
  readonly prints: RegExp;
  readonly input?: string;
  /** @default 0 */
  readonly code?: number;
  /** For commands that run until Ctrl+C: press it once this was printed. */
  readonly endless?: boolean;
}

const beside = join(tempFolder(), "..");
let urls: Readonly<Record<string, string>> = {};
let mailId = "";

const anyDump = {
  TableDescription: {
    TableName: "any",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  },
  Items: [],
};
const emptyLetter = "Subject: imported\r\n\r\nhello\r\n";

const sent = "From: a@b.test\r\nTo: c@d.test\r\nSubject: by sendmail\r\n\r\nhello\r\n";

/** A line for every verb, in an order in which each finds what it needs. */
const lines: Readonly<Record<string, () => Line>> = {
  config: () => ({ args: [], prints: /data/ }),
  status: () => ({ args: [], prints: /Served by process \d+[\s\S]*http +http:/ }),
  doctor: () => ({
    args: [],
    prints: /ok +owner: process \d+[\s\S]*ok +table events/,
    code: expect.any(Number),
  }),
  serve: () => ({ args: portless, prints: /ENGINE_FOLDER_LOCKED/, code: 4 }),
  dynamodb: () => ({ args: ["--port", "0"], prints: /ENGINE_FOLDER_LOCKED/, code: 4 }),
  compact: () => ({
    args: [],
    prints: /process \d+ on .*: stop that process first \[ENGINE_FOLDER_LOCKED\]/,
    code: 4,
  }),
  "table list": () => ({ args: [], prints: /events/ }),
  "table get": () => ({ args: ["events"], prints: /events/ }),
  "table create": () => ({
    args: ["--table", "fruit", "--partition-key", "id", "--stream", "NEW_IMAGE"],
    prints: /fruit/,
  }),
  "table put": () => ({ args: ["fruit", '{"id":"fig","n":1}'], prints: /Stored \{"id":\{"S":"fig"\}\}/ }),
  "table watch": () => ({ args: ["fruit", "--from", "start"], prints: /insert .*"fig"/, endless: true }),
  "table wait": () => ({ args: ["fruit", '{"id":"fig"}'], prints: /^\{"id":\{"S":"fig"\}/ }),
  "table delete": () => ({ args: ["fruit", '{"id":"fig"}', "--yes"], prints: /Deleted .*"fig"/ }),
  "table export": () => ({
    args: ["events", "--output", join(beside, "dump.json")],
    prints: /Wrote \d+ items/,
  }),
  "table verify": () => ({ args: ["events"], prints: /Read \d+ items of 1 table .*: 0 errors, 0 notes/ }),
  "table import": () => ({ args: [join(beside, "dump.json"), "--table", "loaded"], prints: /loaded/ }),
  "journal list": () => ({ args: [], prints: /cart-1\n(?:.*\n)*cart-2|cart-2\n(?:.*\n)*cart-1/ }),
  "journal get": () => ({ args: ["cart-1"], prints: /apple[\s\S]*pear/ }),
  "journal put": () => ({ args: ["cart-1", '{"added":"plum"}'], prints: /Stored event 3 of cart-1/ }),
  "journal wait": () => ({ args: ["cart-1", "--from", "3"], prints: /plum/ }),
  "journal watch": () => ({ args: ["cart-1"], prints: /pear/, endless: true }),
  "journal stats": () => ({ args: [], prints: /events/i }),
  "journal verify": () => ({ args: [], prints: /2 ids: 0 errors, 0 warnings/ }),
  "journal repair": () => ({ args: [], prints: /Found 0 problems/ }),
  "journal compact": () => ({ args: [], prints: /Merged \d+ items of 2 ids/ }),
  "journal expire": () => ({ args: [], prints: /0 expired events of 2 ids/ }),
  "feed run": () => ({ args: ["--once"], prints: /has 5 events/ }),
  "feed get": () => ({ args: [], prints: /5 in/ }),
  "feed list": () => ({ args: [], prints: /apple[\s\S]*pear/ }),
  "feed watch": () => ({ args: ["--from", "start"], prints: /apple[\s\S]*pear/, endless: true }),
  "feed wait": () => ({ args: ["--from", "start"], prints: /cart-\d 1 .*apple/ }),
  "feed verify": () => ({ args: [], prints: /0 findings/ }),
  "projection list": () => ({ args: [], prints: /stopped .* balances 1/ }),
  "projection get": () => ({ args: ["balances"], prints: /handler failed/ }),
  "projection watch": () => ({ args: ["balances"], prints: /stopped .* balances 1/, endless: true }),
  "projection wait": () => ({ args: ["balances"], prints: /is stopped.*CLI_WAIT_TIMED_OUT/, code: 3 }),
  "projection verify": () => ({
    args: ["balances"],
    prints: /stopped +balances 1, slice 0[\s\S]*CLI_PROJECTIONS_DAMAGED/,
    code: 9,
  }),
  "projection parked": () => ({ args: ["balances"], prints: /0:3 .*no such account/ }),
  "projection retry": () => ({ args: ["balances"], prints: /1 id / }),
  "projection drop": () => ({ args: ["balances", "--all", "--yes"], prints: /Removed 1 parked event/ }),
  "projection skip": () => ({ args: ["balances", "--slice", "0", "--yes"], prints: /Skipped cart-9 1/ }),
  "projection pause": () => ({ args: ["balances"], prints: /Paused balances/ }),
  "projection resume": () => ({ args: ["balances"], prints: /Resumed balances/ }),
  "projection rewind": () => ({
    args: ["balances", "--to", "end", "--yes"],
    prints: /Moved balances to end/,
  }),
  "projection switch": () => ({ args: ["balances", "2", "--force"], prints: /Version 2 of balances/ }),
  "projection delete": () => ({ args: ["balances", "--yes"], prints: /Deleted balances/ }),
  // Last, because the projections follow the feed as it was.
  "feed rebuild": () => ({ args: ["--slices", "16", "--yes"], prints: /rebuilds it/ }),
  "journal export": () => ({
    args: ["--output", join(beside, "events.ndjson")],
    prints: /Exported \d+ lines/,
  }),
  "journal import": () => ({
    args: [join(beside, "events.ndjson"), "--table", "imported", "--create"],
    prints: /Imported 5 events of 2 ids/,
  }),
  "journal migrate": () => ({ args: ["--to-table", "migrated", "--create"], prints: /Copied 5 events/ }),
  "journal delete": () => ({ args: ["cart-1", "--to", "1", "--yes"], prints: /2 to 3 are left/ }),
  "journal purge": () => ({ args: ["cart-2", "--yes"], prints: /Removed cart-2/ }),
  "snapshot list": () => ({ args: ["cart-1"], prints: /1[\s\S]*2/ }),
  "snapshot get": () => ({ args: ["cart-1"], prints: /fruit/ }),
  "snapshot delete": () => ({
    args: ["cart-1", "--all", "--yes"],
    prints: /Deleted all snapshots of cart-1/,
  }),
  "mail put": () => ({ args: ["--to", "c@d.test", "--subject", "by send"], prints: /by send/ }),
  sendmail: () => ({ args: ["--smtp-addr", smtpAddress(), "-t", "-v"], prints: /queued/, input: sent }),
  "mail import": () => ({ args: [join(beside, "one.eml")], prints: /imported/ }),
  "mail list": () => ({ args: [], prints: /by send/ }),
  "mail get": () => ({ args: [mailId], prints: /Subject: +by sendmail/ }),
  "mail wait": () => ({ args: ["--query", "sendmail"], prints: /by sendmail/ }),
  "mail watch": () => ({ args: ["--from", "start"], prints: /by sendmail/, endless: true }),
  "mail export": () => ({ args: ["-o", join(beside, "mails")], prints: /Wrote 3 messages/ }),
  "mail verify": () => ({ args: [], prints: /Read 3 messages: 0 errors/ }),
  "mail lint": () => ({
    args: [mailId, "--ignore", "header-date", "--ignore", "header-message-id", "--ignore", "header-from"],
    prints: /Checked 1 message: 0 errors/,
  }),
  "mail delete": () => ({ args: [mailId, "--yes"], prints: /Deleted 1 message\./ }),
  "shadow put": () => ({ args: ["lamp", '{"desired":{"on":true}}'], prints: /"on": ?true/ }),
  "shadow desire": () => ({ args: ["lamp", '{"color":"red"}'], prints: /red/ }),
  "shadow report": () => ({ args: ["lamp", '{"on":false}'], prints: /"reported":\{"on":false\}/ }),
  "shadow get": () => ({ args: ["lamp"], prints: /delta/ }),
  "shadow list": () => ({ args: [], prints: /lamp/ }),
  "shadow watch": () => ({ args: ["lamp"], prints: /red/, endless: true }),
  "shadow export": () => ({
    args: ["--output", join(beside, "shadows.ndjson")],
    prints: /Exported \d+ lines/,
  }),
  "shadow import": () => ({
    args: [join(beside, "shadows.ndjson")],
    prints: /Imported 0 shadows into device-shadows; \d+ already existed/,
  }),
  "shadow verify": () => ({ args: [], prints: /Read \d+ shadows?: 0 errors, 0 warnings, 0 notes/ }),
  "shadow wait": () => ({ args: ["lamp", "--query", "reported.on = false"], prints: /red/ }),
  "shadow history": () => ({ args: ["lamp"], prints: /"version":3[\s\S]*"version":1/ }),
  "shadow diff": () => ({ args: ["lamp", "1", "2"], prints: /\/desired\/color/ }),
  "shadow group put": () => ({ args: ["kitchen"], prints: /Stored group kitchen/ }),
  "shadow group list": () => ({ args: [], prints: /kitchen {2}static/ }),
  "shadow group add": () => ({ args: ["kitchen", "lamp", "fan"], prints: /Added 2 to group kitchen/ }),
  "shadow group remove": () => ({ args: ["kitchen", "fan"], prints: /Removed 1 from group kitchen/ }),
  "shadow group things": () => ({ args: ["kitchen"], prints: /^lamp\n$/ }),
  "shadow group delete": () => ({ args: ["kitchen", "--yes"], prints: /Deleted group kitchen/ }),
  "shadow rollout create": () => ({
    args: ["dim", 'thing="lamp"', '{"level":1}', "--waves", "1,50%"],
    prints: /Created rollout dim/,
  }),
  "shadow rollout list": () => ({ args: [], prints: /^dim {2}/ }),
  "shadow rollout cancel": () => ({ args: ["dim"], prints: /^dim {2}cancelled/ }),
  "shadow rollout get": () => ({ args: ["dim"], prints: /^dim {2}cancelled/ }),
  "shadow rollout pause": () => ({ args: ["dim"], prints: /SHADOW_ROLLOUT_PHASE/, code: 4 }),
  "shadow rollout resume": () => ({ args: ["dim"], prints: /SHADOW_ROLLOUT_PHASE/, code: 4 }),
  "shadow rollout rollback": () => ({ args: ["dim", "--yes"], prints: /^dim {2}rolling-back/ }),
  "shadow sync": () => ({ args: [], prints: /^No server has synced the shadows of this table/ }),
  "shadow simulate": () => ({
    args: ["--url", urls["mqtt"] ?? "", "--devices", "2", "--seconds", "1", "--interval", "200"],
    prints: /sent +10\n/,
  }),
  "shadow delete": () => ({ args: ["lamp", "--yes"], prints: /Deleted version \d+ of lamp/ }),
  mcp: () => ({ args: ["--port", "0"], prints: /MCP is running/, endless: true }),
  completion: () => ({ args: ["bash"], prints: /complete -o default -F _tablekeep/ }),
  "auth add": () => ({
    args: ["ann", "--cost", "4", "--replace", "--file", join(beside, "users")],
    input: "secret\n",
    prints: /users\. A running server must be restarted/,
  }),
  "auth hash": () => ({ args: ["secret", "--cost", "4"], prints: /^\$2[aby]\$04\$/ }),
  "auth token": () => ({ args: ["ci"], prints: /ci:/ }),
};

const portless = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);
const smtpAddress = () => (urls["smtp"] ?? "").replace("smtp://", "");
/** Those that have no folder. */
const folderless = new Set([
  "completion",
  "sendmail",
  "auth add",
  "auth hash",
  "auth token",
  "shadow simulate",
]);

test("there is a line for every verb", async () => {
  const nowhere = { write() {} };
  const program = await parserOf({
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    signal: new AbortController().signal,
  });
  const leaves = ({ commands }: Command, path: string): string[] => {
    const inner = commands.filter((each) => each.name() !== "help");
    return inner.length === 0
      ? [path]
      : inner.flatMap((each) => leaves(each, `${path} ${each.name()}`.trim()));
  };
  expect(Object.keys(lines).toSorted()).toEqual(leaves(program, "").toSorted());
});

describe.each([{ leftOut: [] }, { leftOut: ["dynamodb"] }] as const)(
  "a server without $leftOut",
  ({ leftOut }) => {
    const folder = tempFolder();
    let served: ServedProcess;

    beforeAll(async () => {
      for (const name of ["dump.json", "events.ndjson", "shadows.ndjson", "mails"])
        rmSync(join(beside, name), { recursive: true, force: true });
      writeFileSync(join(beside, "one.eml"), emptyLetter);
      served = startServed(await buildProgram(), folder, leftOut);
      urls = await served.urls;
      const { endpoint = "", ...credentials } = readFolderAccess(folder) ?? {};
      await using port = connect({ endpoint, region: "local", credentials: credentials as KeyPair });
      for (const id of ["cart-1", "cart-2"]) {
        const writer = await (await openJournal(port, {})).recover(id);
        await writer.appendEach([{ payload: { added: "apple" } }, { payload: { added: "pear" } }]);
      }
      // As a server with --shadow-history creates it: commands add to it then.
      await ensureTable(port, shadowHistoryTableSpec());
      await storeProjection(port, {
        name: "balances",
        versions: [1, 2],
        parked: [[3, "cart-7", "no such account"]],
        stoppedBy: ["cart-9", "handler failed"],
      });
      for (const sequenceNr of [1, 2])
        await (await openSnapshots(port, { journal: {} })).save("cart-1", sequenceNr, { fruit: sequenceNr });
    });
    afterAll(async () => void (await served.stop()));

    test.each(Object.keys(lines))("tablekeep %s", async (verb) => {
      if (verb === "mail get") mailId = await newestMail();
      const {
        args,
        prints,
        input,
        code = 0,
        endless = false,
      } = lines[verb]?.() ?? { args: [], prints: /^$/ };
      const where = folderless.has(verb) ? [] : ["--data", folder];
      const run = startMain([...verb.split(" "), ...args, ...where], {}, undefined, input);
      if (endless) {
        await expect.poll(() => run.stdout()).toMatch(prints);
        run.interrupt();
      }
      const { code: ended, stdout, stderr } = await run.result;
      expect([ended, stdout + stderr]).toEqual([
        endless ? expect.any(Number) : code,
        expect.stringMatching(prints),
      ]);
    });
  },
);

/** Those that make a new store, and those that only show where it is. */
const startsAnew = new Set(["config", "status", "doctor", "serve", "dynamodb"]);
const verbsOnData = Object.keys(lines).filter((verb) => !folderless.has(verb) && !startsAnew.has(verb));

describe("without data", () => {
  const missing = tempFolder();
  const empty = tempFolder();
  mkdirSync(empty);
  const file = join(empty, "..", "tablekeep.json");
  writeFileSync(file, JSON.stringify({ data: "from-file" }));
  writeFileSync(join(beside, "one.eml"), emptyLetter);
  writeFileSync(join(beside, "dump.json"), JSON.stringify(anyDump));
  writeFileSync(join(beside, "events.ndjson"), "");
  writeFileSync(join(beside, "shadows.ndjson"), "");

  /** The setting that locates the data, and the location. */
  const places: readonly (readonly [string, readonly string[], Record<string, string>, string])[] = [
    ["a folder that does not exist", ["--data", missing], {}, missing],
    ["an empty folder", ["--data", empty], {}, empty],
    ["TABLEKEEP_DATA", [], { TABLEKEEP_DATA: missing }, missing],
    ["--config", ["--config", file], {}, join(file, "..", "from-file")],
    ["TABLEKEEP_CONFIG", [], { TABLEKEEP_CONFIG: file }, join(file, "..", "from-file")],
  ];

  describe.each(places)("%s", (_name, where, env, path) => {
    test.each(verbsOnData)("tablekeep %s fails in one line, and creates nothing", async (verb) => {
      const { args, input } = lines[verb]?.() ?? { args: [] };
      const given = args.filter((word) => word !== "--create");
      const line = [...verb.split(" "), ...given, ...where];
      const { code, stdout, stderr } = await startMain(line, env, undefined, input).result;
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(/^error: [^\n]*\[CLI_DATA_FOLDER_MISSING\]\n$/);
      expect(stderr).toContain(path);
      expect(
        existsSync(missing) || readdirSync(empty).length > 0 || existsSync(join(file, "..", "from-file")),
      ).toBe(false);
    });
  });
});

async function newestMail(): Promise<string> {
  const answer = await fetch(new URL("/api/v2/messages?limit=1", urls["http"]));
  return ((await answer.json()) as { items: { ID: string }[] }).items[0]?.ID ?? "";
}

/** Items of a journal that do not show which writes they have: at the command line and over HTTP. */
import { httpPort } from "@tablekeep/client";
import { openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../src/server/start-server.ts";
import { hideEvents } from "./damage-event.ts";
import { runMain } from "./run-main.ts";
import { tempFolder } from "./temp-folder.ts";

type Row = Record<string, unknown>;

const folder = tempFolder();
const here = ["--data", folder];
const anyPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };
let server: RunningServer;
let port: ReturnType<typeof httpPort>;
let restore: () => Promise<void>;

const urlOf = (listener: string) => server.listeners.find(({ name }) => name === listener)?.url ?? "";
const rows = (text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const get = async (path: string) =>
  (await (await fetch(new URL(`/api/v3/journals/journal/feed${path}`, urlOf("http")))).json()) as Row;

beforeAll(async () => {
  server = await startServer({ dataFolder: folder, ...anyPorts, mail: false, shadows: false, feed: false });
  port = httpPort({
    endpoint: urlOf("dynamodb"),
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
  });
  const journal = await openJournal(port);
  for (const id of ["cart|1", "cart|2"])
    for (const payload of ["one", "two", "three"])
      expect(await journal.append(id, { payload })).toMatchObject({ kind: "ok" });
  restore = await hideEvents(port, "cart|1", 2);
});
afterAll(async () => {
  await port.close();
  await server.stop();
});

const unreadable = {
  count: 1,
  items: [{ persistenceId: "cart|1", sequenceNr: 2, code: "JOURNAL_ITEM_CORRUPT" }],
};
const advice = /1 item of the journal.*event 2 of cart\|1 \(JOURNAL_ITEM_CORRUPT\).*feed run --once --sweep/;

test("an item that cannot be read is named everywhere, and repaired", async () => {
  const run = await runMain(["feed", "run", "--once", ...here, "--json"]);
  expect([run.code, ...rows(run.stdout)]).toMatchObject([9, { event: "done", events: 5, unreadable }]);
  expect(run.stderr).toContain("CLI_ITEMS_UNREADABLE");
  expect((await runMain(["feed", "run", "--once", ...here])).stderr).toMatch(advice);
  expect((await runMain(["feed", "get", ...here])).stdout).toMatch(advice);
  const listed = await runMain(["feed", "list", ...here, "--json"]);
  expect([listed.code, rows(listed.stdout).length]).toEqual([0, 5]);

  const verified = await runMain(["feed", "verify", ...here, "--json"]);
  const finding = { kind: "unreadable", persistenceId: "cart|1", first: 2, last: 2 };
  expect([verified.code, ...rows(verified.stdout)]).toMatchObject([
    9,
    { ...finding, error: { code: "JOURNAL_ITEM_CORRUPT" } },
    { summary: { ids: 2, unreadable: 1 } },
  ]);
  expect(verified.stderr).toContain("CLI_FEED_DAMAGED");
  const text = await runMain(["feed", "verify", ...here]);
  expect(text.stdout).toMatch(/^unreadable {2}cart\|1: 2 \[JOURNAL_ITEM_CORRUPT\] /m);
  expect(text.stderr).toMatch(/journal verify.*feed run --once --sweep/);

  expect(await get("")).toMatchObject({ events: 5, unreadable });
  expect(await get("/verification")).toMatchObject({ unreadable: 1, found: 1, findings: [finding] });

  await restore();
  // The item can be read, and the feed still lacks its event.
  const doctor = rows((await runMain(["doctor", ...here, "--json"])).stdout);
  const found = doctor.find(({ check }) => check === "feed journal");
  expect(found).toMatchObject({ status: "wrong", reason: "unreadable", details: unreadable });
  const again = await runMain(["feed", "run", "--once", "--sweep", ...here, "--json"]);
  expect([again.code, ...rows(again.stdout)]).toMatchObject([0, { events: 6 }]);
  expect((await runMain(["feed", "verify", ...here])).code).toBe(0);
  expect(await get("")).not.toHaveProperty("unreadable");
});

import { writeFileSync } from "node:fs";
import { ensureTable, scanItems } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { journalTableSpec, type NewEvent, openJournal, openSnapshots } from "@tablekeep/journal";
import { exportEvents } from "@tablekeep/journal/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hideEvents } from "../damage-event.ts";
import { tempFolder } from "../temp-folder.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort, runProgram } from "./other-process.ts";
import { documentedKeys, ownKeys } from "./own-keys.ts";

const file = tempFolder();
let open: OpenConsole;

beforeAll(async () => {
  if (skipsBrowser) return;
  const second = {
    name: "second",
    journal: { table: "second", layout: "linear" },
    snapshotTable: "second-s",
  } as const;
  const journals = [{ name: "journal" }, second];
  open = await openConsole({ journals, mail: false, smtp: false, shadows: false, mqtt: false });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const rows = () => open.page.getByRole("list").getByRole("listitem");
const rowWith = (text: string) => rows().filter({ hasText: text });
const detail = () => open.page.getByRole("article");

/** The lines of what is shown under a name; words for screen readers are left out. */
async function textOf(name: string): Promise<string[]> {
  const text = await detail().getByRole("region", { name }).textContent();
  return (text ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^(.)(removed|added): /, "$1"));
}

async function append(id: string, ...events: NewEvent[]): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  const writer = await (await openJournal(port)).recover(id);
  await writer.appendEach(events);
}

/** Appends events by one transaction. */
async function appendTogether(id: string, events: readonly NewEvent[]): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  await (await (await openJournal(port)).recover(id)).append(events);
}

/** What `journal export` writes of an id with these events. */
async function writeExport(id: string, ...events: NewEvent[]): Promise<void> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec());
  await (await (await openJournal(engine)).recover(id)).appendEach(events);
  const lines: string[] = [];
  for await (const line of exportEvents(engine)) lines.push(line);
  await engine.close();
  writeFileSync(file, lines.join(""));
}

describe.skipIf(skipsBrowser)("the journal", { timeout: browserTestMs }, () => {
  test("shows first steps, detects that they were done, and lists ids by prefix", async () => {
    await open.goTo("#/journal");
    await open.page.getByText("No events yet").waitFor();
    await open.page.getByText("npx tablekeep journal import events.ndjson").waitFor();
    for (const id of ["cart/1", "cart/2", "other"]) await append(id, { payload: { id } });
    await rowWith("other").waitFor();
    await open.page.getByRole("searchbox", { name: "Filter ids by prefix" }).fill("cart/");
    await rowWith("other").waitFor({ state: "detached" });
    await expect.poll(() => rows().count()).toBe(2);
    await open.page.getByRole("button", { name: "Count events" }).click();
    await open.page.getByText("Largest event").waitFor();
  });

  test("shows events that another process appends, without a reload", async () => {
    await writeExport("tail", { payload: { said: "first" } }, { payload: { said: "second" } });
    await open.goTo("#/journal/journal/tail");
    await open.page.getByText("No events", { exact: true }).waitFor();
    expect(await runProgram(open.urlOf("dynamodb"), "journal", "import", file)).toBe(0);
    await rowWith("second").waitFor();
    expect(await rows().allTextContents()).toEqual([
      expect.stringContaining('{"said":"second"}'),
      expect.stringContaining('{"said":"first"}'),
    ]);
    await open.page.getByRole("checkbox", { name: "Live" }).uncheck();
    await append("tail", { payload: { said: "third" } });
    await open.page.getByRole("checkbox", { name: "Live" }).check();
    await rowWith("third").waitFor();
  });

  test("shows payloads, bytes in hex, and what differs from the event before", async () => {
    await append(
      "views",
      { payload: { items: ["apple"], total: 1, note: "same" }, manifest: "added", tags: ["shop"] },
      { payload: { items: ["apple", "pear"], total: 2, note: "same" } },
      { payload: new TextEncoder().encode("Hello") },
    );
    await open.goTo("#/journal/journal/views");
    await rowWith("pear").getByRole("link").click();
    await detail().getByRole("heading", { name: "Event 2" }).waitFor();
    expect(await textOf("Payload")).toContain('  "total": 2,');
    await open.page.keyboard.press("d");
    const differences = await textOf("Differences");
    expect(differences).toEqual([
      " {",
      '   "items": [',
      '     "apple",',
      '+    "pear",',
      "   ],",
      '-  "total": 1,',
      '+  "total": 2,',
      '   "note": "same",',
      " }",
    ]);
    await open.page.keyboard.press("k");
    await detail().getByRole("heading", { name: "Event 3" }).waitFor();
    await detail().getByRole("tab", { name: "Payload" }).click();
    await detail().getByText("48 65 6c 6c 6f").waitFor();
    await open.page.keyboard.press("j");
    await open.page.keyboard.press("j");
    await detail().getByText("added").waitFor();
    await open.page.keyboard.press("Escape");
    await detail().waitFor({ state: "detached" });
    await open.page.keyboard.press("u");
    await rowWith("cart/1").waitFor();
  });

  test("shows snapshots, and what differs from the one before", async () => {
    await append("snaps", { payload: 1 }, { payload: 2 });
    await using port = otherPort(open.urlOf("dynamodb"));
    await using snapshots = await openSnapshots(port, { journal: {} });
    await snapshots.save("snaps", 1, { total: 1, kept: true });
    await snapshots.save("snaps", 2, { total: 2, kept: true });
    await open.goTo("#/journal/journal/snaps");
    await open.page.getByRole("tab", { name: "Snapshots" }).click();
    await rows().first().getByRole("link").click();
    await detail().getByRole("heading", { name: "Snapshot at 2" }).waitFor();
    await detail().getByRole("tab", { name: "Differences from 1" }).click();
    await detail().getByText('"total": 1,').waitFor();
    expect(await textOf("Differences")).toContain('+  "total": 2,');
  });

  test("reads any place of a long id, with few rows in the page", async () => {
    const events = Array.from({ length: 600 }, (_, at) => ({ payload: { at: at + 1 } }));
    for (let from = 0; from < 600; from += 60) await appendTogether("long", events.slice(from, from + 60));
    await open.goTo("#/journal/journal/long");
    await rowWith('{"at":600}').waitFor();
    await open.page.keyboard.press("j");
    await open.page.keyboard.press("End");
    await rowWith('{"at":1}').waitFor();
    expect(await rows().count()).toBeLessThanOrEqual(200);
    await open.page.keyboard.press("Home");
    await rowWith('{"at":600}').waitFor();
  });

  test("shows what another journal has", async () => {
    const url = new URL("/api/v3/journals/second/ids/elsewhere/events", open.urlOf("http"));
    await fetch(url, { method: "POST", body: '{"events":[{"payload":"from elsewhere"}]}' });
    await open.goTo("#/journal");
    await rowWith("cart/1").waitFor();
    await open.page.getByRole("combobox", { name: "Journal" }).selectOption("second");
    await open.page.getByText("linear").waitFor();
    await rowWith("elsewhere").getByRole("link").click();
    await rowWith("from elsewhere").waitFor();
  });

  test("verifies a journal, shows what a repair would change, and repairs what is chosen", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    let entry: Item = {};
    for await (const item of scanItems(port, { TableName: "events" }))
      if (item["persistence_id"]?.S === "snaps") entry = item;
    const { par, num } = entry;
    const Key = { par: par ?? { S: "" }, num: num ?? { N: "0" } };
    await port.deleteItem({ TableName: "events", Key });
    await open.goTo("#/journal/journal");
    const verify = open.page.getByRole("button", { name: "Verify" });
    await verify.click();
    const finding = open.page.getByRole("list", { name: "Findings" }).getByRole("listitem");
    await finding.filter({ hasText: "snaps" }).filter({ hasText: "Repair: register" }).waitFor();
    await open.page.getByRole("button", { name: "Repair 1…" }).click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Repair" }).click();
    await open.page.getByText("Repaired 1 of 1").waitFor();
    await open.page.getByText(/^Read .*: no findings\.$/).waitFor();
    expect((await port.getItem({ TableName: "events", Key })).Item).toEqual(entry);
  });

  test("names items that its feed could not read, and what to do", async () => {
    for (const id of ["hidden", "shown"]) await append(id, { payload: { id } });
    await using port = otherPort(open.urlOf("dynamodb"));
    const restore = await hideEvents(port, "hidden", 1);
    const sweep = async () => {
      const feed = await openFeed(port);
      await feed.create();
      await feed.requestSweep();
      await feed.catchUp();
    };
    await sweep();
    await open.goTo("#/journal/journal");
    const missing = open.page.getByRole("region", { name: "Not readable" });
    await missing.getByText("1 item of the journal could not be read").waitFor();
    await missing.getByText("npx tablekeep feed run --once --sweep").waitFor();
    const item = missing.getByRole("listitem").filter({ hasText: "JOURNAL_ITEM_CORRUPT" });
    expect(await item.getByRole("link").getAttribute("href")).toBe("#/journal/journal/hidden");
    await restore();
    await sweep();
    await missing.waitFor({ state: "detached" });
  });

  test("has the keys that are documented", async () => {
    expect(
      await ownKeys(open, [
        "#/journal",
        "#/journal/journal/views/events/2",
        "#/journal/journal/snaps/snapshots/2",
      ]),
    ).toEqual(documentedKeys("Journal"));
  });

  test("shows a journal that another program has just written into the folder", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const found = { table: "found", layout: "linear" } as const;
    await ensureTable(port, journalTableSpec(found));
    await (await (await openJournal(port, found)).recover("order-1")).append({ payload: { apples: 3 } });
    await open.goTo("#/journal/journal");
    await open.page.getByRole("button", { name: "Refresh" }).click();
    await open.page.getByLabel("Journal", { exact: true }).selectOption("found");
    await detail().getByText("Discovered in the folder").waitFor();
    await rowWith("order-1").getByRole("link").click();
    await rowWith("apples").getByRole("link").click();
    expect((await textOf("Payload")).join("")).toContain('"apples": 3');
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

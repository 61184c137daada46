/** Undo of imports, statements, settings and deletions on the page, while another client writes to the same tables. */
import { type Engine, openEngine } from "@tablekeep/engine";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const off = { mail: false, smtp: false, mqtt: false, shadows: false, journals: [], dynamodb: false } as const;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const confirm = (page: Page, name: string) => button(page, name).and(page.locator("dialog button"));
const question = (page: Page) => page.locator("dialog p");

async function post(home: string, path: string, body: unknown): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(new URL(`/api/v3/${path}`, home), { method: "POST", body: text });
  expect(answer.ok).toBe(true);
  return answer;
}
const line = (id: string, by: string) => `${JSON.stringify({ Item: { id: { S: id }, by: { S: by } } })}\n`;
async function storedIn(home: string, table: string): Promise<string[]> {
  const text = await (await fetch(new URL(`/api/v3/tables/${table}/export`, home))).text();
  return text
    .split("\n")
    .filter((each) => each !== "")
    .map((each) => {
      const { Item } = JSON.parse(each) as { Item: Record<"id" | "by", { S: string }> };
      return `${Item.id.S} ${Item.by.S}`;
    })
    .toSorted();
}
const chooseFile = (page: Page, text: string) =>
  page
    .getByLabel("File with items")
    .setInputFiles({ name: "items.jsonl", mimeType: "application/x-ndjson", buffer: Buffer.from(text) });

describe.skipIf(skipsBrowser)("undo on the page", { timeout: browserTestMs }, () => {
  let open: OpenConsole;
  let home: string;
  beforeAll(async () => {
    if (skipsBrowser) return;
    open = await openConsole(off);
    home = open.urlOf("http");
  }, browserTestMs);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
  });
  const makeTable = async (name: string, text = "") => {
    await post(home, "tables", { name, partitionKey: { name: "id" } });
    if (text !== "") await post(home, `tables/${name}/import`, text);
  };

  test("undoes an import, and keeps and reports what someone else changed since", async () => {
    const { page } = open;
    await makeTable("fruit", line("a", "before") + line("b", "before"));
    await open.goTo("#/tables/fruit/about");
    await chooseFile(page, line("a", "import") + line("b", "import") + line("c", "import"));
    await page.getByText("3 items were stored").waitFor();
    await post(home, "tables/fruit/import", line("b", "other") + line("d", "other"));
    await button(page, "Undo import of items.jsonl").click();
    await page.getByText("Undone, except for 1 item").waitFor();
    expect(await storedIn(home, "fruit")).toEqual(["a before", "b other", "d other"]);
    expect(await button(page, /^Undo/).count()).toBe(0);
  });

  test("undoes a statement that writes, from any view of the table", async () => {
    const { page } = open;
    await makeTable("words", line("a", "before"));
    await open.goTo("#/tables/words/partiql");
    await page.getByLabel("Statement").fill(`UPDATE "words" SET "by" = 'statement' WHERE id = 'a'`);
    await button(page, "Run").click();
    expect(await question(page).textContent()).toContain("You can undo that");
    await confirm(page, "Run").click();
    await page.getByText("The statement returned no items.").waitFor();
    await page.getByRole("link", { name: "Items", exact: true }).click();
    await page.getByRole("gridcell", { name: "statement" }).waitFor();
    await button(page, "Undo statement").click();
    await page.getByRole("gridcell", { name: "before" }).waitFor();
  });

  test("restores a deleted table, and leaves one with its name as it is", async () => {
    const { page } = open;
    await makeTable("gone", line("a", "before"));
    await open.goTo("#/tables/gone/about");
    await button(page, "Delete the table").click();
    expect(await question(page).textContent()).toContain("You can undo this until the server stops");
    await confirm(page, "Delete").click();
    await makeTable("gone", line("a", "other"));
    await button(page, "Undo deletion of gone").click();
    await page.getByText("a table gone has been created since").waitFor();
    expect(await storedIn(home, "gone")).toEqual(["a other"]);
    await fetch(new URL("/api/v3/tables/gone", home), { method: "DELETE" });
    await button(page, "Undo deletion of gone").click();
    await button(page, "Undo deletion of gone").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "gone" }).waitFor();
    expect(await storedIn(home, "gone")).toEqual(["a before"]);
  });

  test("undoes the deletion of an index, the stream and the time to live", async () => {
    const { page } = open;
    await makeTable("settings");
    const createIndex = { name: "by-color", partitionKey: { name: "color" } };
    const body = JSON.stringify({ createIndex });
    await fetch(new URL("/api/v3/tables/settings", home), { method: "PATCH", body });
    await open.goTo("#/tables/settings/about");
    await button(page, "Delete the index by-color").click();
    expect(await question(page).textContent()).toContain("You can undo this");
    await confirm(page, "Delete").click();
    await button(page, "Undo deletion of the index by-color").click();
    await button(page, "Delete the index by-color").waitFor();
    await page.getByLabel("Stream", { exact: true }).selectOption("new images");
    await button(page, "Disable the stream").waitFor();
    await button(page, "Undo stream").click();
    await page.getByLabel("Stream", { exact: true }).waitFor();
    await page.getByLabel("Attribute of the time to live").fill("until");
    await button(page, "Enable").click();
    await button(page, "Disable the time to live").waitFor();
    await button(page, "Undo time to live").click();
    await page.getByLabel("Attribute of the time to live").waitFor();
    expect(open.violations).toEqual([]);
  });
});

describe.skipIf(skipsBrowser)("on another DynamoDB", { timeout: browserTestMs }, () => {
  let engine: Engine;
  let open: OpenConsole;
  beforeAll(async () => {
    if (skipsBrowser) return;
    engine = await openEngine({ storage: { kind: "memory" } });
    open = await openConsole({ ...off, memory: false, port: engine });
    await post(open.urlOf("http"), "tables", { name: "far", partitionKey: { name: "id" } });
  }, browserTestMs);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
    await engine?.close();
  });

  test("says before each action that it cannot be undone", async () => {
    const { page } = open;
    await open.goTo("#/tables/far/about");
    await page.getByText("Nothing done on this page can be undone").waitFor();
    await chooseFile(page, line("a", "import"));
    expect(await question(page).textContent()).toContain("This cannot be undone");
    await confirm(page, "Cancel").click();
    expect(await storedIn(open.urlOf("http"), "far")).toEqual([]);
    await chooseFile(page, line("a", "import"));
    await confirm(page, "Import").click();
    await page.getByText("1 item was stored").waitFor();
    await button(page, "Delete the table").click();
    expect(await question(page).textContent()).toContain("This cannot be undone");
    await confirm(page, "Cancel").click();
    await open.goTo("#/tables/far/partiql");
    await page.getByLabel("Statement").fill("DELETE FROM far WHERE id = 'a'");
    await button(page, "Run").click();
    expect(await question(page).textContent()).toContain("cannot be undone");
    await confirm(page, "Run").click();
    await page.getByText("The statement returned no items.").waitFor();
    expect(await button(page, /^Undo/).count()).toBe(0);
  });
});

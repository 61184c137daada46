/** Changes that are too large for the server to keep: the page asks before it makes them for good. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tempFolder } from "../temp-folder.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const off = { mail: false, smtp: false, mqtt: false, shadows: false, journals: [], dynamodb: false } as const;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const confirm = (page: Page, name: string) => button(page, name).and(page.locator("dialog button"));
const heading = (page: Page) => page.locator("dialog h2").textContent();
const question = (page: Page) => page.locator("dialog p").textContent();

/** 380 KB: 90 of them are more than the 32 MB that the server keeps, and so are 70 that replace as many. */
const content = "x".repeat(380_000);
const lines = (count: number, by: string) =>
  Array.from(
    { length: count },
    (_, at) =>
      `${JSON.stringify({ Item: { id: { S: `${at}` }, by: { S: by }, content: { S: content } } })}\n`,
  );
const [stored, imported] = [90, 70];

describe.skipIf(skipsBrowser)("changes of more than 32 MB", { timeout: browserTestMs }, () => {
  let open: OpenConsole;
  let home: string;
  const folder = dirname(tempFolder());
  const file = join(folder, "items.jsonl");
  const api = (path: string, init?: RequestInit) => fetch(new URL(`/api/v3/tables${path}`, home), init);
  /** How many items of the table each writer wrote. */
  const writers = async () => {
    const text = await (await api("/large/export")).text();
    const all = [...text.matchAll(/"by":\{"S":"(\w+)"\}/g)].map(([, by]) => by);
    return Object.fromEntries([...new Set(all)].map((by) => [by, all.filter((each) => each === by).length]));
  };
  const choose = (path: string) => open.page.getByLabel("File with items").setInputFiles(path);

  beforeAll(async () => {
    if (skipsBrowser) return;
    open = await openConsole(off);
    home = open.urlOf("http");
    const body = JSON.stringify({ name: "large", partitionKey: { name: "id" } });
    expect((await api("", { method: "POST", body })).ok).toBe(true);
    const all = lines(stored, "before");
    for (let at = 0; at < stored; at += 30) {
      const part = all.slice(at, at + 30).join("");
      expect((await api("/large/import", { method: "POST", body: part })).ok).toBe(true);
    }
    writeFileSync(file, lines(imported, "import").join(""));
    await open.goTo("#/tables/large/about");
  }, browserTestMs);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
  });

  test("a longer file is imported only after a confirmation", async () => {
    const { page } = open;
    const longer = join(folder, "longer.jsonl");
    writeFileSync(longer, lines(stored, "longer").join(""));
    await choose(longer);
    expect(await heading(page)).toBe("Import longer.jsonl?");
    expect(await question(page)).toContain("This cannot be undone: the file has more than 32 MB");
    await confirm(page, "Cancel").click();
    expect(await writers()).toEqual({ before: stored });
  });

  test("an import that replaces too much stops, and what it has stored is undone", async () => {
    const { page } = open;
    await choose(file);
    await page.getByRole("heading", { name: "Import all of items.jsonl?" }).waitFor();
    expect(await question(page)).toContain("none of this import can be undone");
    await confirm(page, "Cancel").click();
    const told = await page.getByText(/^Stopped\. At least \d+ items were stored/).textContent();
    const { import: replaced = 0 } = await writers();
    expect(Number(/\d+/.exec(told ?? "")?.[0])).toBeLessThanOrEqual(replaced);
    expect(replaced).toBeLessThan(imported);
    await button(page, "Undo import of items.jsonl").click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect(await writers()).toEqual({ before: stored });
  });

  test("such an import continues after a confirmation, and cannot be undone", async () => {
    const { page } = open;
    await choose(file);
    await confirm(page, "Continue").click();
    await page.getByText(`${imported} items were stored`).waitFor();
    expect(await writers()).toEqual({ before: stored - imported, import: imported });
    expect(await button(page, /^Undo/).count()).toBe(0);
  });

  test("a table is deleted only after a second confirmation", async () => {
    const { page } = open;
    const remove = async () => {
      await button(page, "Delete the table").click();
      expect(await question(page)).toContain("You can undo this until the server stops");
      await confirm(page, "Delete").click();
      await page.getByText("the table is too large for the server to keep").waitFor();
    };
    await remove();
    await confirm(page, "Cancel").click();
    expect((await api("/large")).status).toBe(200);
    await remove();
    await confirm(page, "Delete").click();
    await page.getByText("Deleted large").waitFor();
    expect((await api("/large")).status).toBe(404);
    expect(await button(page, /^Undo/).count()).toBe(0);
    expect(open.violations).toEqual([]);
  });
});

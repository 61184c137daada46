/** The list of mail while other clients send and delete. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain } from "../run-main.ts";
import { tempFolder } from "../temp-folder.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const timeout = 2 * browserTestMs;
const api = (open: OpenConsole, path: string) => new URL(`/api/v3/mail/${path}`, open.urlOf("http"));
const inject = async (open: OpenConsole, subject: string, text = "x"): Promise<string> => {
  const body = `Subject: ${subject}\r\n\r\n${text}\r\n`;
  const answer = await fetch(api(open, "messages?to=b@example.com"), { method: "POST", body });
  return ((await answer.json()) as { id: string }).id;
};
const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
const rowsIn = (page: Page) => page.locator("#app li .message-subject").allTextContents();
const scrollTo = (page: Page, rows: number) =>
  page.evaluate(`document.querySelector(".list").scrollTop = ${rows * 82}`);
const live = (page: Page) => page.getByRole("status").getByText("Live").waitFor();

describe.skipIf(skipsBrowser)("messages that others delete", { timeout }, () => {
  let open: OpenConsole;
  beforeAll(async () => {
    if (!skipsBrowser) open = await openConsole({ mail: { store: { maxMessages: 40 } }, mqtt: false });
  }, timeout);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
  });

  test("leave the list and the open message: by another tab, both APIs, and retention", async () => {
    const other = await open.openPage();
    for (const page of [open.page, other]) {
      await page.goto(new URL("#/mail", open.urlOf("http")).href);
      await live(page);
    }
    for (const subject of ["first", "second", "third", "fourth"]) await inject(open, subject);
    await rowOf(open.page, "third").getByRole("link").click();
    await open.page.getByLabel("Choose second").check();
    await rowOf(other, "third").getByRole("link").click();
    await other.getByRole("heading", { name: "third" }).waitFor();
    await other.getByRole("button", { name: "Delete", exact: true }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await rowOf(open.page, "third").waitFor({ state: "detached" });
    await open.page.getByText("This message has been deleted").waitFor();
    await open.page.getByText("1 selected").waitFor();
    await fetch(api(open, "messages?kind=text&query=second"), { method: "DELETE" });
    await rowOf(open.page, "second").waitFor({ state: "detached" });
    await open.page.getByText("2 messages").waitFor();
    await fetch(new URL("/api/v1/messages", open.urlOf("http")), { method: "DELETE" });
    for (const page of [open.page, other]) await page.getByText("No messages yet").waitFor();
    await other.close();
    for (let n = 1; n <= 60; n++) await inject(open, `number ${n}.`);
    await expect
      .poll(async () => {
        const answer = await fetch(api(open, "count"));
        const { count } = (await answer.json()) as { count: number };
        return (await open.page.getByText(`${count} messages`).count()) === 1 && count < 60;
      })
      .toBe(true);
    expect(open.violations).toEqual([]);
  });

  test("that others import appear in the open list, in the place of their date", async () => {
    await fetch(api(open, "messages?all=true"), { method: "DELETE" });
    await inject(open, "received now");
    await open.goTo("#/mail");
    await live(open.page);
    await rowOf(open.page, "received now").waitFor();
    const folder = tempFolder();
    mkdirSync(folder);
    for (const year of [2024, 2025])
      writeFileSync(
        join(folder, `${year}.eml`),
        `Subject: archived ${year}\r\nDate: Tue, 02 Jan ${year} 03:04:05 +0000\r\n\r\nx\r\n`,
      );
    const run = await runMain(["mail", "import", folder, "--endpoint", open.urlOf("dynamodb")]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    await rowOf(open.page, "archived 2024").waitFor();
    await expect
      .poll(() => rowsIn(open.page))
      .toEqual(["New: received now", "New: archived 2025", "New: archived 2024"]);
    await open.page.getByText("3 messages").waitFor();
    expect(open.violations).toEqual([]);
  });

  test("do not move what is shown when they were above or below it", async () => {
    await fetch(api(open, "messages?all=true"), { method: "DELETE" });
    const ids: string[] = [];
    for (let n = 1; n <= 38; n++) ids.push(await inject(open, `mail ${n}.`));
    await open.goTo("#/mail");
    await open.page.reload();
    await live(open.page);
    await rowOf(open.page, "mail 38.").waitFor();
    await scrollTo(open.page, 15);
    const tops = () =>
      open.page.evaluate(
        `[...document.querySelectorAll("#app li")].filter((row) => /mail (20|21)\\./.test(row.textContent)).map((row) => row.getBoundingClientRect().top)`,
      );
    await rowOf(open.page, "mail 20.").waitFor();
    const before = await tops();
    for (const n of [38, 36, 35, 2]) await fetch(api(open, `messages/${ids[n - 1]}`), { method: "DELETE" });
    await open.page.getByText("34 messages").waitFor();
    expect(await tops()).toEqual(before);
    await open.page.getByRole("listitem").first().waitFor();
    await scrollTo(open.page, 0);
    await rowOf(open.page, "mail 37.").waitFor();
    expect((await rowsIn(open.page)).slice(0, 3).map((text) => text.replace("New: ", ""))).toEqual([
      "mail 37.",
      "mail 34.",
      "mail 33.",
    ]);
  });
});

describe.skipIf(skipsBrowser)("a search that is open while mail arrives", { timeout }, () => {
  test("is repeated a few times, keeps its rows and its place, and shows how many are new", async () => {
    await using open = await openConsole({ mqtt: false });
    for (let n = 1; n <= 150; n++) await inject(open, `needle ${n}.`);
    let searches = 0;
    open.page.on("request", (request) => {
      if (request.url().includes("query=needle")) searches++;
    });
    await open.goTo("#/mail?q=needle");
    await rowOf(open.page, "needle 150.").waitFor();
    await live(open.page);
    // One page is read; the total follows.
    await open.page.getByText("150 messages").waitFor();
    await scrollTo(open.page, 30);
    await rowOf(open.page, "needle 118.").waitFor();
    const shown = await rowsIn(open.page);
    const before = searches;
    for (let n = 1; n <= 100; n++) await inject(open, n % 10 === 0 ? `needle new ${n}.` : "hay");
    await open.page.getByRole("button", { name: "10 new" }).waitFor();
    await open.page.getByText("160 messages").waitFor();
    expect(searches - before).toBeLessThan(50);
    expect(await rowsIn(open.page)).toEqual(shown);
    await open.page.getByRole("button", { name: "10 new" }).click();
    await rowOf(open.page, "needle new 100.").waitFor();
    await open.page.getByRole("button", { name: "10 new" }).waitFor({ state: "detached" });
    expect(open.violations).toEqual([]);
  });
});

describe.skipIf(skipsBrowser)("a console under a web path", { timeout }, () => {
  test("calls the server only under that path, on every screen", async () => {
    await using open = await openConsole({ webPath: "/tools/hog" });
    const asked: string[] = [];
    open.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const go = (hash: string) => open.page.goto(new URL(`/tools/hog/${hash}`, open.urlOf("http")).href);
    await go("#/mail");
    await open.page.getByText("No messages yet").waitFor();
    await live(open.page);
    await open.send({
      subject: "under a path",
      html: "<p>shown here</p>",
      attachments: [{ filename: "a.txt", content: "a" }],
    });
    await rowOf(open.page, "under a path").getByRole("link").click();
    await open.page.frameLocator("iframe").getByText("shown here").waitFor();
    await open.page.getByRole("tab", { name: "Source" }).click();
    await open.page.getByRole("tabpanel").getByText("MIME-Version").waitFor();
    const [download] = await Promise.all([
      open.page.waitForEvent("download"),
      open.page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    await go("#/mail/sessions");
    await rowOf(open.page, "stored").waitFor();
    await go("#/journal");
    await open.page.getByText("No events yet").waitFor();
    await go("#/shadows");
    await open.page.getByRole("link", { name: "MQTT address" }).first().click();
    await open.page.getByText("Running").waitFor();
    await go("#/tables");
    await rowOf(open.page, "mail").first().waitFor();
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((path) => !path.startsWith("/tools/hog/"))).toEqual([]);
    expect(open.violations).toEqual([]);
    const root = new URL("/api/v3/mail/count", open.urlOf("http"));
    expect((await fetch(root)).status).toBe(404);
    const document = await fetch(new URL("/tools/hog/api/v3/openapi.json", root));
    expect(await document.json()).toMatchObject({ servers: [{ url: "/tools/hog" }] });
  });
});

describe.skipIf(skipsBrowser)("a list of a million rows", { timeout }, () => {
  test("shows any of them, by the scroll bar, the wheel and keys", async () => {
    await using open = await openConsole({ mqtt: false });
    const count = 1_000_000;
    const message = (at: number) => ({
      id: String(count - at).padStart(8, "0"),
      created: "2030-01-01T00:00:00.000Z",
      envelope: { from: "a@example.com", to: ["b@example.com"], helo: "x" },
      size: 1,
      subject: `row ${at}.`,
      from: "",
      to: "",
      preview: "",
      attachments: 0,
      read: false,
      tags: [],
    });
    await open.page.route("**/api/v3/mail/count", (route) => route.fulfill({ json: { count } }));
    await open.page.route("**/api/v3/mail/messages?*", (route) => {
      const query = new URL(route.request().url()).searchParams;
      const start = Number(query.get("cursor") ?? query.get("start") ?? 0);
      const end = Math.min(count, start + Number(query.get("limit")));
      const messages = Array.from({ length: end - start }, (_, at) => message(start + at));
      return route.fulfill({ json: { messages, ...(end < count && { next: String(end) }) } });
    });
    await open.goTo("#/mail");
    await open.page.getByText("1,000,000 messages").waitFor();
    await open.page.mouse.move(200, 300);
    await open.page.evaluate(`document.querySelector(".list").scrollTop = 1e9`);
    await rowOf(open.page, "row 999999.").waitFor();
    await expect(rowOf(open.page, "row 999999.").boundingBox()).resolves.toMatchObject({ height: 82 });
    await open.page.evaluate(
      `{ const list = document.querySelector(".list"); list.scrollTop = (list.scrollHeight - list.clientHeight) / 2; }`,
    );
    await rowOf(open.page, "row 500000.").waitFor();
    const seen = new Set<number>();
    const highestShown = async () => {
      const shown = (await rowsIn(open.page)).map((text) => Number(/row (\d+)/.exec(text)?.[1]));
      for (const number of shown) seen.add(number);
      return Math.max(...shown);
    };
    for (let turn = 0; turn < 40; turn++) {
      const before = await highestShown();
      const turnWheel = async (timeout: number) => {
        await open.page.mouse.wheel(0, 400);
        await expect.poll(highestShown, { timeout }).toBeGreaterThan(before);
      };
      // Again, since the browser drops a turn of the wheel while the list aligns the scroll bar.
      await turnWheel(1000).catch(() => turnWheel(browserTestMs / 10));
      if (turn % 10 === 9) await open.page.waitForTimeout(400);
    }
    const numbers = [...seen].toSorted((one, other) => one - other);
    const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
    expect(last - first).toBeGreaterThan(100);
    expect(last - first).toBeLessThan(1_000);
    expect(numbers.length).toBe(last - first + 1);
    const focused = () => open.page.evaluate("document.activeElement.dataset.index");
    await open.page.keyboard.press("j");
    await expect.poll(focused).toBe("0");
    await open.page.keyboard.press("End");
    await expect.poll(focused).toBe("999999");
    for (let n = 0; n < 3; n++) await open.page.keyboard.press("k");
    await expect.poll(focused).toBe("999996");
    await open.page.keyboard.press("Home");
    await expect.poll(focused).toBe("0");
    expect(open.violations).toEqual([]);
  });
});

/** The mail screen with several inboxes. */
import { createTransport } from "nodemailer";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const timeout = 2 * browserTestMs;
const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
const live = (page: Page) => page.getByRole("status").getByText("Live").waitFor();

describe.skipIf(skipsBrowser)("the choice of an inbox", { timeout }, () => {
  let open: OpenConsole;
  beforeAll(async () => {
    if (skipsBrowser) return;
    open = await openConsole({ webPath: "/tools", mqtt: false, journals: [], shadows: false });
    await open.page.goto(new URL("/tools/#/mail", open.urlOf("http")).href);
  }, timeout);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
  });
  const api = (path: string) => new URL(`/tools${path}`, open.urlOf("http"));
  const send = async (inbox: string, subject: string, to = "b@example.com") => {
    const { hostname, port } = new URL(open.urlOf("smtp"));
    const auth = { user: `ci+${inbox}`, pass: "x" };
    const transport = createTransport({ host: hostname, port: Number(port), ignoreTLS: true, auth });
    await transport.sendMail({ from: "a@example.com", to, subject, html: `<p>body of ${subject}</p>` });
    transport.close();
  };
  const options = () => open.page.getByLabel("Inbox").getByRole("option").allTextContents();

  test("shows the counts, and list, search, live events, preview, tags and deletes of the chosen one", async () => {
    const { page } = open;
    await fetch(api("/api/v3/inboxes/shop"), {
      method: "PUT",
      body: JSON.stringify({ rules: [{ to: "*@shop.example" }] }),
    });
    await open.send({ subject: "for everybody" });
    await send("branch", "first of the branch");
    await send("branch", "second of the branch");
    const counted: string[] = [];
    page.on("request", (request) => request.url().includes("/inboxes?") && counted.push(request.url()));
    await page.reload();
    await rowOf(page, "for everybody").waitFor();
    await expect.poll(options).toEqual(["Default inbox (1)", "branch (2)", "shop (0)"]);
    // A second count would follow half a second after the first.
    await page.waitForTimeout(1_000);
    expect(counted).toHaveLength(1);

    await page.getByLabel("Inbox").selectOption("branch");
    await rowOf(page, "second of the branch").waitFor();
    expect(await rowOf(page, "for everybody").count()).toBe(0);
    expect(page.url()).toContain("#/mail?inbox=branch");
    await live(page);
    await open.send({ subject: "another for everybody" });
    // All inboxes are counted again when a message of the chosen one arrives.
    await send("branch", "third of the branch");
    await rowOf(page, "third of the branch").waitFor();
    await expect.poll(options).toEqual(["Default inbox (2)", "branch (3)", "shop (0)"]);

    await page.getByLabel("Search mail").fill("first");
    await rowOf(page, "second of the branch").waitFor({ state: "detached" });
    await rowOf(page, "first of the branch").getByRole("link").click();
    await page.frameLocator("iframe").getByText("body of first of the branch").waitFor();
    await page.getByLabel("Add a tag").fill("seen");
    await page.keyboard.press("Enter");
    await rowOf(page, "first of the branch").getByText("seen").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    await page.reload();
    await page.getByRole("heading", { name: "first of the branch" }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No message in branch matches “first”").waitFor();

    await page.getByRole("link", { name: "show all messages" }).click();
    await page.getByRole("button", { name: "Delete all" }).click();
    await page.getByText("every message in the inbox branch").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
    await page.getByText("No messages in branch yet").waitFor();
    await page.getByText("inbox+branch", { exact: true }).waitFor();
    await expect.poll(options).toEqual(["Default inbox (2)", "branch (0)", "shop (0)"]);
    expect(open.violations).toEqual([]);
  });

  test("explains how to send mail to an empty one, and a session links to its message there", async () => {
    const { page } = open;
    await page.getByLabel("Inbox").selectOption("shop");
    await page.getByText("to: *@shop.example").waitFor();
    const command = await page.getByText("curl --data-binary").textContent();
    const url = /"(http[^"]+)"$/.exec(command ?? "")?.[1] ?? "";
    await fetch(url, { method: "POST", body: "Subject: hello" });
    await rowOf(page, "hello").waitFor();
    await open.send({ subject: "by its rule", to: "x@shop.example" });
    await rowOf(page, "by its rule").waitFor();
    await page.getByRole("link", { name: "SMTP sessions" }).click();
    await rowOf(page, "1 stored").first().getByRole("link").click();
    await page.getByText("message 1 in shop").waitFor();
    await page.getByRole("link", { name: "message 1" }).click();
    await page.getByRole("heading", { name: "by its rule" }).waitFor();
    await page.getByLabel("Inbox").selectOption("");
    await rowOf(page, "another for everybody").waitFor();
    expect(open.violations).toEqual([]);
  });
});

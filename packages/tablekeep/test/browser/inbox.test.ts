/** The inbox page in a real browser. With CI set there must be one. */
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport, type Transporter } from "nodemailer";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/server/start-server.ts";
import { tempFolder } from "../temp-folder.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"].find(
  existsSync,
);
const isCi = process.env["CI"] !== undefined && process.env["CI"] !== "";
const dataFolder = tempFolder();

let server: RunningServer;
let browser: Browser;
let page: Page;
let transport: Transporter;
/** Counts whoever comes: a mail that is looked at must send nobody here. */
let tracker: Server;
let tracked = 0;
const dialogs: string[] = [];

beforeAll(async () => {
  if (executablePath === undefined && !isCi) return;
  tracker = createServer((_request, response) => {
    tracked++;
    response.end();
  }).listen(0, "127.0.0.1");
  server = await startServer({ dataFolder, httpPort: 0, dynamodb: false, smtpPort: 0, mqtt: false });
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  const smtp = new URL(urlOf("smtp"));
  transport = createTransport({ host: smtp.hostname, port: Number(smtp.port), ignoreTLS: true });
  browser = await chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
    ],
  });
  page = await browser.newPage();
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.accept();
  });
  await page.goto(urlOf("http"));
}, 60_000);
afterAll(async () => {
  await browser?.close();
  transport?.close();
  await server?.stop();
  tracker?.close();
});

const send = (more: object) =>
  transport.sendMail({ from: "anna@example.com", to: "ben@example.com", ...more });
const rows = () => page.locator("#list li");
const open = (subject: string) => rows().filter({ hasText: subject }).getByRole("button").click();

describe.skipIf(executablePath === undefined && !isCi)("the inbox page", { timeout: 60_000 }, () => {
  test("says what to do first, and shows a mail that arrives without being loaded again", async () => {
    await page.getByText("No message yet").waitFor();
    await send({ subject: "The first", text: "Hello from the first.", html: "<p>Hello in <b>HTML</b></p>" });
    await rows().filter({ hasText: "The first" }).waitFor();
    await page.getByText("No message yet").waitFor({ state: "hidden" });
    await open("The first");
    await page.frameLocator("#frame").getByText("Hello in HTML").waitFor();
    await page.getByRole("tab", { name: "Text" }).click();
    await page.locator("#plain").getByText("Hello from the first.").waitFor();
    await page.getByRole("tab", { name: "Source" }).click();
    await page.locator("#plain").getByText("MIME-Version: 1.0").waitFor();
  });

  test("searches, and deletes one", async () => {
    await send({ subject: "A needle", text: "x" });
    await send({ subject: "Some hay", text: "x" });
    await rows().filter({ hasText: "Some hay" }).waitFor();
    await page.getByPlaceholder("Search").fill("needle");
    await expect.poll(() => rows().count(), { timeout: 15_000 }).toBe(1);
    await open("A needle");
    await page.getByRole("heading", { name: "A needle" }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Nothing matches").waitFor();
    await page.getByPlaceholder("Search").fill("");
    await expect.poll(() => rows().count(), { timeout: 15_000 }).toBe(2);
  });

  test("a hostile mail runs nothing, loads nothing and leads nowhere", async () => {
    const { port } = tracker.address() as AddressInfo;
    const away = `http://127.0.0.1:${port}/x`;
    const scripts = [
      "<script>alert(1)</script>",
      `<img src=x onerror="alert(2)">`,
      `<svg onload="alert(3)">`,
    ];
    const loads = [
      `<img src="${away}">`,
      `<link rel="stylesheet" href="${away}">`,
      `<style>@import "${away}"; body { background: url(${away}) }</style>`,
      `<iframe src="${away}"></iframe>`,
      `<object data="${away}"></object>`,
      `<meta http-equiv="refresh" content="0;url=${away}">`,
      `<base href="${away}">`,
      `<form action="${away}"><input autofocus onfocus="alert(4)"></form>`,
      `<a href="javascript:alert(5)" id="go">go</a>`,
      `<video src="${away}" autoplay></video>`,
    ];
    const html = [...scripts, ...loads, "<p>the end</p>"].join("\n");
    const subject = `<img src=x onerror="alert(6)"> ${scripts[0]}`;
    await send({ subject, html, from: `"<script>alert(7)</script>" <anna@example.com>` });
    await rows().filter({ hasText: "onerror" }).getByRole("button").click();
    await page.getByRole("tab", { name: "HTML" }).click();
    await page.frameLocator("#frame").getByText("the end").waitFor();
    const before = page.url();
    await page.frameLocator("#frame").locator("#go").click();
    await page.waitForTimeout(500);
    expect({ dialogs, tracked, url: page.url() }).toEqual({ dialogs: [], tracked: 0, url: before });
    await page.getByRole("button", { name: "Load images of the web" }).click();
    await expect.poll(() => tracked, { timeout: 15_000 }).toBeGreaterThan(0);
    expect(dialogs).toEqual([]);
  });

  test("deletes all after asking", async () => {
    await page.getByRole("button", { name: "Delete all" }).click();
    await page.getByText("No message yet").waitFor();
    expect(dialogs).toEqual(["Delete all messages?"]);
  });
});

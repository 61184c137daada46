/** The page of the bank in a real browser. With CI set a browser is required. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bankServer } from "../src/bank-server.ts";
import { type Bank, openBank } from "../src/open-bank.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"].find(
  existsSync,
);
const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "");

let folder = "";
let bank: Bank;
let url = "";
let server: ReturnType<typeof bankServer>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bank-page-"));
  bank = await openBank({ folder: join(folder, "data") });
  server = bankServer(bank).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await bank.close();
  await rm(folder, { recursive: true, force: true });
});

const post = async (path: string, body: unknown) => {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
};

test("balances are streamed, and the last state is the same that /balances returns", async () => {
  await post("/accounts/cy", { type: "open", cents: 5 });
  const { body } = await fetch(`${url}/balances/live`);
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"cy"')) text += (await reader.read()).value ?? "";
  await reader.cancel();
  const all = (await (await fetch(`${url}/balances`)).json()) as object[];
  expect(all).toContainEqual({ account: "cy", status: "open", cents: 5 });
});

test.skipIf(executablePath === undefined && !isCi)("the page shows transfers as they happen", async () => {
  const browser: Browser = await chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(url);
    const rowOf = (account: string) =>
      page.locator("#rows tr").filter({ hasText: account }).locator("td").allTextContents();
    await expect.poll(() => page.locator("#state").textContent()).toBe("Live");
    await post("/accounts/ann", { type: "open", cents: 1000 });
    await post("/accounts/ben", { type: "open", cents: 0 });
    await expect.poll(() => rowOf("ann")).toEqual(["ann", "open", "10.00"]);
    await post("/transfers/1", { type: "begin", from: "ann", to: "ben", cents: 330 });
    await expect.poll(() => rowOf("ben")).toEqual(["ben", "open", "3.30"]);
    expect(await rowOf("ann")).toEqual(["ann", "open", "6.70"]);
    await post("/transfers/2", { type: "begin", from: "ann", to: "nobody", cents: 670 });
    const transfer = async () => (await fetch(`${url}/transfers/2`)).json();
    await expect.poll(transfer).toMatchObject({ status: "refunded" });
    await post("/transfers/3", { type: "begin", from: "ben", to: "ann", cents: 330 });
    await expect.poll(() => rowOf("ben")).toEqual(["ben", "open", "0.00"]);
    await post("/accounts/ben", { type: "close" });
    await expect.poll(() => rowOf("ben")).toEqual(["ben", "closed", "0.00"]);
    const picture = process.env["TABLEKEEP_TEST_PICTURE"];
    if (picture !== undefined) await page.screenshot({ path: picture });
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

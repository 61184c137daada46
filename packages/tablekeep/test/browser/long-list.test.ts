/**
 * Scrolling through many mails, in a browser trace. `TABLEKEEP_CONSOLE_MAILS=100000` sets the full number,
 * for which CI has no time.
 */
import { ensureTable } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { type Mail, mailTableSpec, openMail } from "@tablekeep/mail";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxDrawnRows } from "../../console/list/visible-rows.ts";
import { longestTask } from "./long-tasks.ts";
import { type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const mails = Number(process.env["TABLEKEEP_CONSOLE_MAILS"] ?? 3_000);
const timeout = 600_000 + mails * 20;

let engine: Engine;
let store: Mail;
let open: OpenConsole;

beforeAll(async () => {
  if (skipsBrowser) return;
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, mailTableSpec());
  store = await openMail(engine, { maxMessages: mails + 10 });
  let stored = 0;
  const storeSome = async () => {
    while (stored < mails) await storeOne(stored++);
  };
  await Promise.all(Array.from({ length: 32 }, storeSome));
  open = await openConsole({ port: engine, journals: [], shadows: false, smtp: false, mqtt: false });
}, timeout);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  await store?.close();
  await engine?.close();
});

const storeOne = (number: number) =>
  store.store(
    { from: "anna@example.com", to: ["ben@example.com"], helo: "test" },
    Buffer.from(
      `From: Anna <anna@example.com>\r\nTo: ben@example.com\r\nSubject: Mail ${number}\r\n\r\nHello ${number}\r\n`,
    ),
  );

/** Scrolls from the top to the end, one step per frame, and returns the maximum number of rows in the page. */
const scrollThrough = (steps: number) =>
  open.page.evaluate(`(async () => {
    const list = document.querySelector(".list");
    let most = 0;
    for (let step = 1; step <= ${steps}; step++) {
      list.scrollTop = (list.scrollHeight - list.clientHeight) * step / ${steps};
      await new Promise(requestAnimationFrame);
      most = Math.max(most, document.querySelectorAll("#app li").length);
    }
    return most;
  })()`) as Promise<number>;

const rowAt = (index: number) => open.page.locator(`a[data-index="${index}"]`);

describe.skipIf(skipsBrowser)(`a list of ${mails.toLocaleString("en")} mails`, { timeout }, () => {
  test("has few rows in the page while it is scrolled to its end and back", async ({ annotate }) => {
    await open.goTo("#/mail");
    await rowAt(0).waitFor({ timeout });
    await open.page.getByText(`${mails.toLocaleString("en")} messages`).waitFor();
    await open.browser.startTracing(open.page, { categories: ["toplevel", "devtools.timeline"] });
    const most = await scrollThrough(mails / 30);
    await rowAt(mails - 1).waitFor({ timeout });
    await open.page.keyboard.press("j");
    await rowAt(0).waitFor();
    const longest = longestTask(await open.browser.stopTracing());
    await annotate(`${mails} mails: ${most} rows, longest task ${JSON.stringify(longest)}`);
    expect(most).toBeLessThanOrEqual(200);
    expect(most).toBeGreaterThan(5);
    expect(maxDrawnRows).toBeLessThan(200);
  });

  test("shows any position, row by row, and keeps the position when mail arrives", async () => {
    await open.goTo("#/mail");
    await rowAt(0).waitFor();
    await open.page.evaluate(`document.querySelector(".list").scrollTop = ${(mails / 2) * 82}`);
    const middle = rowAt(mails / 2 + 3);
    await middle.waitFor({ timeout });
    const before = await rowTexts();
    await storeOne(mails);
    await open.page.getByText(`${(mails + 1).toLocaleString("en")} messages`).waitFor();
    const after = await rowTexts();
    expect(after.filter((text) => before.includes(text)).length).toBeGreaterThan(before.length - 12);
    expect(new Set(after).size).toBe(after.length);
    expect(open.violations).toEqual([]);
  });
});

const rowTexts = () => open.page.locator("#app li .message-subject").allTextContents();

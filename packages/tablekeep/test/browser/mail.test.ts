import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Relay } from "../../src/server/release/relays.ts";
import { startServer } from "../../src/server/start-server.ts";
import { undecodableMails } from "../undecodable-mails.ts";
import { freePort } from "./free-port.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

const relays = new Map<string, Relay>();
let open: OpenConsole;
beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ mail: { relays } });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  if (skipsBrowser) return;
  await fetch(new URL("/api/v3/mail/messages?all=true", open.urlOf("http")), { method: "DELETE" });
  await open.goTo("about:blank");
  await open.goTo("#/mail");
  await open.page.getByText("No messages yet").waitFor();
  await open.page.getByRole("status").getByText("Live").waitFor();
});

const row = (text: string) => open.page.getByRole("listitem").filter({ hasText: text });
const openMessage = async (subject: string) => {
  await row(subject).getByRole("link").click();
  await open.page.getByRole("heading", { name: subject }).waitFor();
};
const tab = (name: string) => open.page.getByRole("tab", { name }).click();
const panel = (text: string) => open.page.getByRole("tabpanel").getByText(text).waitFor();
const press = (name: string) => open.page.getByRole("button", { name, exact: true }).click();
const inDialog = (name: string) =>
  open.page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

describe.skipIf(skipsBrowser)("mail in the console", { timeout: browserTestMs }, () => {
  test("a message sent over SMTP appears without a reload, and is shown in every view", async () => {
    await open.send({
      subject: "The first",
      from: '"Anna A." <anna@example.com>',
      text: "Hello from the first, see https://shop.example/order?a=1&b=2.",
      html: '<p>Hello in <b>HTML</b></p><a href="https://shop.example/order?a=1&amp;b=2">order</a>',
      attachments: [{ filename: "notes.txt", content: "to be kept" }],
    });
    await row("The first").getByText("New:").waitFor();
    await row("The first").getByText("Anna A.", { exact: true }).waitFor();
    await openMessage("The first");
    await open.page.frameLocator("iframe").getByText("Hello in HTML").waitFor();
    await row("The first").getByText("New:").waitFor({ state: "detached" });
    await tab("Text");
    await panel("Hello from the first");
    await tab("Source");
    await panel("MIME-Version: 1.0");
    await tab("Headers");
    await panel("Message-ID");
    await tab("Structure");
    await panel("multipart/mixed");
    const parts = open.page.getByRole("tabpanel").getByRole("listitem");
    expect(await parts.allInnerTexts()).toEqual([
      expect.stringMatching(/^multipart\/mixed/),
      expect.stringMatching(/^multipart\/alternative/),
      expect.stringMatching(/^text\/plain utf-8, /),
      expect.stringMatching(/^text\/html utf-8, /),
      expect.stringMatching(/^text\/plain notes\.txt attachment, .* B$/),
    ]);
    await tab("Links (1)");
    const link = open.page.getByRole("tabpanel").getByRole("link");
    expect(await link.getAttribute("href")).toBe("https://shop.example/order?a=1&b=2");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    const [download] = await Promise.all([
      open.page.waitForEvent("download"),
      open.page.getByRole("link", { name: /^notes\.txt/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("notes.txt");
    await tab("Lint");
    await panel("leads to shop.example, a name for examples");
    await panel("0 errors, 1 warning, 0 notes");
    await tab("HTML");
  });

  test("shows a message in the width of a phone, and with its styles for dark mode, whatever the browser prefers", async () => {
    const { page } = open;
    await open.send({
      subject: "For the dark",
      html: "<style>@media (prefers-color-scheme: dark) { p { color: rgb(1, 2, 3) } }</style><p>Styled</p>",
    });
    await openMessage("For the dark");
    await tab("HTML");
    const frame = () => page.frames().find((each) => each.parentFrame() !== null);
    const color = () => frame()?.evaluate("getComputedStyle(document.querySelector('p')).color");
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await press("Dark");
      await expect.poll(color).toBe("rgb(1, 2, 3)");
      await press("Light");
      await expect.poll(color).toBe("rgb(0, 0, 0)");
    }
    await page.emulateMedia({ colorScheme: "light" });
    await press("Phone");
    await expect.poll(async () => (await page.locator("iframe").boundingBox())?.width).toBe(375);
    await press("Full width");
    await expect.poll(async () => (await page.locator("iframe").boundingBox())?.width).toBeGreaterThan(400);
  });

  test("searches the chosen field, keeps the search in the address, and reports no results", async () => {
    await open.send({ subject: "A needle", text: "x" });
    await open.send({ subject: "Some hay", text: "x", from: "needle@example.com" });
    await row("Some hay").waitFor();
    await open.page.keyboard.press("/");
    await open.page.keyboard.type("needle");
    await open.page.waitForURL(/q=needle/);
    await expect.poll(() => row("").count()).toBe(2);
    await open.page.getByLabel("Search mail").fill("-from:needle");
    await row("Some hay").waitFor({ state: "detached" });
    await row("A needle").waitFor();
    await open.page.getByLabel("Search mail").fill("is:red");
    await open.page.getByRole("alert").getByText("read, unread, tagged").waitFor();
    await open.page.getByLabel("Search mail").fill("needle");
    await expect.poll(() => row("").count()).toBe(2);
    await open.page.getByLabel("What to search").selectOption("From");
    await open.page.waitForURL(/kind=from/);
    await row("A needle").waitFor({ state: "detached" });
    await row("Some hay").waitFor();
    await open.page.reload();
    await row("Some hay").waitFor();
    expect(await row("").count()).toBe(1);
    await open.page.getByLabel("Search mail").fill("no such sender");
    await open.page.getByText("No results").waitFor();
    await open.page.getByRole("link", { name: "show all messages" }).click();
    await row("A needle").waitFor();
  });

  test("keys move along the list, open, close and delete", async () => {
    for (const subject of ["one", "two", "three"]) await open.send({ subject, text: subject });
    await row("three").waitFor();
    await open.page.keyboard.press("j");
    await open.page.keyboard.press("j");
    await open.page.keyboard.press("Enter");
    await open.page.getByRole("heading", { name: "two" }).waitFor();
    await open.page.keyboard.press("j");
    await open.page.getByRole("heading", { name: "one" }).waitFor();
    await open.page.keyboard.press("k");
    await open.page.getByRole("heading", { name: "two" }).waitFor();
    await open.page.keyboard.press("#");
    await open.page.getByRole("dialog", { name: "Delete this message?" }).waitFor();
    await open.page.keyboard.press("Enter");
    await row("two").waitFor({ state: "detached" });
    await open.page.getByText("1 message deleted").waitFor();
    expect(await row("").count()).toBe(2);
    await openMessage("one");
    await open.page.keyboard.press("Escape");
    await open.page.getByText("Select a message").waitFor();
  });

  test("deletes chosen messages, and all, after a confirmation", async () => {
    for (const subject of ["one", "two", "three"]) await open.send({ subject, text: subject });
    await open.page.getByLabel("Choose one").check();
    await open.page.getByLabel("Choose three").check();
    await press("Delete selected");
    await open.page.getByRole("dialog", { name: "Delete 2 messages?" }).waitFor();
    await inDialog("Cancel");
    expect(await row("").count()).toBe(3);
    await press("Delete selected");
    await inDialog("Delete");
    await row("one").waitFor({ state: "detached" });
    expect(await row("two").count()).toBe(1);
    await open.send({ subject: "four", text: "four" });
    await row("four").waitFor();
    await press("Select all");
    await open.page.getByText("2 selected").waitFor();
    expect(await open.page.getByRole("button", { name: "Select all" }).count()).toBe(0);
    await open.page.getByLabel("Choose two").uncheck();
    await press("Select all");
    await press("Delete selected");
    await inDialog("Delete");
    await open.page.getByText("No messages yet").waitFor();
    await open.send({ subject: "five", text: "five" });
    await press("Delete all");
    await inDialog("Delete all");
    await open.page.getByText("No messages yet").waitFor();
  });

  test("a message that cannot be decoded has its source and headers, and can be downloaded and deleted", async () => {
    for (const [subject, raw] of Object.entries(undecodableMails)) {
      await fetch(new URL("/api/v3/mail/messages?to=ben@example.com", open.urlOf("http")), {
        method: "POST",
        body: raw,
      });
      await openMessage(subject);
      await open.page.getByRole("alert").getByText("the message cannot be decoded").waitFor();
      await tab("Source");
      await panel("deep inside");
      await tab("Headers");
      await panel("Ann <ann@example.com>");
      await tab("Structure");
      await open.page.getByRole("tabpanel").getByRole("listitem").first().waitFor();
      expect(await open.page.getByRole("tab", { name: "Text" }).isDisabled()).toBe(true);
      const [download] = await Promise.all([
        open.page.waitForEvent("download"),
        open.page.getByRole("link", { name: "Download" }).click(),
      ]);
      expect(readFileSync(await download.path(), "utf8")).toBe(raw);
      await press("Delete");
      await inDialog("Delete");
      await row(subject).waitFor({ state: "detached" });
    }
  });

  test("explains how to configure relays, and releases through one", async () => {
    await open.send({ subject: "To be released", text: "x" });
    await openMessage("To be released");
    await press("Release…");
    await open.page.getByText("npx tablekeep serve --outgoing-smtp relays.json").waitFor();
    await inDialog("Close");
    const { hostname: host, port } = new URL(open.urlOf("smtp"));
    relays.set("itself", { name: "itself", host, port: Number(port), email: "usual@example.com" });
    await press("Release…");
    await open.page.getByLabel("Recipient").fill("carla@example.com");
    await inDialog("Release");
    await open.page.getByText("Released to carla@example.com").waitFor();
    await row("to carla@example.com").waitFor();
    relays.clear();
  });

  test("shows why no message arrived: the SMTP replies to a client that disconnected", async () => {
    const { hostname: host, port } = new URL(open.urlOf("smtp"));
    const client = connect(Number(port), host);
    client.write("EHLO lost\r\nRCPT TO:<nobody@example.com>\r\nQUIT\r\n");
    client.resume();
    await once(client, "close");
    await open.page.getByRole("link", { name: "See the SMTP sessions" }).click();
    await row("no message").first().getByRole("link").click();
    await open.page.getByRole("listitem").filter({ hasText: "EHLO lost" }).waitFor();
    await open.page.getByRole("listitem").filter({ hasText: "server" }).filter({ hasText: "221" }).waitFor();
  });

  test("starts and stops chaos", async () => {
    await press("Chaos");
    await open.page.getByLabel("Reject a recipient").fill("100");
    await inDialog("Start chaos");
    await open.page.getByText("Chaos started").waitFor();
    const read = async () => (await fetch(new URL("/api/v3/mail/chaos", open.urlOf("http")))).json();
    expect(await read()).toMatchObject({ settings: { rejectRecipientChance: 1, rejectSenderChance: 0.05 } });
    await press("Chaos is on");
    await inDialog("Stop chaos");
    await open.page.getByRole("button", { name: "Chaos", exact: true }).waitFor();
    expect(await read()).toMatchObject({ settings: null });
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

describe.skipIf(skipsBrowser)("a server that stops", { timeout: browserTestMs }, () => {
  test("is shown as offline, and when it is back the list is read again", async () => {
    const httpPort = await freePort();
    await using other = await openConsole({ httpPort });
    await other.goTo("#/mail");
    await other.page.getByRole("status").getByText("Live").waitFor();
    await other.server.stop();
    await other.page.getByRole("status").getByText("Offline").waitFor();
    await using back = await startServer({
      memory: true,
      httpPort,
      dynamodb: false,
      smtp: false,
      mqtt: false,
    });
    const message = new URL("/api/v3/mail/messages?to=b@example.com", back.listeners[0]?.url);
    await fetch(message, { method: "POST", body: "Subject: while you were away\r\n\r\nx\r\n" });
    await other.page.getByRole("status").getByText("Live").waitFor();
    await other.page.getByText("while you were away").waitFor();
  });
});

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDocs, sectionOf, tableRows } from "../read-docs.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;
beforeAll(async () => {
  if (!skipsBrowser) open = await openConsole();
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const colorScheme = () =>
  open.page.evaluate("getComputedStyle(document.documentElement).colorScheme") as Promise<string>;

/** What each key does, by the keys without what stands between them. */
const pairs = (cells: readonly string[]) =>
  Object.fromEntries(
    cells.flatMap((keys, at) =>
      at % 2 === 0 ? [[keys.replaceAll(/ |or(?=\W|$)/g, ""), cells[at + 1]]] : [],
    ),
  );

describe.skipIf(skipsBrowser)("the shell of the console", { timeout: browserTestMs }, () => {
  test("is one small script without anything inline, under a policy that allows no other", async () => {
    const page = await fetch(open.urlOf("http"));
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self';/,
    );
    expect(await page.text()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i);
    const script = await fetch(new URL("/assets/console.js", open.urlOf("http")));
    expect(gzipSync(Buffer.from(await script.arrayBuffer())).length).toBeLessThan(150_000);
  });

  test("files beside it cannot be reached", async () => {
    for (const path of [
      "/assets/..%2fpackage.json",
      "/assets/..%5cindex.html",
      "/assets/nothing.js",
      "/assets/a.map",
    ])
      expect((await fetch(new URL(path, open.urlOf("http")))).status).toBe(404);
  });

  test("shows its keys, and leads to screens by them", async () => {
    await open.goTo("#/mail");
    await open.page.getByRole("link", { name: "Mail" }).waitFor();
    await open.page.keyboard.press("?");
    const dialog = open.page.getByRole("dialog", { name: "Keys" });
    await dialog.getByText("Go to Mail").waitFor();
    const shown = await dialog.locator("dt, dd").allTextContents();
    const documented = tableRows(sectionOf(readDocs("docs/reference/console.md"), "## Keys"));
    expect(pairs(shown)).toEqual(pairs(documented.flat()));
    await open.page.keyboard.press("Escape");
    await open.page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("follows the system's theme until the user chooses one, and remembers the choice", async () => {
    await open.goTo("#/mail");
    expect(await colorScheme()).toBe("light dark");
    await open.page.getByRole("button", { name: /^Theme: system/ }).click();
    await open.page.getByRole("button", { name: /^Theme: light/ }).click();
    expect(await colorScheme()).toBe("dark");
    await open.page.reload();
    await open.page.getByRole("button", { name: /^Theme: dark/ }).click();
    expect(await colorScheme()).toBe("light dark");
  });

  test.each([
    ["#/tables/nosuch", "Table “nosuch” not found", "the tables of this server"],
    ["#/journal/nosuch", "Journal “nosuch” not found", "the journals of this server"],
    ["#/journal/nosuch/cart-1/events/1", "Journal “nosuch” not found", "the journals of this server"],
    ["#/projections/nosuch", "Journal “nosuch” not found", "the journals of this server"],
    ["#/mail/nosuch", "Message not found", "Show the messages"],
  ])("%s says that there is no such thing, and leads on", async (place, heading, link) => {
    await open.goTo(place);
    await open.page.getByRole("heading", { name: heading }).waitFor();
    await open.page.getByRole("link", { name: link }).click();
    await open.page.getByRole("heading", { name: heading }).waitFor({ state: "detached" });
  });

  test("a projection that does not exist is not an error of the server", async () => {
    await open.goTo("#/projections/journal/nosuch");
    await open.page.getByText("This projection does not exist, or has been removed.").waitFor();
  });

  test("an empty table of a store does not invite to write items", async () => {
    await open.goTo("#/tables/device-shadows");
    await open.page.getByText("device-shadows belongs to a store").waitFor();
    expect(await open.page.getByText("any AWS SDK").count()).toBe(0);
  });

  test("shows what runs and what the server holds, and its requests per second", async () => {
    await open.send({ subject: "", text: "Only a text" });
    await open.send({ subject: "Newest of all" });
    const shadow = new URL("/api/v3/shadows/lamp", open.urlOf("http"));
    await fetch(shadow, { method: "PATCH", body: '{"desired":{"on":true}}' });
    const events = new URL("/api/v3/journals/journal/ids/cart-1/events", open.urlOf("http"));
    await fetch(events, { method: "POST", body: '{"events":[{"payload":{"type":"Created"}}]}' });
    await open.goTo("#/overview");
    const card = (name: string) => open.page.getByRole("region", { name, exact: true });
    for (const { name, url } of open.server.listeners)
      await card("Server")
        .getByText(`${name}${url.replace(/\/$/, "")}`)
        .waitFor();
    await card("Server").getByText(open.server.version).waitFor();
    await card("Server").getByText("in memory").waitFor();
    await card("Mail").getByRole("link", { name: "Newest of all" }).waitFor();
    await card("Mail").getByRole("link", { name: "(no subject) Only a text" }).waitFor();
    await card("Shadows").getByRole("link", { name: "lamp" }).waitFor();
    await card("Newest events").getByRole("link", { name: "cart-1 · 1 Created" }).waitFor();
    await card("Journals").getByRole("link", { name: "journal packed" }).waitFor();
    await open.page.getByRole("img", { name: /^Requests to tables per second: [\d.]+ now/ }).waitFor();
    await card("Tables")
      .getByRole("link", { name: /^mail / })
      .click();
    await open.page.getByRole("link", { name: "About" }).click();
    await open.page.getByText("mail belongs to a store").waitFor();
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

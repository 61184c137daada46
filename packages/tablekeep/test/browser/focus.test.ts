/** By keys alone: the focus is always visible, and stays in the page when an action removes the control that has it. */
import { scanItems } from "@tablekeep/client";
import { openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";

let open: OpenConsole;
beforeAll(async () => {
  if (!skipsBrowser) open = await openConsole({ mqtt: false });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

/** What has the focus, by its label or text; an empty string if nothing has, or if it cannot be seen. */
const focused = (): Promise<string> =>
  open.page.evaluate(`(() => {
    const { activeElement: active, body } = document;
    if (active === null || active === body || !active.matches(":focus-visible")) return "";
    const cell = active.closest(".grid-row")?.querySelector(".grid-cell");
    const isShown = [active, cell ?? active].some((each) => {
      const { outlineStyle, boxShadow } = getComputedStyle(each);
      return outlineStyle !== "none" || boxShadow !== "none";
    });
    const name = active.getAttribute("aria-label") ?? active.textContent ?? "";
    return isShown ? name.trim() || active.labels?.[0]?.textContent.trim() || active.tagName : "";
  })()`);
const press = (key: string) => open.page.keyboard.press(key);
/** Waits until something matching has the focus. */
const focusIs = (name: string | RegExp) =>
  expect
    .poll(focused, { timeout: browserTestMs / 4 })
    .toMatch(name instanceof RegExp ? name : new RegExp(`^${name}`));
/** Moves the focus by Tab until it is at the control. */
async function tabTo(name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < 80; count++) {
    const now = await focused();
    if (name.test(now)) return;
    passed.push(now);
    await press(key);
  }
  throw new Error(`not reached: ${name}, after ${passed.join(" | ")}`);
}
const api = (path: string, method: string, body?: unknown) =>
  fetch(new URL(`/api/v3/${path}`, open.urlOf("http")), {
    method,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
const line = (id: string) => `${JSON.stringify({ Item: { id: { S: id } } })}\n`;

describe.skipIf(skipsBrowser)("the focus", { timeout: browserTestMs }, () => {
  test("stays beside an import and its undo, and beside settings that are replaced", async () => {
    await api("tables", "POST", { name: "fruit", partitionKey: { name: "id" } });
    await open.goTo("#/tables/fruit/about");
    await open.page.getByRole("button", { name: "Import…" }).waitFor();
    await tabTo(/^Import…/);
    const chooser = open.page.waitForEvent("filechooser");
    await open.page.getByRole("button", { name: "Import…" }).press("Enter");
    const buffer = Buffer.from(line("a") + line("b"));
    await (await chooser).setFiles({ name: "two.jsonl", mimeType: "application/x-ndjson", buffer });
    await open.page.getByText("2 items were stored").waitFor();
    await focusIs("Import…");
    await tabTo(/^Undo import/, "Shift+Tab");
    await press("Enter");
    await open.page.getByText("Undone").waitFor();
    await focusIs(/./);
    await tabTo(/^Attribute of the time to live/);
    await open.page.keyboard.type("until");
    await press("Enter");
    await focusIs("Disable the time to live");
    await press("Enter");
    await focusIs("Disable$");
    await press("Enter");
    await focusIs("Attribute of the time to live");
  });

  test("moves to a row after an item is deleted, and to the list after a table is", async () => {
    await api("tables/fruit/import", "POST", line("a") + line("b") + line("c"));
    await open.goTo("#/tables/fruit");
    await open.page.getByRole("gridcell").or(open.page.getByRole("rowheader")).first().waitFor();
    await press("j");
    await press("Enter");
    await open.page.getByRole("button", { name: "Delete" }).waitFor();
    await tabTo(/^Delete$/);
    await press("Enter");
    await focusIs(/^[abc]$/);
    await open.goTo("#/tables/fruit/about");
    await open.page.getByRole("button", { name: "Delete the table" }).waitFor();
    await tabTo(/^Delete the table/);
    await press("Enter");
    await focusIs("Delete$");
    await press("Enter");
    await open.page.getByText("Deleted fruit").waitFor();
    await focusIs(/^[a-z]/);
    await tabTo(/^Undo deletion of fruit/, "Shift+Tab");
    await press("Enter");
    await open.page.getByRole("link", { name: "fruit" }).waitFor();
    await focusIs(/./);
  });

  test("stays at a dialog's place when the control that opened it is gone", async () => {
    await api("tables/fruit", "PATCH", { createIndex: { name: "by-x", partitionKey: { name: "x" } } });
    await open.goTo("#/tables/fruit/about");
    await open.page.getByRole("button", { name: "Delete the index by-x" }).waitFor();
    await tabTo(/^Delete the index/);
    await press("Enter");
    await focusIs("Delete$");
    await press("Enter");
    await open.page.getByRole("button", { name: "Delete the index by-x" }).waitFor({ state: "detached" });
    await focusIs(/./);
  });

  test("is kept while mail is tagged, chosen, deleted and searched", async () => {
    for (const subject of ["one", "two", "three"]) await open.send({ subject, text: subject });
    await open.goTo("#/mail");
    await open.page.getByRole("link", { name: /three/ }).waitFor();
    await press("j");
    await press("Enter");
    await open.page.getByLabel("Add a tag").waitFor();
    await tabTo(/^Add a tag/);
    await open.page.keyboard.type("shop");
    await press("Enter");
    await open.page.getByRole("button", { name: "Remove the tag shop" }).waitFor();
    await focusIs("Add a tag");
    await tabTo(/^Remove the tag/, "Shift+Tab");
    await press("Enter");
    await focusIs("Add a tag");
    await press("Escape");
    await press("#");
    await focusIs("Delete");
    await press("Enter");
    await open.page.getByText("1 message deleted").waitFor();
    await focusIs(/two|one/);
    await tabTo(/^Choose/, "Shift+Tab");
    await press("Space");
    await tabTo(/^Delete selected/);
    await press("Enter");
    await focusIs("Delete$");
    await press("Enter");
    await open.page.getByText(/^1 message$/).waitFor();
    await focusIs(/./);
    await press("/");
    await open.page.keyboard.type("subject:none");
    await press("Enter");
    await open.page.getByText("No results").or(open.page.getByText("No message")).first().waitFor();
    await focusIs(/./);
    await open.page.keyboard.press("Control+A");
    await open.page.keyboard.press("Delete");
    await press("Enter");
    await open.page.getByText(/^1 message$/).waitFor();
    await tabTo(/^Delete all/);
    await press("Enter");
    await focusIs("Delete all");
    await press("Enter");
    await open.page
      .getByText(/No messages|No mail/)
      .first()
      .waitFor();
    await focusIs(/./);
  });

  test("is kept when someone else deletes the open message, or all of them", async () => {
    await open.send({ subject: "theirs", text: "theirs" });
    await open.goTo("#/mail");
    await open.page.getByRole("link", { name: /theirs/ }).waitFor();
    await press("j");
    await press("Enter");
    await open.page.getByLabel("Add a tag").waitFor();
    await tabTo(/^Add a tag/);
    await api("mail/messages?all=true", "DELETE");
    await open.page.getByRole("heading", { name: "Message deleted" }).waitFor();
    await focusIs("Message deleted");
  });

  test("is kept while a journal is verified and repaired, and its states are compared", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const journal = await openJournal(port);
    await (await journal.recover("cart")).append([{ payload: { n: 1 } }, { payload: { n: 2 } }]);
    for await (const item of scanItems(port, { TableName: "events" })) {
      const { par, num } = item;
      if (item["persistence_id"]?.S === "cart" && par !== undefined && num !== undefined)
        await port.deleteItem({ TableName: "events", Key: { par, num } });
    }
    await open.goTo("#/journal/journal");
    await open.page.getByRole("button", { name: "Verify" }).waitFor();
    await tabTo(/^Verify/);
    await press("Enter");
    await open.page.getByRole("list", { name: "Findings" }).waitFor();
    await focusIs("Verify");
    await tabTo(/^Repair 1…/);
    await press("Enter");
    await focusIs("Repair");
    await press("Enter");
    await open.page.getByText(/: no findings\.$/).waitFor();
    await focusIs("Verify");
    await open.goTo("#/journal/journal/cart/events/2");
    await open.page.getByRole("tab", { name: "State" }).waitFor();
    await press("s");
    await open.page.getByRole("tab", { name: "Compare" }).waitFor();
    await tabTo(/^Change$/);
    for (const name of ["After 2", "Before 2", "Compare"]) {
      await press("ArrowRight");
      await focusIs(name);
    }
    await tabTo(/^From the state after event/);
    await press("ArrowUp");
    await open.page.getByText('"n": 2').first().waitFor();
    await focusIs("From the state after event");
    await tabTo(/^Event$/, "Shift+Tab");
    await press("ArrowLeft");
    await open.page.getByRole("tab", { name: "After 1" }).waitFor();
    await focusIs("Event");
  });

  test("is kept while a rollout is created, paused, resumed and cancelled", async () => {
    await api("shadows/lamp", "PATCH", { reported: { firmware: "1" } });
    await open.goTo("#/shadows?view=rollouts");
    await open.page.getByText("No rollouts yet").waitFor();
    await tabTo(/^New$/);
    await press("Enter");
    await open.page.getByRole("dialog").waitFor();
    await tabTo(/^Name/);
    await open.page.keyboard.type("v2");
    await tabTo(/^Query/);
    await open.page.keyboard.type('reported.firmware < "2"');
    const desired = open.page.getByRole("dialog").getByLabel(/^Desired/);
    await desired.focus();
    await desired.fill('{ "firmware": "2" }');
    await tabTo(/^Create$/);
    await press("Enter");
    await open.page.getByRole("heading", { name: "v2" }).waitFor();
    await focusIs(/./);
    await open.page.getByRole("button", { name: "Pause" }).waitFor();
    await tabTo(/^Pause$/);
    await press("Enter");
    await open.page.getByRole("button", { name: "Resume" }).waitFor();
    await focusIs(/Resume|Cancel|Accept|Roll/);
    await tabTo(/^Cancel…/);
    await press("Enter");
    await focusIs("Cancel the rollout|^Cancel");
    await press("Enter");
    await open.page.getByText("cancelled").first().waitFor();
    await focusIs(/./);
    expect(open.violations).toEqual([]);
  });
});

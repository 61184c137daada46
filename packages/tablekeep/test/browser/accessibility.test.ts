/** Every screen, tab and dialog: no serious finding of axe in both themes, and nothing that scrolls sideways on a phone. */
import { ensureTable } from "@tablekeep/client";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";

let open: OpenConsole;
beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ feed: true });
  await using port = otherPort(open.urlOf("dynamodb"));
  await ensureTable(port, {
    name: "orders",
    partitionKey: { name: "id", type: "S" },
    globalIndexes: [{ name: "by-status", partitionKey: { name: "status", type: "S" } }],
  });
  const long = "a text that is longer than any phone is wide ".repeat(4);
  for (const id of ["1", "2", long])
    await port.putItem({
      TableName: "orders",
      Item: { id: { S: id }, status: { S: "open" }, note: { S: long }, to: { M: { city: { S: "Bern" } } } },
    });
  await send("api/v3/journals/journal/ids/cart-1/events", {
    events: [{ payload: { type: "Created", note: long } }, { payload: { type: "Added" }, tags: ["shop"] }],
  });
  await send("things/lamp/shadow", { state: { desired: { on: true }, reported: { on: false } } });
  await send("api/v3/shadow-rollouts", {
    name: "classic-on",
    query: "desired.on = true",
    desired: { on: true },
  });
  const html = '<h1>Hello</h1><p>A mail with <a href="https://example.com/start">a link</a>.</p>';
  await open.send({ subject: "Welcome", html, text: "Hello" });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

async function send(path: string, body: unknown): Promise<void> {
  const answer = await fetch(new URL(path, open.urlOf("http")), {
    method: "POST",
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** Findings of axe that keep somebody from using the page, with the elements. */
async function findings(options: object): Promise<string[]> {
  const { violations } = (await open.page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...options })})`,
  )) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

const item1 = `#/tables/orders/${encodeURIComponent('{"id":{"S":"1"}}')}`;

/** The screens, and a text that each shows once it is complete. */
const screens: Readonly<Record<string, string>> = {
  "#/mail": "Welcome",
  "#/mail/sessions": "127.0.0.1",
  "#/journal": "cart-1",
  "#/journal/journal/cart-1": "Created",
  "#/journal/journal/cart-1/events/2": "shop",
  "#/journal/journal/cart-1/events/2?view=state": "State",
  "#/journal/journal/cart-1/snapshots": "No snapshots",
  "#/projections": "No projections",
  "#/shadows": "lamp",
  "#/shadows/lamp": "desired",
  "#/shadows?view=rollouts": "classic-on",
  "#/shadows?view=rollouts&rollout=classic-on": "wave 1 of 1",
  "#/tables": "orders",
  "#/tables/orders": "Bern",
  "#/tables/orders/new": "Plain JSON",
  [item1]: "Plain JSON",
  "#/tables/orders/partiql": "PartiQL",
  "#/tables/orders/changes": "No changes yet",
  "#/tables/orders/about": "by-status",
  "#/overview": "orders",
};

/** The screens that have dialogs, and the buttons that open them. */
const dialogs = [
  ["#/mail", "Chaos"],
  ["#/mail", "Delete all"],
  ["the message", "Release…"],
  ["#/shadows", "New"],
  ["#/shadows?view=rollouts", "New"],
  ["#/tables", "New"],
  ["#/tables/orders", "Columns: 4 of 4"],
  ["#/tables/orders/about", "New index"],
  ["#/tables/orders/about", "Delete the table"],
  ["#/overview", "Keys"],
] as const;

/** The address of the only message. */
async function messagePlace(): Promise<string> {
  const answer = await fetch(new URL("api/v3/mail/messages", open.urlOf("http")));
  const { messages } = (await answer.json()) as { messages: readonly { id: string }[] };
  return `#/mail/${encodeURIComponent(messages[0]?.id ?? "")}`;
}

/** Shows a place on a wide screen in light colors, as it is after it was opened. */
async function show(place: string, text: string): Promise<void> {
  const { page } = open;
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
  await open.goTo(place);
  // The same address as before, with another part behind `#`, loads nothing.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  await page.locator("#screen").getByText(text).filter({ visible: true }).first().waitFor();
}

/** Checks what is shown: all of it in light colors, then colors and width on a phone in dark ones. */
async function checkShown(): Promise<void> {
  const { page } = open;
  expect(await findings({})).toEqual([]);
  expect(await page.getByRole("heading", { level: 1, includeHidden: true }).count()).toBe(1);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 780 });
  expect(await findings({ runOnly: ["color-contrast"] })).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  // What is cut off cannot be reached: only what scrolls by itself may be wider than its place.
  expect(await page.evaluate(cutOff)).toEqual([]);
}

describe.skipIf(skipsBrowser)("every screen", { timeout: browserTestMs }, () => {
  const check = async (place: string, text: string) => {
    await show(place, text);
    await checkShown();
  };

  test.each(Object.entries(screens))("%s can be used by all", check);

  test("an open message can be used by all", async () => {
    await check(await messagePlace(), "anna@example.com");
  });

  test.each(["HTML", "Text", "Source", "Headers", "Structure", "Links (1)", "Lint"])(
    "the tab %s of a message can be used by all",
    async (name) => {
      const { page } = open;
      await show(await messagePlace(), "anna@example.com");
      await page.getByRole("tab", { name, exact: true }).click();
      const panel = page.getByRole("tabpanel");
      await panel.locator("*").first().waitFor();
      await panel.getByText("Reading").waitFor({ state: "detached" });
      await checkShown();
    },
  );

  test.each(dialogs)("in %s the dialog of “%s” can be used by all", async (at, button) => {
    const { page } = open;
    const place = at === "the message" ? await messagePlace() : at;
    await show(place, place.startsWith("#/mail/") ? "anna@example.com" : (screens[at] ?? ""));
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await checkShown();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("what a conflict shows can be used by all", async () => {
    const { page } = open;
    await show(item1, "Plain JSON");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Item, as plain JSON" }).fill('{ "id": "1", "mine": 1 }');
    await using port = otherPort(open.urlOf("dynamodb"));
    await port.putItem({ TableName: "orders", Item: { id: { S: "1" }, theirs: { N: "1" } } });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Replace what is stored" }).waitFor();
    await checkShown();
    await page.getByRole("button", { name: "Replace what is stored" }).click();
    await page.getByRole("textbox", { name: "Item, as plain JSON" }).waitFor({ state: "detached" });
  });

  test("is found if it cannot be used", async () => {
    const bad =
      '<input id="bad" style="position:absolute;left:500px"><p style="color:#999;background:#fff">x</p>';
    await open.page.evaluate(
      `document.querySelector("#app").insertAdjacentHTML("beforeend", ${JSON.stringify(bad)})`,
    );
    await open.page.evaluate('document.querySelector("#bad").style.cssText = "position:absolute;left:500px"');
    expect(await findings({})).toEqual([expect.stringMatching(/^label: <input id="bad"/)]);
    expect(await open.page.evaluate(cutOff)).toEqual([expect.stringContaining('id="bad"')]);
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

/** Controls that are outside the screen, and in nothing that scrolls. */
const cutOff = `[...document.querySelectorAll("#app button, #app a, #app input, #app select, #app textarea")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
  .filter((each) => {
    for (let at = each.parentElement; at !== null; at = at.parentElement)
      if (at.scrollWidth > at.clientWidth && ["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return false;
    return true;
  })
  .map((each) => each.outerHTML.slice(0, 160))`;

import { unwrap } from "@tablekeep/core";
import { openShadowManager } from "@tablekeep/shadow";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";
import { documentedKeys, ownKeys } from "./own-keys.ts";

let open: OpenConsole;
let device: MqttClient;
/** The messages that the device received, the newest last. */
const messages: { topic: string; document: { version: number; state: unknown } }[] = [];

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({
    mail: false,
    smtp: false,
    shadows: {
      store: { history: { keep: 100 } },
      others: [{ name: "second", store: { table: "second-shadows" } }],
    },
  });
  device = await connectAsync(open.urlOf("mqtt"), { reconnectPeriod: 0 }, false);
  device.on("message", (topic, payload) =>
    messages.push({ topic, document: JSON.parse(payload.toString()) }),
  );
  await device.subscribeAsync("$aws/things/lamp/shadow/update/delta", { qos: 1 });
}, browserTestMs);
afterAll(async () => {
  await device?.endAsync(true);
  await open?.[Symbol.asyncDispose]();
});

const rowWith = (text: string) => open.page.getByRole("listitem").filter({ hasText: text });
const half = (name: string) => open.page.getByRole("region", { name, exact: true });
const button = (name: string | RegExp) => open.page.getByRole("button", { name });
const editor = () => open.page.getByRole("textbox", { name: "Desired, as JSON" });
const report = (state: object) =>
  device.publishAsync("$aws/things/lamp/shadow/update", JSON.stringify({ state: { reported: state } }), {
    qos: 1,
  });

/** Changes a shadow over HTTP, as another user does. */
async function patch(thing: string, state: object): Promise<void> {
  const url = new URL(`/api/v3/shadows/${thing}`, open.urlOf("http"));
  expect((await fetch(url, { method: "PATCH", body: JSON.stringify(state) })).status).toBe(200);
}
const things = () => open.page.getByRole("list", { name: "Shadows" }).locator("strong").allTextContents();

describe.skipIf(skipsBrowser)("shadows", { timeout: browserTestMs }, () => {
  test("shows first steps, and shows what a device reports without a reload", async () => {
    await open.goTo("#/shadows");
    await open.page.getByText("No shadows yet").waitFor();
    await open.page.getByText("npx tablekeep shadow desire lamp").waitFor();
    // The server of this test has its own folder: the command alone would write elsewhere.
    await open.page.getByText("add --endpoint with its DynamoDB address").waitFor();
    await report({ on: false, firmware: "1.0" });
    await rowWith("lamp").getByRole("link").click();
    await half("Reported").getByText('"firmware": "1.0"').waitFor();
    await report({ firmware: "1.1" });
    await half("Reported").getByText('"firmware": "1.1"').waitFor();
  });

  test("an edit of what is desired reaches the device", async () => {
    await open.page.keyboard.press("e");
    await editor().fill('{ "on": tru');
    expect(await button("Save").isDisabled()).toBe(true);
    await open.page.getByText("✗").waitFor();
    await editor().press("Escape");
    await open.page.keyboard.press("Escape");
    await open.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await editor().fill('{ "on": true, "big": 9007199254740993 }');
    await button("Save").click();
    await expect.poll(() => messages.at(-1)?.document.state).toMatchObject({ on: true });
    await half("Desired").getByText('"big": 9007199254740993').waitFor();
    await open.page.getByLabel("Details").getByText("≠ behind").waitFor();
    expect(await half("Delta").textContent()).toMatch(/≠\s+"on": true/);
  });

  test("an editor has the focus from the moment it appears, so that nothing typed is lost", async () => {
    await expect.poll(() => button("Edit desired").isEnabled()).toBe(true);
    const focused = await open.page.evaluate(`new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const box = document.querySelector("textarea");
        if (box === null) return;
        observer.disconnect();
        resolve(document.activeElement === box && box.selectionEnd === 0);
      }).observe(document.body, { childList: true, subtree: true });
      [...document.querySelectorAll("button")].find((each) => each.textContent === "Edit desired")?.click();
    })`);
    expect(focused).toBe(true);
    await button("Cancel").click();
    await editor().waitFor({ state: "detached" });
  });

  test("an edit continues while the device reports, and stops at another user's edit until the user decides", async () => {
    await button("Edit desired").click();
    await editor().fill('{ "on": true, "big": 9007199254740993, "mine": 1 }');
    await report({ on: true });
    await open.page.getByText(/^4$/).waitFor();
    expect(await button("Save").isEnabled()).toBe(true);
    await patch("lamp", { desired: { theirs: 2 } });
    await open.page.getByText("The desired state was changed while you edited").waitFor();
    expect(await button(/^Save$/).isDisabled()).toBe(true);
    await button(/^Save on top of version/).click();
    await half("Desired").getByText('"mine": 1').waitFor();
    await half("Desired").getByText('"theirs": 2').waitFor();
    await half("Desired").getByText('"big": 9007199254740993').waitFor();
  });

  test("shows changes that were not made through this server", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    unwrap(await openShadowManager(port).report({ id: "lamp", state: { far: true } }));
    await half("Reported").getByText('"far": true').waitFor();
  });

  test("an edit of what is reported plays the device", async () => {
    await open.page.getByLabel("Details").getByText("≠ behind").waitFor();
    await open.page.keyboard.press("r");
    const box = open.page.getByRole("textbox", { name: "Reported, as JSON" });
    await box.fill('{ "on": true, "big": 9007199254740993, "mine": 1, "theirs": 2, "firmware": "1.1" }');
    await box.press("Control+Enter");
    await open.page.getByText("✓ in sync").first().waitFor();
    const stored = await fetch(new URL("/api/v3/shadows/lamp", open.urlOf("http")));
    expect(await stored.json()).toMatchObject({
      state: { reported: { mine: 1, theirs: 2, firmware: "1.1" } },
    });
  });

  test("shows the versions of a shadow, what each changed, and the shadow as it was", async () => {
    await open.page.keyboard.press("h");
    const versions = open.page.getByRole("list", { name: "Versions, newest first" });
    await versions.getByRole("listitem").filter({ hasText: '/reported/firmware: "1.0" → "1.1"' }).click();
    const then = open.page.getByRole("region", { name: "As it was" });
    await then.getByText('"firmware": "1.0",').waitFor();
    await then.getByRole("tab", { name: "State" }).click();
    await half("State then").getByText('"firmware": "1.1"').waitFor();
    await then.getByRole("tab", { name: "Since then" }).click();
    await half("Differences since then").getByText('"mine": 1').first().waitFor();
    const box = open.page.getByRole("textbox", { name: "Go to a version or time" });
    await box.fill("soon");
    await box.press("Enter");
    await open.page.getByText("Type a version, or a time").waitFor();
    await box.fill("1");
    await box.press("Enter");
    await then.getByText("The previous version is not stored, or this is the first one.").waitFor();
    await patch("lamp", { reported: { firmware: "1.2" } });
    await versions.getByRole("listitem").filter({ hasText: '"1.1" → "1.2"' }).waitFor();
  });

  test("sorts things, marks those that are behind, and filters by state and query", async () => {
    await patch("meter-10", { desired: { on: true } });
    await patch("meter-9", { desired: { on: true }, reported: { on: true, firmware: "2.9" } });
    await open.goTo("#/shadows");
    await open.page.reload();
    await rowWith("meter-10").getByText("≠ behind").waitFor();
    await rowWith("meter-9").getByText("✓ in sync").waitFor();
    expect(await things()).toEqual(["lamp", "meter-9", "meter-10"]);
    await open.page.getByRole("combobox", { name: "State" }).selectOption("Behind");
    await rowWith("lamp").waitFor({ state: "detached" });
    await expect.poll(things).toEqual(["meter-10"]);
    await patch("meter-10", { reported: { on: true, firmware: "2.10" } });
    await open.page.getByText("No shadow matches").waitFor();
    await open.page.getByRole("combobox", { name: "State" }).selectOption("All");
    const query = open.page.getByRole("searchbox", { name: "Search by query" });
    await query.fill('reported.firmware > "2.9"');
    await query.press("Enter");
    await expect.poll(things).toEqual(["meter-10"]);
    await query.fill("reported.firmware >");
    await query.press("Enter");
    await open.page.getByRole("alert").waitFor();
    await query.fill("");
    await query.press("Enter");
    await expect.poll(things).toEqual(["lamp", "meter-9", "meter-10"]);
  });

  test("creates a shadow, finds it by prefix, and deletes it after a confirmation", async () => {
    await button("New").click();
    await open.page.getByRole("textbox", { name: "Thing" }).fill("door-1");
    await button("Create").click();
    await half("Desired").getByText('"on": true').waitFor();
    await open.page.getByRole("searchbox", { name: "Filter things by prefix" }).fill("door");
    await rowWith("lamp").waitFor({ state: "detached" });
    await rowWith("door-1").getByRole("link").click();
    await button("Delete").click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await open.page.getByText("This shadow does not exist").waitFor();
    await open.page.getByText("No results").waitFor();
  });

  test.each([1280, 390])("shows a version far down the time line, %i pixels wide", async (width) => {
    for (let n = 0; n < 20; n++) await report({ n: `${width} ${n}` });
    await open.page.setViewportSize({ width, height: 780 });
    onTestFinished(() => open.page.setViewportSize({ width: 1280, height: 800 }));
    await open.goTo("#/shadows/lamp?view=history");
    const versions = open.page.getByRole("list", { name: "Versions, newest first" }).getByRole("link");
    await versions.nth(15).click();
    const then = open.page.getByRole("region", { name: "As it was" });
    await then.getByText("Version", { exact: true }).waitFor();
    const place = await then.boundingBox();
    expect(place?.y).toBeGreaterThan(0);
    expect(place?.y).toBeLessThan(600);
  });

  test("shows the shadows of another store", async () => {
    const url = new URL("/api/v3/shadow-stores/second/shadows/gate", open.urlOf("http"));
    await fetch(url, { method: "PATCH", body: '{"desired":{"open":true}}' });
    await open.goTo("#/shadows");
    await rowWith("lamp").waitFor();
    await open.page.getByRole("combobox", { name: "Store" }).selectOption("second");
    await rowWith("gate").getByRole("link").click();
    await half("Desired").getByText('"open": true').waitFor();
    await open.page.keyboard.press("h");
    await open.page.getByText("No history is kept").waitFor();
  });

  test("a change to a shadow that is not read yet leaves a long list as it is", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const manager = openShadowManager(port, { table: "second-shadows" });
    unwrap(await manager.report({ id: "far-", state: { n: 0 } }));
    const { Items = [] } = await port.scan({ TableName: "second-shadows" });
    const first = JSON.stringify(Items.find((item) => JSON.stringify(item).includes("far-")));
    const many = Array.from({ length: 5_600 }, (_, at) => `far-${at}`);
    for (let from = 0; from < many.length; from += 25) {
      const puts = many.slice(from, from + 25).map((id) => ({
        PutRequest: { Item: JSON.parse(first.replaceAll("far-", id)) },
      }));
      await port.batchWriteItem({ RequestItems: { "second-shadows": puts } });
    }
    await open.goTo("#/shadows?store=second&prefix=far-");
    await expect
      .poll(() => open.page.getByRole("listitem").first().getAttribute("aria-setsize"))
      .toBe("5000");
    const before = await things();
    for (let at = 0; at < many.length; at += 70)
      unwrap(await manager.report({ id: many[at] ?? "", state: { n: 1 } }));
    unwrap(await manager.report({ id: before[0] ?? "", state: { n: 2 } }));
    await rowWith(before[0] ?? "")
      .first()
      .getByText(/version [2-9]/)
      .waitFor();
    expect(await things()).toEqual(before);
  });

  test("has the keys that are documented", async () => {
    expect(await ownKeys(open, ["#/shadows", "#/shadows/lamp"])).toEqual(documentedKeys("Shadows"));
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

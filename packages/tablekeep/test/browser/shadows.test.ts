import { unwrap } from "@tablekeep/core";
import { openShadowManager } from "@tablekeep/shadow";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
    shadows: { others: [{ name: "second", store: { table: "second-shadows" } }] },
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

async function desireElsewhere(desired: object): Promise<void> {
  const url = new URL("/api/v3/shadows/lamp", open.urlOf("http"));
  expect((await fetch(url, { method: "PATCH", body: JSON.stringify({ desired }) })).status).toBe(200);
}

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
    await open.page.getByText("≠ differs").waitFor();
    expect(await half("Delta").textContent()).toMatch(/≠\s+"on": true/);
  });

  test("an edit continues while the device reports, and stops at another user's edit until the user decides", async () => {
    await button("Edit desired").click();
    await editor().fill('{ "on": true, "big": 9007199254740993, "mine": 1 }');
    await report({ on: true });
    await open.page.getByText(/^4$/).waitFor();
    expect(await button("Save").isEnabled()).toBe(true);
    await desireElsewhere({ theirs: 2 });
    await open.page.getByText("Somebody else changed what is desired").waitFor();
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

  test("shows the shadows of another store", async () => {
    const url = new URL("/api/v3/shadow-stores/second/shadows/gate", open.urlOf("http"));
    await fetch(url, { method: "PATCH", body: '{"desired":{"open":true}}' });
    await open.goTo("#/shadows");
    await rowWith("lamp").waitFor();
    await open.page.getByRole("combobox", { name: "Store" }).selectOption("second");
    await rowWith("gate").getByRole("link").click();
    await half("Desired").getByText('"open": true').waitFor();
  });

  test("has the keys that are documented", async () => {
    expect(await ownKeys(open, ["#/shadows", "#/shadows/lamp"])).toEqual(documentedKeys("Shadows"));
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

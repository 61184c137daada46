/** A dialog leaves the focus where it was before, however it is closed, and ends with the place that it belongs to. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;
beforeAll(async () => {
  if (!skipsBrowser) open = await openConsole({ journals: [], mail: false, smtp: false });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

describe.skipIf(skipsBrowser)("the focus after a dialog", { timeout: browserTestMs }, () => {
  test.each(["Escape", "Cancel"])("is on the button that opened it, after %s", async (leave) => {
    const { page } = open;
    await open.goTo("#/tables");
    const opener = page.getByRole("button", { name: "New", exact: true });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    if (leave === "Cancel") await dialog.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press(leave === "Cancel" ? "Enter" : "Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("New");
  });
});

describe.skipIf(skipsBrowser)("a dialog is cancelled", { timeout: browserTestMs }, () => {
  test("by going back to the place before", async () => {
    const { page } = open;
    await open.goTo("#/shadows/lamp");
    await open.goTo("#/shadows");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("dialog", { name: "New shadow" }).waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "lamp" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("with what it asks about: the statement does not run", async () => {
    const { page } = open;
    await open.goTo("#/tables/device-shadows/partiql");
    await page.getByLabel("Statement").fill('DELETE FROM "device-shadows" WHERE PK = 1');
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("dialog", { name: "Run this statement?" }).waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await open.goTo("#/tables");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("listitem").first().waitFor();
    expect(requests.filter((url) => url.includes("partiql"))).toEqual([]);
  });
});

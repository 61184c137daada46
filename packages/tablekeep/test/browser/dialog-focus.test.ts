/** A dialog leaves the focus where it was before, however it is closed. */
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

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDocs } from "../../../../scripts/lib/build-docs.mjs";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;
beforeAll(async () => {
  if (skipsBrowser) return;
  await buildDocs();
  open = await openConsole({ webPath: "/tools", smtp: false, mqtt: false, dynamodb: false });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

describe.skipIf(skipsBrowser)("the documentation behind a web path", { timeout: browserTestMs }, () => {
  test("is reached from the console, searched by keyboard, and remembers the theme", async () => {
    const { page, violations } = open;
    const refused: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") refused.push(message.text());
    });
    await page.goto(new URL("/tools/", open.urlOf("http")).href);
    await page.getByRole("link", { name: "Docs" }).click();
    await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("engine_folder_locked");
    await page.locator("#results a.chosen").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/tools\/docs\/.+\.html#/);
    expect(await page.getByText("ENGINE_FOLDER_LOCKED").count()).toBeGreaterThan(0);

    const theme = page.getByRole("button", { name: /^Theme: system/ });
    await theme.click();
    await page.getByRole("button", { name: /^Theme: light/ }).click();
    await page.reload();
    await page.getByRole("button", { name: /^Theme: dark/ }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");

    await page.getByRole("banner").getByRole("link", { name: "Console" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/tools/");
    expect([...refused, ...violations]).toEqual([]);
  });

  test("fits a phone: the contents fold, and only tables and code scroll sideways", async () => {
    const page = await open.openPage({ viewport: { width: 360, height: 700 } });
    await page.goto(new URL("/tools/docs/reference/server.html", open.urlOf("http")).href);
    expect(await page.getByRole("link", { name: "Tests without Docker" }).isVisible()).toBe(false);
    await page.getByText("Contents", { exact: true }).first().click();
    expect(await page.getByRole("link", { name: "Tests without Docker" }).isVisible()).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await page.close();
  });
});

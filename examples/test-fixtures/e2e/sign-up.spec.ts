import { expect } from "@playwright/test";
import { test } from "./playwright-fixtures.ts";

test("the link in the mail completes the sign-up", async ({ page, shopUrl, inbox }) => {
  await page.goto(shopUrl);
  await page.getByLabel("Your address").fill("ann@example.org");
  await page.getByRole("button", { name: "Sign up" }).click();
  await expect(page.getByRole("status")).toHaveText("Check your inbox");

  const mail = await inbox.waitFor("ann@example.org");
  await page.goto(mail.link(/confirm/));
  await expect(page.getByRole("status")).toHaveText("Welcome, ann@example.org");
});

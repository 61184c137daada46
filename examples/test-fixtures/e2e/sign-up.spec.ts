import { expect, test } from "./playwright-fixtures.ts";

test("the link in the mail completes the sign-up", async ({ page, shopUrl, tablekeep }) => {
  await page.goto(shopUrl);
  await page.getByLabel("Your address").fill("ann@example.org");
  await page.getByRole("button", { name: "Sign up" }).click();
  await expect(page.getByRole("status")).toHaveText("Check your inbox");

  const mail = await tablekeep.inbox.waitFor("ann@example.org");
  expect(mail).toMatchMail({ subject: "Welcome", from: "shop@example.org", link: /confirm/ });
  await page.goto(mail.link(/confirm/));
  await expect(page.getByRole("status")).toHaveText("Welcome, ann@example.org");
});

test("the shop of another test has no members", async ({ page, shopUrl, tablekeep }) => {
  await page.goto(`${shopUrl}/confirm?token=unknown`);
  await expect(page.getByRole("status")).toHaveText("Welcome, stranger");
  expect((await tablekeep.engine.scan({ TableName: "members" })).Items).toEqual([]);
});

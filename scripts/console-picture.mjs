/** Takes the picture of the console for the README: a server in memory, some mail, and Chromium. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { chromium } from "playwright-core";
import { startTestServer } from "tablekeep/testing";
import { rootFolder } from "./lib/run-command.mjs";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const mails = [
  [
    "Shop <shop@example.com>",
    "ben@example.com",
    "Your order 1042 is on its way",
    "It left our house this morning.",
  ],
  [
    "Billing <billing@example.com>",
    "ben@example.com",
    "Invoice 2026-118",
    "Please find the invoice attached.",
  ],
  ["Shop <shop@example.com>", "carol@example.com", "Reset your password", "The code is 480 112."],
  ["Alerts <alerts@example.com>", "team@example.com", "Sensor 7 is back", "It was away for 4 minutes."],
];
const welcome = `<div style="font:16px sans-serif;padding:24px;background:#f4f6fb">
<h1 style="color:#1d3b8b">Welcome, Ann!</h1><p>One click, and the kettle is yours to order.</p>
<p><a href="https://shop.example.com/confirm?token=7d1f" style="background:#1d3b8b;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none">Confirm your address</a></p>
<p>Or enter this code: <strong>123 456</strong></p></div>`;

const server = await startTestServer();
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const transport = createTransport(server.smtpUrl);
  for (const [from, to, subject, text] of mails) await transport.sendMail({ from, to, subject, text });
  await transport.sendMail({
    from: "Shop <shop@example.com>",
    to: "Ann <ann@example.com>",
    subject: "Please confirm your address",
    text: "Confirm: https://shop.example.com/confirm?token=7d1f",
    html: welcome,
    attachments: [{ filename: "terms.pdf", content: Buffer.alloc(34_816) }],
  });
  transport.close();
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
  await page.goto(server.url);
  await page.getByText("Please confirm your address").first().click();
  await page.frameLocator("iframe").getByText("Welcome, Ann!").waitFor();
  await page.screenshot({ path: join(rootFolder, "docs/images/console.png") });
} finally {
  await browser.close();
  await server.stop();
}

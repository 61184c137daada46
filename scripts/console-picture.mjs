/**
 * `npm run console-picture`: takes the picture of the README from the real console. A server in memory gets mail, items,
 * events and shadows; Chromium shows each screen; the result is one SVG that shows them in turn for five seconds each.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, ensureTable } from "@tablekeep/client";
import { createTransport } from "nodemailer";
import { chromium } from "playwright-core";
import { startTestServer } from "tablekeep/testing";
import { rootFolder } from "./lib/run-command.mjs";
import { slideShow } from "./lib/slide-show.mjs";

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const size = { width: 1120, height: 630 };
const mails = [
  ["Shop <shop@example.com>", "ben@example.com", "Your order 1042 is on its way", "It left this morning."],
  ["Billing <billing@example.com>", "ben@example.com", "Invoice 2026-118", "The invoice is attached."],
  ["Shop <shop@example.com>", "carol@example.com", "Reset your password", "The code is 480 112."],
  ["Alerts <alerts@example.com>", "team@example.com", "Sensor 7 is back", "It was away for 4 minutes."],
];
const welcome = `<div style="font:16px sans-serif;padding:24px;background:#f4f6fb">
<h1 style="color:#1d3b8b">Welcome, Ann!</h1><p>One click, and the kettle is yours to order.</p>
<p><a href="https://shop.example.com/confirm?token=7d1f" style="background:#1d3b8b;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none">Confirm your address</a></p>
<p>Or enter this code: <strong>123 456</strong></p></div>`;
const events = [
  { type: "Created", customer: "ann" },
  { type: "Added", item: "kettle", cents: 3900 },
  { type: "Added", item: "tea", cents: 650 },
  { type: "Removed", item: "tea" },
  { type: "CheckedOut", cents: 3900 },
];

const server = await startTestServer();
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  await Promise.all([sendMails(), putItems(), appendEvents(), updateShadows()]);
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  const shows = [
    ["mail", "Mail that your application sent", () => openMail(page)],
    ["tables", "Tables of the local DynamoDB", () => open(page, "products", "kettle")],
    ["journal", "Events of one id, in order", () => open(page, "cart-1", /"CheckedOut"/)],
    ["shadows", "What a device should do, and what it reports", () => open(page, "lamp")],
  ];
  const slides = [];
  for (const [name, title, show] of shows) {
    await page.goto(new URL(`#/${name}`, server.url).href);
    await show();
    slides.push({ title, jpeg: await page.screenshot({ type: "jpeg", quality: 72 }) });
  }
  writeFileSync(join(rootFolder, "docs/images/console.svg"), slideShow(slides, { ...size, secondsEach: 5 }));
} finally {
  await browser.close();
  await server.stop();
}

async function sendMails() {
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
}

async function putItems() {
  const port = connect({
    endpoint: server.dynamodbUrl,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });
  await ensureTable(port, { name: "products", partitionKey: { name: "name", type: "S" } });
  for (const [name, cents, stock] of [
    ["kettle", 3900, 12],
    ["tea", 650, 340],
    ["cup", 900, 58],
    ["spoon", 300, 96],
  ])
    await port.putItem({
      TableName: "products",
      Item: {
        name: { S: name },
        cents: { N: String(cents) },
        stock: { N: String(stock) },
        tags: { SS: ["kitchen"] },
      },
    });
  await port.close();
}

async function appendEvents() {
  for (const id of ["cart-1", "cart-2", "cart-3"])
    await post(`api/v3/journals/journal/ids/${id}/events`, {
      events: events.map((payload) => ({ payload })),
    });
}

async function updateShadows() {
  for (const thing of ["fan", "heating", "lamp"]) {
    await post(`things/${thing}/shadow`, { state: { reported: { on: false, firmware: "2.1.0" } } });
    await post(`things/${thing}/shadow`, { state: { desired: { on: true, level: 3 } } });
  }
}

async function post(path, body) {
  const answer = await fetch(new URL(path, server.url), { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
}

async function openMail(page) {
  await page.getByText("Please confirm your address").first().click();
  await page.frameLocator("iframe").getByText("Welcome, Ann!").waitFor();
}

/** Clicks one after the other. */
async function open(page, ...texts) {
  for (const text of texts) await page.getByText(text, { exact: true }).first().click();
  await page.waitForLoadState("networkidle");
}

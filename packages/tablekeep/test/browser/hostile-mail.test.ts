import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMetrics } from "../read-metrics.ts";
import { type HostilePayloads, hostilePayloads } from "./hostile-payloads.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;
let hostile: HostilePayloads;
let payloads: readonly string[] = [];
const ids: string[] = [];

beforeAll(async () => {
  if (skipsBrowser) return;
  hostile = await hostilePayloads();
  payloads = hostile.payloads;
  open = await openConsole({ dynamodb: false, mqtt: false });
  for (const [at, payload] of payloads.entries()) ids.push(await inject(hostileMail(payload, at)));
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  hostile?.[Symbol.dispose]();
});

async function inject(raw: string): Promise<string> {
  const url = new URL("/api/v3/mail/messages?from=a@example.com&to=b@example.com", open.urlOf("http"));
  const answer = await fetch(url, { method: "POST", body: raw });
  return ((await answer.json()) as { id: string }).id;
}

/** The payload wherever a sender can put it. */
function hostileMail(payload: string, at: number): string {
  const quoted = payload.replace(/["\\]/g, "\\$&");
  return [
    `From: "${quoted}" <a@example.com>`,
    `To: "${quoted}" <b@example.com>`,
    `Subject: No ${at} ${payload}`,
    `X-Trap: ${payload}`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="cut"',
    "",
    "--cut",
    "Content-Type: text/plain; charset=utf-8",
    "",
    `${payload} in the text`,
    "--cut",
    "Content-Type: text/html; charset=utf-8",
    "",
    `<p>before</p>${payload}<p>after</p>`,
    "--cut",
    `Content-Type: text/html; name="${quoted}"; x="${quoted}"`,
    `Content-Disposition: attachment; filename="${quoted}"`,
    "",
    payload,
    "--cut--",
    "",
  ].join("\r\n");
}

const waitSeries = (status: number) =>
  `tablekeep_http_requests_total{part="mail",method="GET",route="/api/v3/mail/wait",status="${status}"}`;

/** No script ran, no request left the page, and no URL of a message was requested from this server. */
const nothing = async () => {
  const { tracked, connections } = hostile;
  const metrics = await readMetrics(open.urlOf("http"));
  const own = [200, 403].map((status) => metrics.value(waitSeries(status)));
  expect({ violations: open.violations, tracked, connections, own }).toEqual({
    violations: [],
    tracked: [],
    connections: [],
    own: [undefined, undefined],
  });
};

/** Opens a message with this HTML. */
async function show(html: string): Promise<string> {
  const head = "Subject: shown\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
  const id = await inject(`${head}${html}\r\n`);
  await open.goTo(`#/mail/${id}`);
  await open.page.getByRole("heading", { name: "shown" }).waitFor();
  await open.page.getByRole("tab", { name: "HTML" }).click();
  return id;
}

/** Elements that the console never has: each would be markup of a sender. */
const strangers = () =>
  open.page.evaluate(
    "[...document.querySelectorAll('#app script, #app svg, #app object, #app style, #app img:not([src=\"assets/icon.svg\"]), #app [onerror], #app [onclick], #app [style*=fixed]')].map((each) => each.outerHTML)",
  );

describe.skipIf(skipsBrowser)("hostile mail", { timeout: 5 * browserTestMs }, () => {
  test("there are enough payloads", () => {
    expect(new Set(payloads).size).toBeGreaterThanOrEqual(110);
  });

  test("does nothing in the list, in the sandbox, in names of people and files", async () => {
    await open.goTo("#/mail");
    for (const [at, id] of ids.entries()) {
      hostile.shows(payloads[at] ?? "");
      await open.page.evaluate(`location.hash = "#/mail/${id}"`);
      await open.page.getByRole("heading", { name: `No ${at} ` }).waitFor();
      const frame = open.page.frameLocator(`iframe[src*="${id}"]`);
      await frame.getByText("before", { exact: true }).waitFor();
      await open.page.mainFrame().childFrames().at(-1)?.waitForLoadState();
    }
    expect(await strangers()).toEqual([]);
    await nothing();
  });

  test.each(["Text", "Headers", "Source"])("does nothing as %s", async (view) => {
    const all = [
      ...payloads.map((payload, at) => `X-Trap-${at}: ${payload}`),
      `Subject: all as ${view}`,
      "",
      ...payloads,
      "the end",
      "",
    ].join("\r\n");
    await open.goTo(`#/mail/${await inject(all)}`);
    await open.page.getByRole("heading", { name: `all as ${view}` }).waitFor();
    await open.page.getByRole("tab", { name: view }).click();
    const last = view === "Headers" ? `X-Trap-${payloads.length - 1}` : "the end";
    await open.page.getByRole("tabpanel").getByText(last).waitFor();
    expect(await strangers()).toEqual([]);
    await nothing();
  });

  test("does nothing as a search term", async () => {
    for (const payload of payloads.filter((_, at) => at % 6 === 0)) {
      const text = `${payload.trim()} nowhere`;
      await open.goTo(`#/mail?kind=text&q=${encodeURIComponent(text)}`);
      await open.page.getByText(`No message contains “${text}”`).waitFor();
      const phrase = `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
      await open.goTo(`#/mail?q=${encodeURIComponent(phrase)}`);
      await open.page.getByText(`No message matches “${phrase}”`).waitFor();
    }
    expect(await strangers()).toEqual([]);
    await nothing();
  });

  test("navigates nowhere except to a page in a new tab", async () => {
    const links = [
      "javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "#x",
      "OWN",
      "file:///",
    ];
    const html = links.map((href, at) => `<p><a id=l${at} href="${href}">link ${at}</a></p>`).join("");
    await show(`${html}<map name=m><area href="javascript:alert(1)"></map><p>after</p>`);
    const frame = open.page.frameLocator("iframe");
    for (const at of links.keys()) await frame.locator(`#l${at}`).click();
    await frame.getByText("after").waitFor();
    await nothing();
  });

  test("does nothing as a separate page, and attachments are only downloaded", async () => {
    const api = new URL("/api/v3/mail/messages/", open.urlOf("http"));
    const page = await open.openPage();
    for (const id of ids.slice(0, 12)) await page.goto(new URL(`${id}/html`, api).href);
    const attached = page.goto(new URL(`${ids[0]}/attachments/0`, api).href);
    await expect(attached).rejects.toThrow("Download is starting");
    await page.close();
    await nothing();
  });

  test("loads remote images only on request, and only for that message", async () => {
    const at = payloads.findIndex((payload) => /^<img src=http/.test(payload));
    await open.goTo(`#/mail/${ids[at]}`);
    await open.page.getByRole("tab", { name: "HTML" }).click();
    await open.page.frameLocator("iframe").getByText("after").waitFor();
    await nothing();
    hostile.shows("images of the web");
    await open.page.getByRole("button", { name: "Load remote images" }).click();
    await expect.poll(() => hostile.tracked.length).toBe(1);
    await open.page.evaluate(`location.hash = "#/mail/${ids[at + 1]}"`);
    await open.page.getByRole("heading", { name: `No ${at + 1} ` }).waitFor();
    await open.page.frameLocator("iframe").getByText("after").waitFor();
    expect(hostile.tracked).toHaveLength(1);
    open.violations.length = 0;
  });

  test("cannot request anything of this server by remote images or their redirects", async () => {
    const own = new URL("/api/v3/mail/wait?timeoutMs=1", open.urlOf("http"));
    const local = new URL(own);
    local.hostname = "localhost";
    const redirected = `${hostile.away}?redirect=${encodeURIComponent(own.href)}`;
    await show(`<img src="${own}"><img src="${local}"><img src="${redirected}"><p>after</p>`);
    await open.page.getByRole("button", { name: "Load remote images" }).click();
    const answered = async (status: number) =>
      (await readMetrics(open.urlOf("http"))).value(waitSeries(status));
    await expect.poll(() => answered(403)).toBe(1);
    expect(await answered(200)).toBeUndefined();
    open.violations.length = 0;
  });

  test("opens links in a new tab, without an opener and a referrer, and does not navigate", async () => {
    const before = hostile.requests.length;
    const href = `${hostile.away}?a=1&amp;b=2`;
    await show(
      `<a href="${href}">plain</a> <a href="${href}" target="_blank">blank</a> <a href="${href}" target="_top">top</a> ` +
        `<a href="${href}" target="_self" rel="opener" referrerpolicy="unsafe-url">self</a>` +
        '<a href="mailto:ann@example.com">mail</a><p>after</p>',
    );
    const place = open.page.url();
    const frame = open.page.frameLocator("iframe");
    for (const name of ["plain", "blank", "top", "self"]) {
      const [tab] = await Promise.all([
        open.page.context().waitForEvent("page"),
        frame.getByRole("link", { name, exact: true }).click(),
      ]);
      await tab.getByText("you are away").waitFor();
      expect(await tab.evaluate("[opener, document.referrer]")).toEqual([null, ""]);
      await tab.close();
      await frame.getByText("after").waitFor();
      expect(open.page.url()).toBe(place);
    }
    await frame.getByRole("link", { name: "mail" }).click();
    await frame.getByText("after").waitFor();
    const sent = hostile.requests.slice(before).filter(({ url }) => url === "/x?a=1&b=2");
    expect(sent.length).toBe(4);
    expect(sent.map(({ headers }) => headers.referer)).toEqual([undefined, undefined, undefined, undefined]);
    expect(open.violations.filter((misdeed) => !misdeed.startsWith("popup: "))).toEqual([]);
    open.violations.length = 0;
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

const nothing = () =>
  expect({ misdeeds: open.misdeeds, tracked: hostile.tracked }).toEqual({ misdeeds: [], tracked: [] });

/** Elements that the console never has: each would be markup of a sender. */
const strangers = () =>
  open.page.evaluate(
    "[...document.querySelectorAll('#app script, #app svg, #app object, #app style, #app img:not([src=\"assets/icon.svg\"]), #app [onerror], #app [onclick], #app [style*=fixed]')].map((each) => each.outerHTML)",
  );

describe.skipIf(skipsBrowser)("hostile mail", { timeout: browserTestMs }, () => {
  test("there are enough tricks", () => {
    expect(new Set(payloads).size).toBeGreaterThanOrEqual(40);
  });

  test("does nothing in the list, in the sandbox, in names of people and files", async () => {
    await open.goTo("#/mail");
    for (const [at, id] of ids.entries()) {
      await open.page.evaluate(`location.hash = "#/mail/${id}"`);
      await open.page.getByRole("heading", { name: `No ${at} ` }).waitFor();
      const frame = open.page.frameLocator(`iframe[src*="${id}"]`);
      await frame.getByText("before", { exact: true }).waitFor();
      await open.page.mainFrame().childFrames().at(-1)?.waitForLoadState();
    }
    expect(await strangers()).toEqual([]);
    nothing();
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
    nothing();
  });

  test("does nothing as what is looked for", async () => {
    for (const payload of payloads.filter((_, at) => at % 6 === 0)) {
      await open.goTo(`#/mail?q=${encodeURIComponent(`${payload} nowhere`)}`);
      await open.page.getByText(`No message holds “${payload.trim()} nowhere”`).waitFor();
    }
    expect(await strangers()).toEqual([]);
    nothing();
  });

  test("leads nowhere when its links are clicked", async () => {
    for (const [payload, link] of [
      ["id=go", "#go"],
      ["target=_top", "a"],
    ] as const) {
      const at = payloads.findIndex((each) => each.includes(payload));
      await open.goTo(`#/mail/${ids[at]}`);
      await open.page.getByRole("tab", { name: "HTML" }).click();
      await open.page.frameLocator("iframe").locator(link).click();
      await open.page.frameLocator("iframe").getByText("after").waitFor();
      expect(open.page.url()).toContain(`#/mail/${ids[at]}`);
    }
    nothing();
  });

  test("does nothing as a page of its own, and what is attached is only downloaded", async () => {
    const api = new URL("/api/v3/mail/messages/", open.urlOf("http"));
    const page = await open.openPage();
    for (const id of ids.slice(0, 12)) await page.goto(new URL(`${id}/html`, api).href);
    const attached = page.goto(new URL(`${ids[0]}/attachments/0`, api).href);
    await expect(attached).rejects.toThrow("Download is starting");
    await page.close();
    nothing();
  });

  test("loads images of the web once somebody asks for it, and for that message only", async () => {
    const at = payloads.findIndex((payload) => /^<img src=http/.test(payload));
    await open.goTo(`#/mail/${ids[at]}`);
    await open.page.getByRole("tab", { name: "HTML" }).click();
    await open.page.frameLocator("iframe").getByText("after").waitFor();
    nothing();
    await open.page.getByRole("button", { name: "Load images of the web" }).click();
    await expect.poll(() => hostile.tracked.length).toBe(1);
    await open.page.evaluate(`location.hash = "#/mail/${ids[at + 1]}"`);
    await open.page.getByRole("heading", { name: `No ${at + 1} ` }).waitFor();
    await open.page.frameLocator("iframe").getByText("after").waitFor();
    expect(hostile.tracked).toHaveLength(1);
  });
});

import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type NewEvent, openJournal, openSnapshots } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleModule } from "../entities/bundle-module.ts";
import { tempFolder } from "../temp-folder.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";

let open: OpenConsole;
/** A server that a fold tries to reach, and how often it was. */
let elsewhere: Server;
let reached = 0;

beforeAll(async () => {
  if (skipsBrowser) return;
  const folder = tempFolder();
  mkdirSync(folder);
  const entities = await bundleModule(folder);
  const off = { mail: false, smtp: false, shadows: false, mqtt: false } as const;
  open = await openConsole({ ...off, entities, webPath: "/tools" });
  elsewhere = createServer((_, response) => {
    reached++;
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("{}");
  });
  elsewhere.on("upgrade", (_, socket) => {
    reached++;
    socket.destroy();
  });
  await new Promise<void>((done) => elsewhere.listen(0, "127.0.0.1", done));
  const start = Date.parse("2026-03-01T10:00:00Z");
  await append(
    "cart",
    [
      { payload: { type: "created", owner: "anna" }, tags: ["shop"] },
      { payload: { type: "added", items: ["apple"], total: 1 } },
      { payload: { type: "added", items: ["apple", "pear"], total: 3 }, tags: ["shop"] },
      { payload: { paid: true }, manifest: "cart.Paid" },
    ].map((event, at) => ({ ...event, timestamp: start + at * 60_000 })),
  );
  for (let from = 0; from < 1_100; from += 55)
    await append(
      "long",
      Array.from({ length: 55 }, (_, at) => ({ payload: { at: from + at + 1 } })),
    );
}, browserTestMs);
afterAll(async () => {
  elsewhere?.close();
  await open?.[Symbol.asyncDispose]();
});

async function append(id: string, events: readonly NewEvent[]): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  await (await (await openJournal(port)).recover(id)).append(events);
}

const goTo = (hash: string) => open.page.goto(new URL(`/tools/${hash}`, open.urlOf("http")).href);
const place = (id: string, rest: string) => `#/journal/journal/${encodeURIComponent(id)}/events/${rest}`;
const detail = () => open.page.getByRole("article");
const rows = () => open.page.getByRole("list").getByRole("listitem");
const heading = (name: string) => detail().getByRole("heading", { name, exact: true }).waitFor();
const shown = (label: string, text: string) =>
  detail().getByRole("region", { name: label, exact: true }).filter({ hasText: text }).waitFor();

async function typeFold(code: string): Promise<void> {
  // The server is asked first whether it has a definition.
  await detail()
    .getByRole("button", { name: /^(Edit|Hide) the fold$/ })
    .waitFor();
  const edit = detail().getByRole("button", { name: "Edit the fold" });
  if (await edit.isVisible()) await edit.click();
  await detail().getByRole("textbox", { name: "Fold" }).fill(code);
  await open.page.keyboard.press("Control+Enter");
}

describe.skipIf(skipsBrowser)("time travel", { timeout: browserTestMs }, () => {
  test("shows the state before and after an event, and what the event changed", async () => {
    await goTo(place("cart", "3"));
    await heading("Event 3");
    await open.page.keyboard.press("s");
    const changed = detail().getByRole("region", { name: "Differences of the states" });
    await changed.waitFor();
    expect(await changed.locator(".added, .removed").allTextContents()).toEqual([
      expect.stringMatching(/^\+.*"pear",/),
      expect.stringMatching(/^-.*"total": 1,/),
      expect.stringMatching(/^\+.*"total": 3,/),
    ]);
    await detail().getByRole("tab", { name: "Before 3" }).click();
    await shown("State", '"total": 1');
    await detail().getByRole("tab", { name: "After 3" }).click();
    await shown("State", '"owner": "anna"');
    const slider = detail().getByRole("slider", { name: "Event" });
    await slider.press("Home");
    await heading("Event 1");
    await slider.press("k");
    await heading("Event 2");
    await open.page.keyboard.press("j");
    await heading("Event 1");
    await detail().getByRole("tab", { name: "Before 1" }).click();
    await detail().getByText("There is no state yet.").waitFor();
  });

  test("folds a long id by a typed fold, steps back and forth, and compares any two states", async () => {
    await goTo(place("long", "1100?view=state"));
    await typeFold("(count = 0) => count + 1");
    await detail().getByRole("tab", { name: "After 1100" }).click();
    await shown("State", "1100");
    await open.page.getByRole("link", { name: "← 1099" }).click();
    await shown("State", "1099");
    await goTo(place("long", "3?view=state&from=2"));
    await detail().getByText("States come from your fold.").waitFor();
    await shown("Differences of the states", "2");
    await detail().getByRole("spinbutton").fill("0");
    await expect.poll(() => detail().locator(".removed").count()).toBe(0);
    await shown("Differences of the states", "3");
  });

  test("starts from snapshots on request", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    await using snapshots = await openSnapshots(port, { journal: {} });
    await snapshots.save("long", 600, 10_000);
    await goTo(place("long", "602?view=state"));
    await open.page.reload();
    await detail().getByRole("tab", { name: "After 602" }).click();
    await shown("State", "602");
    await detail().getByRole("checkbox", { name: "Start from snapshots" }).check();
    await shown("State", "10002");
  });

  test("a hostile fold reaches no network, no page and no storage", async () => {
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const own = new URL("/tools/api/v3/journals", open.urlOf("http")).href;
    await goTo(place("cart", "2?view=state"));
    await detail().getByRole("tab", { name: "After 2" }).click();
    await typeFold(`(() => {
      const tried = { origin: self.origin, page: typeof window + typeof document };
      const attempt = (name, run) => {
        try { run(); tried[name] = "did"; } catch (error) { tried[name] = "could not"; }
      };
      attempt("import", () => importScripts("${url}"));
      attempt("storage", () => indexedDB.open("x"));
      attempt("request", () => { const r = new XMLHttpRequest(); r.open("GET", "${url}", false); r.send(); });
      try { new WebSocket("${url}".replace("http", "ws")); } catch {}
      try { new Worker("data:text/javascript,fetch('${url}')"); } catch {}
      for (const [name, url] of [["fetch", "${url}"], ["own", "${own}"]])
        fetch(url, { mode: "no-cors" }).then(() => (tried[name] = "did"), () => (tried[name] = "could not"));
      import("${url}").then(() => (tried.module = "did"), () => (tried.module = "could not"));
      Object.prototype.value = "polluted";
      return () => ({ ...tried });
    })()`);
    await shown("State", '"origin": "null"');
    // What it tried meanwhile is in the states that are folded after it.
    await expect
      .poll(async () => {
        for (const link of ["3 →", "← 2"]) await open.page.getByRole("link", { name: link }).click();
        await heading("Event 2");
        return JSON.parse((await detail().getByRole("region", { name: "State" }).textContent()) ?? "null");
      })
      .toEqual({
        origin: "null",
        page: "undefinedundefined",
        import: "could not",
        storage: "could not",
        request: "could not",
        fetch: "could not",
        own: "could not",
        module: "could not",
      });
    expect(reached).toBe(0);
    expect(await open.page.evaluate("({}).value")).toBeUndefined();
    await fetch(url);
    expect(reached).toBe(1);
  });

  test("stops a fold that does not end, or that sends messages itself, and reports errors", async () => {
    await typeFold("() => { for (;;); }");
    // The page works meanwhile.
    await detail().getByRole("tab", { name: "Payload" }).click();
    await shown("Payload", '"total": 1');
    await open.page.keyboard.press("s");
    const alert = detail().getByRole("alert");
    await alert.filter({ hasText: "stopped: the fold ran for more than 3 s" }).waitFor();
    await typeFold(`(() => {
      const { postMessage } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (message) {
        for (let id = 0; id < 100; id++) postMessage.call(this, { id, result: { states: { 2: "{" } } });
      };
      return () => 1;
    })()`);
    await alert.filter({ hasText: "stopped: the fold sent its own messages" }).waitFor();
    await typeFold("(state, event) => event.nothing.more");
    await alert.filter({ hasText: "event 1: TypeError" }).waitFor();
    await typeFold("(state, event) => {");
    await alert.filter({ hasText: "SyntaxError" }).waitFor();
    await detail().getByRole("button", { name: "Reset" }).click();
    await shown("Differences of the states", '"total": 1');
    expect(await open.page.locator("iframe").count()).toBe(1);
  });

  test("shows hostile events as text", async () => {
    const markup = "</script><img src=x onerror=alert(1)>";
    await append("hostile", [
      { payload: JSON.parse(`{"__proto__":{"polluted":true},"${markup}":"${markup}"}`) },
    ]);
    await goTo(place("hostile", "1?view=state"));
    await shown("Differences of the states", markup);
    expect(await open.page.locator("#app img:not([src='assets/icon.svg'])").count()).toBe(0);
    expect(await open.page.evaluate("({}).polluted")).toBeUndefined();
  });

  test("shows the states of a registered entity by its definition, and its errors", async () => {
    await append("account|ann", [
      { payload: { type: "deposited", coins: 2 }, manifest: "deposited" },
      { payload: { type: "deposited", cents: 5 }, manifest: "deposited@2" },
    ]);
    await goTo(place("account|ann", "2?view=state"));
    await detail()
      .getByText("These states come from the definition of account, for the entity ann.")
      .waitFor();
    const changed = detail().getByRole("region", { name: "Differences of the states" });
    await changed.waitFor();
    expect(await changed.locator(".added").allTextContents()).toEqual([
      expect.stringMatching(/^\+.*"cents": 205,/),
      expect.stringMatching(/^\+.*"deposits": 2/),
    ]);
    await detail().getByRole("tab", { name: "Before 2" }).click();
    await shown("State", '"cents": 200');
    await detail().getByRole("checkbox", { name: "Use the entity's definition" }).uncheck();
    await shown("State", '"coins": 2');
    await detail().getByRole("checkbox", { name: "Use the entity's definition" }).check();
    await shown("State", '"cents": 200');
    await append("broken|1", [{ payload: { type: "fine" } }, { payload: { type: "throw" } }]);
    await goTo(place("broken|1", "2?view=state"));
    await detail().getByRole("alert").filter({ hasText: "TypeError: no such fruit" }).waitFor();
    await goTo(place("broken|1", "1?view=state"));
    await shown("Differences of the states", "1");
  });

  test("goes to a number or a time, and filters by type, tag and text", async () => {
    await goTo("#/journal/journal/long");
    await rows().first().waitFor();
    await open.page.keyboard.press("n");
    await open.page.keyboard.type("7");
    await open.page.keyboard.press("Enter");
    await heading("Event 7");
    await open.page.getByRole("link", { name: '{"at":7}' }).waitFor();
    await goTo("#/journal/journal/cart");
    const box = open.page.getByRole("textbox", { name: "Go to a sequence number or time" });
    await box.fill("yesterday or so");
    await box.press("Enter");
    await open.page.getByText("Type a sequence number, or a time").waitFor();
    await box.fill("2026-03-01T10:02:30Z");
    await box.press("Enter");
    await heading("Event 3");
    const filter = open.page.getByRole("searchbox", { name: /^Filter events/ });
    for (const [typed, count] of [
      ["type:added", 2],
      ["tag:shop type:added", 1],
      ["anna", 1],
      ["type:paid", 1],
    ] as const) {
      await filter.fill(typed);
      await open.page.getByText(new RegExp(`^${count} events? match`)).waitFor();
      // Two filters in a row have one match each: the text may still be that of the first.
      await expect.poll(() => rows().count()).toBe(count);
    }
    await append("cart", [{ payload: { late: true }, manifest: "cart.Paid" }]);
    await open.page.getByText("2 events match").waitFor();
    await filter.fill("nothing like it");
    await open.page.getByText("No event matches").waitFor();
  });

  test("lists ids sorted, with the number and type of their last event", async () => {
    for (const id of ["cart-10", "cart-9"]) await append(id, [{ payload: {}, manifest: `of ${id}` }]);
    await goTo("#/journal");
    await rows().filter({ hasText: "of cart-10" }).waitFor();
    await rows().filter({ hasText: "1,100" }).waitFor();
    const ids = await rows().locator("strong").allTextContents();
    expect(ids).toEqual(["account|ann", "broken|1", "cart", "cart-9", "cart-10", "hostile", "long"]);
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

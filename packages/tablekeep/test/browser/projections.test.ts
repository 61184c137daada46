import { ensureTable } from "@tablekeep/client";
import { openFeed } from "@tablekeep/feed";
import { defineProjection, projectionTableSpec, runProjections } from "@tablekeep/feed/projections";
import { openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";
import { documentedKeys, ownKeys } from "./own-keys.ts";

let open: OpenConsole;

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ feed: true, shadows: false, mqtt: false });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const rowWith = (text: string) => open.page.getByRole("list").getByRole("listitem").filter({ hasText: text });
const detail = () => open.page.getByRole("article");
const button = (name: string) => open.page.getByRole("button", { name, exact: true });
const inDialog = (name: string) => open.page.getByRole("dialog").getByRole("button", { name, exact: true });

async function append(id: string, ...payloads: readonly unknown[]): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  const writer = await (await openJournal(port)).recover(id);
  await writer.appendEach(payloads.map((payload) => ({ payload })));
}

const hostile = "<img src=x onerror=alert(1)>";

/** A projection that parks what it cannot apply: events with the payload `bad`. */
const totals = defineProjection({
  name: "totals",
  mode: "at-least-once",
  onPoison: "park",
  retry: { attempts: 1 },
  handle({ payload }) {
    if (payload === "bad") throw new Error(`no such account ${hostile}`);
  },
});

/** A projection that stops at what it cannot apply. */
const strict = defineProjection({
  name: "strict",
  mode: "at-least-once",
  retry: { attempts: 1 },
  handle({ payload }) {
    if (payload === "bad") throw new Error("not allowed");
  },
});

/** Runs the projections as another process does, until something has happened. */
async function whileRun(until: () => Promise<unknown>): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  await ensureTable(port, projectionTableSpec());
  await using _running = await runProjections(port, [totals, strict], { sequencer: false, pollMs: 50 });
  await until();
}

describe.skipIf(skipsBrowser)("projections", { timeout: browserTestMs }, () => {
  test("shows first steps, and projections once a process has run them", async () => {
    await open.goTo("#/projections");
    await open.page.getByText("No projections yet").waitFor();
    await open.page.getByText("npx tablekeep serve --feed").waitFor();
    await append("cart-1", "good", "bad", "good");
    await whileRun(async () => {
      await rowWith("totals").getByText("2 parked").waitFor();
      await rowWith("strict").getByText("stopped").waitFor();
    });
  });

  test("shows position, lag and parked events with their errors, as text", async () => {
    await rowWith("totals").getByRole("link").click();
    await detail().getByRole("heading", { name: "totals" }).waitFor();
    await detail().getByText("3 of 3 events", { exact: true }).waitFor();
    const parked = detail().getByRole("list", { name: "Parked events" });
    await expect.poll(() => parked.getByRole("listitem").count()).toBe(2);
    expect(await parked.getByRole("listitem").first().textContent()).toContain(hostile);
    await parked.getByRole("link", { name: "cart-1 · 2" }).click();
    await detail().getByRole("heading", { name: "Event 2" }).waitFor();
    expect(open.violations).toEqual([]);
  });

  test("retries and drops parked events, after a confirmation", async () => {
    await open.goTo("#/projections/journal/totals");
    await button("Retry the events of cart-1").first().click();
    await open.page.getByText("Will be applied again soon").first().waitFor();
    await button("Drop cart-1 · 2").click();
    await inDialog("Cancel").click();
    expect(await button("Drop cart-1 · 2").count()).toBe(1);
    await button("Drop cart-1 · 2").click();
    await inDialog("Drop").click();
    await button("Drop cart-1 · 2").waitFor({ state: "detached" });
    await button("Drop all…").click();
    await inDialog("Drop all").click();
    await detail().getByText("None. Events that fail").waitFor();
  });

  test("pauses and resumes by a button and by a key", async () => {
    await button("Pause").click();
    await rowWith("totals").getByText("paused").waitFor();
    await button("Resume").waitFor();
    await open.page.keyboard.press("p");
    await button("Pause").waitFor();
    await rowWith("totals").getByText("paused").waitFor({ state: "detached" });
  });

  test("skips an event that stopped a slice", async () => {
    await open.goTo("#/projections/journal/strict");
    await detail().getByText("is stopped").waitFor();
    await button("Skip cart-1 · 2").click();
    await inDialog("Skip").click();
    await detail().getByText("is stopped").waitFor({ state: "detached" });
  });

  test("rewinds, and removes", async () => {
    await button("Rewind…").click();
    await open.page.getByRole("combobox", { name: "Move to" }).selectOption("end");
    await inDialog("Rewind").click();
    await detail().getByText("3 of 3 events", { exact: true }).waitFor();
    await button("Remove…").click();
    await inDialog("Remove").click();
    await rowWith("strict").waitFor({ state: "detached" });
    await open.page.getByText("Select a projection").waitFor();
  });

  test("has the keys that the documentation lists", async () => {
    expect(await ownKeys(open, ["#/projections/journal/totals"])).toEqual(documentedKeys("Projections"));
  });

  test("fits a phone", async () => {
    const page = await open.openPage({ viewport: { width: 360, height: 740 } });
    await page.goto(new URL("#/projections/journal/totals", open.urlOf("http")).href);
    await page.getByRole("heading", { name: "totals" }).waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    await page.close();
  });
});

describe.skipIf(skipsBrowser)("the feed on the journal screen", { timeout: browserTestMs }, () => {
  test("shows its state, and events of all ids that another process appends", async () => {
    await open.goTo("#/journal");
    await detail().getByText("this server").waitFor();
    await open.page.getByText("Live", { exact: true }).waitFor();
    await detail().getByText("New events of all ids appear here").waitFor();
    const arrivals = detail().getByRole("list", { name: "New events, newest first" });
    let count = 0;
    await expect
      .poll(async () => {
        await append(`feed-${++count}`, { said: "hello" });
        return arrivals.count();
      })
      .toBe(1);
    await append("feed-last", { said: "across processes" });
    await arrivals.getByText("across processes").waitFor();
    await rowWith("feed-last").first().waitFor();
    expect(open.violations).toEqual([]);
  });

  test("the overview shows the newest events of all ids", async () => {
    for (let at = 0; at < 30; at++) await append(`many-${at}`, { type: "Made" });
    const newest = [3, 11, 17, 23, 29].map((at) => `many-${at}`);
    for (const id of newest) await append(id, { type: "Sold" });
    await open.goTo("#/overview");
    const card = open.page.getByRole("region", { name: "Newest events" });
    for (const id of newest) await card.getByRole("link", { name: `${id} · 2 Sold` }).waitFor();
    expect(await card.getByText("Of the first").count()).toBe(0);
  });
});

describe.skipIf(skipsBrowser)("a feed that was rebuilt", { timeout: browserTestMs }, () => {
  test("says what helps a version whose feed was rebuilt", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const feed = await openFeed(port);
    const { generation } = await feed.status();
    await feed.rebuild();
    await expect.poll(async () => (await feed.status()).generation).toBeGreaterThan(generation);
    await open.goTo("#/projections/journal/totals");
    await rowWith("totals").getByText("outdated").waitFor();
    await detail().getByText("Run the projection with version 2").waitFor();
    expect(
      await detail().getByRole("link", { name: "How to rebuild a projection" }).getAttribute("href"),
    ).toBe("/docs/how-to/rebuild-a-projection.html");
    expect(await detail().getByRole("button").allTextContents()).toEqual(["Remove…"]);
  });
});

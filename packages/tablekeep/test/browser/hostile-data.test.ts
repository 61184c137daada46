import { ensureTable } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { openJournal, openSnapshots } from "@tablekeep/journal";
import { openShadowManager, wideLimits } from "@tablekeep/shadow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostilePayloads, hostilePayloads } from "./hostile-payloads.ts";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let engine: Engine;
let open: OpenConsole;
let hostile: HostilePayloads;
/** A key is shown as a label as well. */
const keyName = "<img src=key onerror=alert(1)>";
let payloads: readonly string[] = [];

beforeAll(async () => {
  if (skipsBrowser) return;
  hostile = await hostilePayloads();
  payloads = hostile.payloads;
  engine = await openEngine({ storage: { kind: "memory" } });
  open = await openConsole({
    port: engine,
    createTables: true,
    mail: false,
    smtp: false,
    mqtt: false,
    shadows: { manager: { limits: wideLimits } },
  });
  await plantEvents();
  await plantShadows();
  await plantItems();
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  await engine?.close();
  hostile?.[Symbol.dispose]();
});

/** A group is also a sort key, which has at most 1,024 bytes with its prefix. */
const groupBytes = 900;

/** A few payloads at a time, so that a page shows each of them by itself and there are few pages. */
function groups(): readonly (readonly string[])[] {
  const all: string[][] = [[]];
  for (const payload of payloads) {
    const last = all[all.length - 1] as string[];
    const fits = Buffer.byteLength([...last, payload].join(" ")) <= groupBytes && last.length < 12;
    if (last.length === 0 || fits) last.push(payload);
    else all.push([payload]);
  }
  return all;
}
const document = (group: readonly string[]) => Object.fromEntries(group.map((each) => [each, each]));

/** Payloads as ids, payloads, manifests, tags, and in snapshots. */
async function plantEvents(): Promise<void> {
  const journal = await openJournal(engine);
  await using snapshots = await openSnapshots(engine, { journal });
  for (const id of payloads) await (await journal.recover(id)).append({ payload: id });
  for (const group of groups()) {
    const writer = await journal.recover(group.join(" "));
    await writer.appendEach([
      { payload: group, manifest: group[0] ?? "" },
      { payload: document(group), manifest: group.join(" "), tags: group },
    ]);
    await snapshots.save(group.join(" "), 1, group);
    await snapshots.save(group.join(" "), 2, document(group));
  }
}

/** Payloads as things, names, names of values and values. */
async function plantShadows(): Promise<void> {
  const manager = openShadowManager(engine, {}, { limits: wideLimits });
  for (const id of payloads) unwrap(await manager.desire({ id, name: id, state: { on: true } }));
  for (const group of groups()) {
    const shadow = { id: group.join(" "), name: group.join(" "), clientToken: group.join(" ") };
    const reported = Object.fromEntries(group.map((each) => [each, `${each}!`]));
    unwrap(await manager.update({ ...shadow, desired: document(group), reported }));
  }
}

/** Payloads as keys, attributes' names and their values. */
async function plantItems(): Promise<void> {
  await ensureTable(engine, { name: "traps", partitionKey: { name: keyName, type: "S" } });
  for (const payload of payloads)
    await engine.putItem({
      TableName: "traps",
      Item: { [keyName]: { S: payload }, [payload]: { S: payload } },
    });
  for (const group of groups()) {
    const attributes = Object.fromEntries(group.map((each) => [each, { L: [{ S: each }] }]));
    await engine.putItem({ TableName: "traps", Item: { ...attributes, [keyName]: { S: group.join(" ") } } });
  }
}

/** Elements that the console never has: each would be injected markup. */
const strangers = () =>
  open.page.evaluate(
    '[...document.querySelectorAll(\'#app script, #app svg, #app iframe, #app object, #app embed, #app style, #app link, #app meta, #app base, #app video, #app audio, #app math, #app details, #app marquee, #app form[action], #app img:not([src="assets/icon.svg"]), #app [onerror], #app [onclick], #app [onfocus], #app [onload], #app a[href]:not([href^="#"], [href="docs/"])\')].map((each) => each.outerHTML)',
  );

async function nothingHappened(): Promise<void> {
  expect({ violations: open.violations, tracked: hostile.tracked, strangers: await strangers() }).toEqual({
    violations: [],
    tracked: [],
    strangers: [],
  });
}

const path = (...parts: string[]) => `#/${parts.map(encodeURIComponent).join("/")}`;
/** Shows a place by its address alone, as a link in the page does. */
const show = (hash: string) => open.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const shown = (name: string, text: string) =>
  open.page.getByRole("region", { name, exact: true }).filter({ hasText: text }).waitFor();

/** Shows every row of the list once. */
async function scrollThrough(): Promise<void> {
  const rows = open.page.getByRole("listitem").or(open.page.getByRole("gridcell"));
  await rows.first().waitFor();
  for (const key of ["j", "End", "Home", "End"]) {
    await open.page.keyboard.press(key);
    await rows.first().waitFor();
  }
}

describe.skipIf(skipsBrowser)("hostile data", { timeout: browserTestMs }, () => {
  test("does nothing in ids, events, manifests and tags", async () => {
    await open.goTo("#/journal");
    await scrollThrough();
    await nothingHappened();
    for (const group of groups()) {
      await show(path("journal", "journal", group.join(" "), "events", "2"));
      await shown("Payload", JSON.stringify(group.at(-1)));
      await open.page.keyboard.press("d");
      await shown("Differences", JSON.stringify(group.at(-1)));
      await nothingHappened();
    }
  });

  test("does nothing in snapshots and what differs between them", async () => {
    for (const group of groups()) {
      await show(path("journal", "journal", group.join(" "), "snapshots", "2"));
      await shown("State", JSON.stringify(group.at(-1)));
      await open.page.keyboard.press("d");
      await shown("Differences", JSON.stringify(group.at(-1)));
    }
    await nothingHappened();
  });

  test("does nothing in things, names and documents of shadows", async () => {
    await show("#/shadows");
    await scrollThrough();
    await nothingHappened();
    for (const group of groups()) {
      await show(`${path("shadows", group.join(" "))}?${new URLSearchParams({ name: group.join(" ") })}`);
      await shown("Desired", JSON.stringify(group.at(-1)));
      await open.page.keyboard.press("e");
      await open.page.getByRole("textbox", { name: "Desired, as JSON" }).waitFor();
      await nothingHappened();
    }
  });

  test("does nothing in keys, names and values of items", async () => {
    await show("#/tables/traps");
    await scrollThrough();
    await nothingHappened();
    for (const group of groups()) {
      await show(path("tables", "traps", JSON.stringify({ [keyName]: { S: group.join(" ") } })));
      await shown("Item", JSON.stringify(group.at(-1)));
    }
    await show("#/tables/traps/partiql");
    await open.page.getByRole("button", { name: "Run", exact: true }).click();
    await scrollThrough();
    await nothingHappened();
    await show("#/tables/traps/changes");
    await open.page.getByRole("status").filter({ hasText: "0 changes" }).waitFor();
  });

  test("does nothing in addresses, whose parts are shown again", async () => {
    for (const group of groups()) {
      const text = `none ${group.join(" ")}`;
      const filters = JSON.stringify(group.map((each) => ({ path: each, is: "=", type: "S", value: each })));
      await show(`#/journal/journal?${new URLSearchParams({ prefix: text })}`);
      await open.page.getByText("No id begins with").waitFor();
      await show(`#/shadows?${new URLSearchParams({ prefix: text })}`);
      await open.page.getByText("No thing has a name that begins with").waitFor();
      await show(`#/tables/traps?${new URLSearchParams({ partition: text, filters })}`);
      // Some payloads are not valid paths, which is reported.
      await open.page.getByText("No item matches").or(open.page.getByRole("alert")).first().waitFor();
      await show(path("tables", text));
      await open.page.getByRole("alert").waitFor();
      await show(path(text));
      await open.page.getByRole("link", { name: "Mail" }).waitFor();
      await nothingHappened();
    }
  });

  test.each([".", ".."])(
    "an id and a thing named %s can be opened, which browsers remove from paths",
    async (name) => {
      await (await (await openJournal(engine)).recover(name)).append({ payload: { said: `by ${name}` } });
      await show("#/journal/journal?prefix=.");
      await open.page.getByRole("listitem").getByText(name, { exact: true }).click();
      await open.page.getByText(`by ${name}`).first().waitFor();
      const manager = openShadowManager(engine, {}, { limits: wideLimits });
      unwrap(await manager.desire({ id: name, state: { lamp: `of ${name}` } }));
      await show(path("shadows", name));
      await open.page.getByText(`of ${name}`).first().waitFor();
      await nothingHappened();
    },
  );

  test("would be seen if it were drawn as markup", async () => {
    const markup = JSON.stringify("<img src=x onerror=alert(1)>");
    await open.page.evaluate(`document.querySelector("#app").insertAdjacentHTML("beforeend", ${markup})`);
    expect(await strangers()).toHaveLength(1);
  });
});

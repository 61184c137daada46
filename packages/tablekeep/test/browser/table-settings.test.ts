import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ mail: false, smtp: false, mqtt: false, journals: [], dynamodb: false });
  const body = JSON.stringify({ name: "fruit", partitionKey: { name: "id" } });
  const tables = new URL("/api/v3/tables", open.urlOf("http"));
  expect((await fetch(tables, { method: "POST", body })).ok).toBe(true);
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const field = (name: string) => open.page.getByLabel(name, { exact: true });
const button = (name: string) => open.page.getByRole("button", { name, exact: true });
const dialog = () => open.page.getByRole("dialog");
const inDialog = (name: string) => dialog().getByRole("button", { name, exact: true });
const index = (name: string | RegExp) => open.page.getByRole("row", { name });

describe.skipIf(skipsBrowser)("settings of a table", { timeout: browserTestMs }, () => {
  test("creates an index, which can be queried, and deletes it", async () => {
    await open.goTo("#/tables/fruit/about");
    await button("New index").click();
    await dialog().getByLabel("Name", { exact: true }).fill("by-color");
    await dialog().getByLabel("Partition key", { exact: true }).fill("id");
    await dialog().getByLabel("Type").first().selectOption("number");
    await inDialog("Create").click();
    await dialog().getByText("id is of type S in another key of the table").waitFor();
    await dialog().getByLabel("Partition key", { exact: true }).fill("color");
    await dialog().getByLabel("Type").first().selectOption("string");
    await inDialog("Create").click();
    await index(/by-color global color string .* active/).waitFor();
    await open.page.getByRole("link", { name: "Items", exact: true }).click();
    await open.page.getByRole("combobox", { name: "Read" }).selectOption("by-color");
    await field("color").waitFor();
    await open.page.getByRole("link", { name: "About", exact: true }).click();
    await button("Delete the index by-color").click();
    await inDialog("Delete").click();
    await index("by-color").waitFor({ state: "detached" });
  });

  test("enables and disables the stream and the time to live", async () => {
    await field("Stream").selectOption("new and old images");
    await button("Disable the stream").click();
    await inDialog("Disable").click();
    await field("Stream").waitFor();
    await field("Attribute of the time to live").fill("until");
    await button("Enable").click();
    await button("Disable the time to live").click();
    await inDialog("Disable").click();
    await field("Attribute of the time to live").waitFor();
  });

  test("offers no settings of a table that belongs to a store", async () => {
    await open.goTo("#/tables/device-shadows/about");
    await open.page.getByText("device-shadows belongs to a store").waitFor();
    expect(await button("New index").count()).toBe(0);
    expect(await field("Stream").count()).toBe(0);
    expect(open.violations).toEqual([]);
  });

  test.each(["items", "changes"])("says that a table was deleted meanwhile, at its %s", async (part) => {
    const tables = new URL("/api/v3/tables", open.urlOf("http"));
    const name = `deleted-${part}`;
    const body = JSON.stringify({ name, partitionKey: { name: "id" } });
    expect((await fetch(tables, { method: "POST", body })).ok).toBe(true);
    await open.goTo(`#/tables/${name}${part === "items" ? "" : "/changes"}`);
    await open.page.getByText(/This table is empty|No changes yet/).waitFor();
    expect((await fetch(`${tables}/${name}`, { method: "DELETE" })).ok).toBe(true);
    if (part === "items") await button("Scan").click();
    await open.page.getByRole("heading", { name: `Table “${name}” not found` }).waitFor();
  });

  test("reads again by itself when the server can be reached again", async () => {
    await open.page.route("**/api/v3/tables/fruit**", (route) => route.abort("connectionrefused"));
    await open.goTo("#/tables/fruit");
    await open.page.getByText("the server cannot be reached").waitFor();
    await open.page.unroute("**/api/v3/tables/fruit**");
    await open.page.getByText("This table is empty").waitFor();
  });
});

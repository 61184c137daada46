/** What is typed is not lost, and no change is made over somebody else's or reported as failed without a response. */
import { ensureTable } from "@tablekeep/client";
import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";

let open: OpenConsole;
const TableName = "orders";
const keyOf = (id: string) => ({ id: { S: id } });

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ mail: false, smtp: false, journals: [] });
  await using port = otherPort(open.urlOf("dynamodb"));
  await ensureTable(port, { name: TableName, partitionKey: { name: "id", type: "S" } });
  for (const id of ["1", "2", "3"]) await port.putItem({ TableName, Item: { ...keyOf(id), n: { N: "0" } } });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const button = (name: string) => open.page.getByRole("button", { name, exact: true });
const inDialog = (name: string) => open.page.getByRole("dialog").getByRole("button", { name, exact: true });
const box = () => open.page.getByRole("textbox", { name: "Item, as plain JSON" });
const row = (id: string) => open.page.getByRole("grid").getByRole("link", { name: id, exact: true });
const itemOf = (id: string) => `#/tables/${TableName}/${encodeURIComponent(JSON.stringify(keyOf(id)))}`;

/** Lets the server answer a request, and loses the response. */
const loseResponse = async (route: Route) => {
  await route.fetch();
  await route.abort("connectionreset");
};

async function edit(id: string, text: string): Promise<void> {
  await open.goTo(itemOf(id));
  await button("Edit").click();
  await box().fill(text);
}

/** Makes a change that can be undone, which reads the open item again. */
async function change(id: string): Promise<void> {
  await edit(id, `{ "id": "${id}", "n": 5 }`);
  await button("Save").click();
  await box().waitFor({ state: "detached" });
}

describe.skipIf(skipsBrowser)("edits", { timeout: browserTestMs }, () => {
  test("an item that is read again while it is edited is not saved over", async () => {
    await change("2");
    await change("3");
    await edit("1", '{ "id": "1", "mine": 1 }');
    await using port = otherPort(open.urlOf("dynamodb"));
    await port.putItem({ TableName, Item: { ...keyOf("1"), theirs: { N: "1" } } });
    await button("Undo").click();
    await open.page.getByRole("region", { name: "Item" }).getByText('"theirs": 1').waitFor();
    await button("Save").click();
    await open.page.getByText("was changed meanwhile").waitFor();
    expect((await port.getItem({ TableName, Key: keyOf("1") })).Item).toMatchObject({ theirs: { N: "1" } });
    expect(await box().inputValue()).toContain("mine");
    const difference = open.page.getByRole("region", { name: "What is stored, and what was typed" });
    await difference.getByText('removed: "theirs": 1').waitFor();
    await difference.getByText('added: "mine": 1').waitFor();
    expect(await button("Save").isDisabled()).toBe(true);
  });

  test("typed text stays when the item is deleted by somebody else", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    await port.deleteItem({ TableName, Key: keyOf("1") });
    await button("Undo").click();
    await row("1").waitFor({ state: "detached" });
    await open.page.getByRole("alert").getByText("no such item").waitFor();
    expect(await box().inputValue()).toContain("mine");
    await button("Replace what is stored").click();
    await open.page.getByRole("alert").getByText("Someone else deleted this item").waitFor();
    expect(await box().inputValue()).toContain("mine");
    await button("Create it again").click();
    await box().waitFor({ state: "detached" });
    expect((await port.getItem({ TableName, Key: keyOf("1") })).Item).toEqual({
      ...keyOf("1"),
      mine: { N: "1" },
    });
  });

  test("after a conflict one replaces what is stored, or edits it", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    for (const [theirs, choice] of [
      ["2", "Replace what is stored"],
      ["3", "Edit what is stored"],
    ] as const) {
      await edit("1", `{ "id": "1", "mine": ${theirs} }`);
      await port.putItem({ TableName, Item: { ...keyOf("1"), theirs: { N: theirs } } });
      await button("Save").click();
      // The item itself is read again, too.
      await open.page
        .getByRole("region", { name: "Item", exact: true })
        .getByText(`"theirs": ${theirs}`)
        .waitFor();
      await button(choice).click();
    }
    expect((await port.getItem({ TableName, Key: keyOf("1") })).Item).toMatchObject({ theirs: { N: "3" } });
    expect(JSON.parse(await box().inputValue())).toEqual({ id: "1", theirs: 3 });
    await box().fill('{ "id": "1", "theirs": 3, "mine": 3 }');
    await button("Save").click();
    await box().waitFor({ state: "detached" });
    // Undo returns to what the other had stored.
    await button("Undo").click();
    await expect
      .poll(async () => (await port.getItem({ TableName, Key: keyOf("1") })).Item)
      .toEqual({ ...keyOf("1"), theirs: { N: "3" } });
  });

  test("a new item with a key that exists is compared with it, and another key can be chosen", async () => {
    await open.goTo(`#/tables/${TableName}/new`);
    await box().fill('{ "id": "2", "mine": 1 }');
    await button("Create").click();
    await open.page.getByRole("alert").getByText("An item with this key exists").waitFor();
    await box().fill('{ "id": "20", "mine": 1 }');
    await button("Create").click();
    await open.page.getByRole("heading", { name: "20", exact: true }).waitFor();
  });

  test("asks before another place is shown in place of unsaved text", async () => {
    await open.goTo(`#/tables/${TableName}`);
    await row("2").click();
    await button("Edit").click();
    await box().fill('{ "id": "2", "mine": 1 }');
    const away = {
      row: () => row("3").click(),
      scan: () => button("Scan").click(),
      screen: () => open.page.getByRole("link", { name: "Shadows" }).click(),
      back: () => open.page.goBack(),
      key: async () => {
        await box().blur();
        const [first] = await open.page.getByRole("grid").getByRole("link").allTextContents();
        await open.page.keyboard.press(first === "2" ? "j" : "k");
      },
    };
    for (const leave of Object.values(away)) {
      await leave();
      await inDialog("Cancel").click();
      await open.page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await box().inputValue()).toContain("mine");
      await expect.poll(() => open.page.url()).toContain(itemOf("2"));
    }
    await row("3").click();
    await inDialog("Discard").click();
    await box().waitFor({ state: "detached" });
    expect(open.page.url()).toContain(itemOf("3"));
  });

  test("does not ask after the text was saved, or if nothing was typed", async () => {
    await open.goTo(`#/tables/${TableName}/new`);
    await box().fill('{ "id": "4" }');
    await button("Create").click();
    await open.page.getByRole("heading", { name: "4", exact: true }).waitFor();
    await button("Edit").click();
    await row("3").click();
    await open.page.getByRole("heading", { name: "3", exact: true }).waitFor();
    expect(await open.page.getByRole("dialog").count()).toBe(0);
  });

  test("a change without a response is reported as unknown", async () => {
    await edit("3", '{ "id": "3", "n": 1 }');
    await open.page.route("**/change", loseResponse);
    await button("Save").click();
    await open.page.getByText("it is unknown whether the change was made").waitFor();
    await open.page.unroute("**/change");
    await button("Cancel").click();
    await inDialog("Discard").click();
  });

  test("a statement without a response is not run again without a confirmation", async () => {
    await open.goTo(`#/tables/${TableName}/partiql`);
    await open.page
      .getByLabel("Statement", { exact: true })
      .fill(`UPDATE "${TableName}" SET n = n + 10 WHERE id = '3'`);
    await open.page.route("**/api/v3/partiql", loseResponse);
    await button("Run").click();
    await inDialog("Run").click();
    await open.page
      .getByRole("alert")
      .getByText(/^No response: .*it is unknown whether the change was made$/)
      .waitFor();
    await open.page.unroute("**/api/v3/partiql");
    await button("Try again").click();
    await inDialog("Cancel").click();
    await open.page.getByRole("dialog").waitFor({ state: "detached" });
    await using port = otherPort(open.urlOf("dynamodb"));
    expect((await port.getItem({ TableName, Key: keyOf("3") })).Item).toMatchObject({ n: { N: "11" } });
  });

  test("is no longer offline when the server can be reached again, on a screen without a stream", async () => {
    const { page } = open;
    await page.route("**/api/v3/**", (route) => route.abort("connectionrefused"));
    await button("Run").click();
    await inDialog("Run").click();
    await page.getByText("Offline", { exact: true }).waitFor();
    await page.unroute("**/api/v3/**");
    await page.getByText("Offline", { exact: true }).waitFor({ state: "detached" });
  });

  test("an editor of a shadow keeps its text when the shadow is deleted by somebody else", async () => {
    const shadow = new URL("/api/v3/shadows/lamp", open.urlOf("http"));
    await fetch(shadow, { method: "PATCH", body: '{"desired":{"on":true}}' });
    await open.goTo("#/shadows/lamp");
    await button("Edit desired").click();
    const desired = open.page.getByRole("textbox", { name: "Desired, as JSON" });
    await desired.fill('{ "mine": 1 }');
    expect((await fetch(shadow, { method: "DELETE" })).ok).toBe(true);
    await open.page.getByText("This shadow does not exist.").waitFor();
    expect(await desired.inputValue()).toContain("mine");
    await desired.blur();
    await open.page.keyboard.press("Escape");
    await inDialog("Discard").click();
    await desired.waitFor({ state: "detached" });
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ensureTable } from "@tablekeep/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";
import { otherPort } from "./other-process.ts";
import { documentedKeys, ownKeys } from "./own-keys.ts";

let open: OpenConsole;
const TableName = "orders";

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ mail: false, smtp: false, shadows: false, mqtt: false, journals: [] });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const rows = () => open.page.getByRole("grid", { name: "Items" }).locator(".grid-rows").getByRole("row");
/** The row with these cells, the first ones. */
const itemWith = (...cells: string[]) => open.page.getByRole("row", { name: cells.join(" ") });
const rowWith = (text: string) => open.page.getByRole("listitem").filter({ hasText: text });
const view = (name: string) =>
  open.page.getByRole("navigation", { name: "Views of the table" }).getByRole("link", { name });
const field = (name: string) => open.page.getByLabel(name, { exact: true });
const button = (name: string) => open.page.getByRole("button", { name, exact: true });
const foot = (text: string | RegExp) => open.page.getByRole("status").filter({ hasText: text }).waitFor();

/** Runs a module in its own process; returns what it prints, in full depth. */
async function runModule(code: string): Promise<string> {
  const deep =
    'import { inspect } from "node:util"; inspect.defaultOptions.depth = null; inspect.defaultOptions.breakLength = 500;';
  const env = { PATH: process.env["PATH"] };
  const program = promisify(execFile)(process.execPath, ["--input-type=module", "-e", `${deep}\n${code}`], {
    cwd: import.meta.dirname,
    env,
  });
  return (await program).stdout;
}

async function fillTable(): Promise<void> {
  await using port = otherPort(open.urlOf("dynamodb"));
  await ensureTable(port, {
    name: TableName,
    partitionKey: { name: "customer", type: "S" },
    sortKey: { name: "nr", type: "N" },
    globalIndexes: [{ name: "by-status", partitionKey: { name: "status", type: "S" } }],
  });
  for (let from = 1; from <= 250; from += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => {
      const nr = from + at;
      return {
        PutRequest: {
          Item: {
            customer: { S: nr <= 10 ? "anna" : "ben" },
            nr: { N: String(nr) },
            status: { S: nr % 5 === 0 ? "paid" : "open" },
            total: { N: nr === 7 ? "12345678901234567890" : String(nr) },
            to: { M: { city: { S: nr % 2 === 0 ? "Bern" : "Basel" } } },
          },
        },
      };
    });
    await port.batchWriteItem({ RequestItems: { [TableName]: puts } });
  }
}

describe.skipIf(skipsBrowser)("tables", { timeout: browserTestMs }, () => {
  test("shows first steps, and lists the tables", async () => {
    await open.goTo("#/tables");
    await open.page.getByText("npx tablekeep table create --table orders --partition-key id").waitFor();
    await fillTable();
    await button("Refresh").click();
    await rowWith(TableName).getByRole("link").click();
    await view("About").click();
    await open.page.getByRole("heading", { name: TableName }).waitFor();
    await open.page.getByRole("cell", { name: "by-status", exact: true }).waitFor();
    await view("Items").click();
  });

  test("scans page by page, with few rows in the page and the consumed capacity below", async () => {
    await foot(/^50 items so far, 50 scanned, [\d.]+ read units$/);
    await open.page.keyboard.press("j");
    for (const read of [100, 150, 200, 250]) {
      await open.page.keyboard.press("End");
      await foot(new RegExp(`^${read} items( so far)?, ${read} scanned`));
    }
    expect(await rows().count()).toBeLessThanOrEqual(200);
  });

  test("queries by keys, from either end", async () => {
    await open.page.keyboard.press("/");
    await open.page.keyboard.type("anna");
    await open.page.keyboard.press("Enter");
    await foot(/^10 items, 10 scanned/);
    await field("How nr is compared").selectOption("between");
    await field("nr").fill("3");
    await field("nr, the other end").fill("5");
    await field("Descending").check();
    await button("Query").click();
    await foot(/^3 items, 3 scanned/);
    expect(await rows().allTextContents()).toEqual([
      expect.stringContaining("anna5"),
      expect.stringContaining("anna4"),
      expect.stringContaining("anna3"),
    ]);
  });

  test("queries an index, and filters what it finds by members of maps", async () => {
    await button("Clear").click();
    await open.page.getByRole("combobox", { name: "Read" }).selectOption("by-status");
    await field("status").fill("paid");
    await button("+ Filter").click();
    await field("Attribute").fill("to.city");
    await field("Value").fill("Bern");
    await button("Query").click();
    await foot(/^25 items, 50 scanned/);
    await open.page.reload();
    await foot(/^25 items, 50 scanned/);
    expect(await field("Attribute").inputValue()).toBe("to.city");
  });

  test("filters by a name with dots, which is suggested in quotes", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const key = { customer: { S: "dots" }, nr: { N: "1" } };
    await port.putItem({ TableName, Item: { ...key, "user.name": { M: { first: { S: "Ann" } } } } });
    await port.putItem({ TableName, Item: { ...key, nr: { N: "2" } } });
    await open.goTo(`#/tables/${TableName}?partition=dots`);
    await foot(/^2 items, 2 scanned/);
    await button("+ Filter").click();
    const suggested = await open.page.locator("#attribute-names option").all();
    expect(await Promise.all(suggested.map((each) => each.getAttribute("value")))).toContain('"user.name"');
    await field("Attribute").fill('"user.name".first');
    await field("Value").fill("Ann");
    await button("Query").click();
    await foot(/^1 item, 2 scanned/);
    await button("Code").click();
    const code = await open.page.getByRole("region", { name: "Code" }).textContent();
    expect(await runModule(code ?? "")).toContain("'user.name': { M: { first: { S: 'Ann' } } }");
    for (const nr of ["1", "2"])
      await port.deleteItem({ TableName, Key: { customer: { S: "dots" }, nr: { N: nr } } });
    await open.page.goBack();
    await open.page.goBack();
    await foot(/^25 items, 50 scanned/);
  });

  test("its code returns the same items, with the SDK in another process", async () => {
    await button("Code").click();
    const code = await open.page.getByRole("region", { name: "Code" }).textContent();
    const found = (await runModule(code ?? "")).match(/city: \{ S: '\w+' \}/g) ?? [];
    expect(found).toHaveLength(25);
    expect(new Set(found)).toEqual(new Set(["city: { S: 'Bern' }"]));
  });

  test("clears what was typed and not run", async () => {
    await button("Clear").click();
    await field("customer").fill("nobody");
    await button("Clear").click();
    await expect.poll(() => field("customer").inputValue()).toBe("");
    await button("Scan").waitFor();
  });

  test("reports an invalid query", async () => {
    await button("Clear").click();
    await field("customer").fill("anna");
    await field("nr").fill("seven");
    await button("Query").click();
    await open.page.getByRole("alert").getByText("nr must be a number").waitFor();
  });

  test("shows an item as plain JSON and as DynamoDB's, with every digit", async () => {
    await open.goTo(`#/tables/${TableName}?partition=anna&sort=7`);
    await itemWith("anna", "7").getByRole("link").click();
    const item = open.page.getByRole("region", { name: "Item" });
    await item.getByText("12345678901234567890").waitFor();
    expect(await item.textContent()).toContain('"total": 12345678901234567890');
    await open.page.getByRole("tab", { name: "DynamoDB JSON" }).click();
    await expect.poll(() => item.textContent()).toContain('"N": "12345678901234567890"');
    await open.page.keyboard.press("Escape");
    await item.waitFor({ state: "detached" });
    await view("About").click();
    await open.page.getByText("Read units used by the console").waitFor();
  });

  test("creates, changes and deletes an item, and undoes the changes one after the other", async () => {
    await open.goTo(`#/tables/${TableName}?partition=carl`);
    await open.page.getByText("No item matches").waitFor();
    await open.page.keyboard.press("c");
    const box = open.page.getByRole("textbox", { name: "Item, as plain JSON" });
    await box.fill('{ "customer": "carl", "nr": 1');
    expect(await button("Create").isDisabled()).toBe(true);
    await box.fill('{ "customer": "carl", "nr": 1, "total": 12345678901234567890 }');
    await button("Create").click();
    const item = open.page.getByRole("region", { name: "Item" });
    await item.getByText("12345678901234567890").waitFor();
    await open.page.keyboard.press("e");
    await open.page.getByRole("tablist", { name: "Form of the item" }).getByText("DynamoDB JSON").click();
    const typed = open.page.getByRole("textbox", { name: "Item, as DynamoDB JSON" });
    await typed.fill('{ "customer": { "S": "carl" }, "nr": { "N": "1" }, "parts": { "SS": ["a", "b"] } }');
    await open.page.keyboard.press("Control+Enter");
    await item.getByText('"parts"').waitFor();
    await button("Delete").click();
    await open.page.getByText("No item matches").waitFor();
    await open.page.keyboard.press("z");
    await itemWith("carl", "1").filter({ hasText: '["a","b"]' }).waitFor();
    await button("Undo").click();
    await itemWith("carl", "1").filter({ hasText: "12345678901234567890" }).waitFor();
    await button("Undo").click();
    await open.page.getByText("No item matches").waitFor();
    await button("Undo").waitFor({ state: "detached" });
  });

  test("does not overwrite a change by another user", async () => {
    await open.goTo(`#/tables/${TableName}?partition=anna&sort=2`);
    await itemWith("anna", "2").getByRole("link").click();
    await button("Edit").click();
    await using port = otherPort(open.urlOf("dynamodb"));
    await port.updateItem({
      TableName,
      Key: { customer: { S: "anna" }, nr: { N: "2" } },
      UpdateExpression: "SET theirs = :yes",
      ExpressionAttributeValues: { ":yes": { BOOL: true } },
    });
    await open.page
      .getByRole("textbox", { name: "Item, as plain JSON" })
      .fill('{ "customer": "anna", "nr": 2 }');
    await button("Save").click();
    await open.page.getByText("was changed meanwhile").waitFor();
    const { Item } = await port.getItem({ TableName, Key: { customer: { S: "anna" }, nr: { N: "2" } } });
    expect(Item).toMatchObject({ theirs: { BOOL: true }, status: { S: "open" } });
    await button("Cancel").click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  });

  test("creates a table, shows the code of its queries, and deletes it after a confirmation", async () => {
    await open.goTo("#/tables");
    await button("New").click();
    await field("Name").fill("fruit");
    await field("Sort key (optional)").fill("nr");
    await button("Create").click();
    await open.page.getByText("This table is empty").waitFor();
    await field("id").fill("pear");
    await button("Code").click();
    await open.page
      .getByRole("region", { name: "Code" })
      .getByText('KeyConditionExpression: "#n0 = :v0"')
      .waitFor();
    await view("About").click();
    await button("Delete the table").click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await rowWith(TableName).waitFor();
    await rowWith("fruit").waitFor({ state: "detached" });
  });

  test("sorts, resizes and chooses columns, and keeps the choice", async () => {
    await open.goTo(`#/tables/${TableName}?partition=anna`);
    await foot(/^10 items/);
    const head = (name: string) => open.page.getByRole("columnheader", { name });
    await head("total").getByRole("button").click();
    await head("total").getByRole("button").click();
    await expect.poll(() => rows().first().textContent()).toContain("12345678901234567890");
    const before = (await head("customer").boundingBox())?.width ?? 0;
    await head("customer").getByRole("button").focus();
    await open.page.keyboard.press("Shift+ArrowRight");
    await expect.poll(async () => (await head("customer").boundingBox())?.width).toBe(before + 20);
    await open.page.getByRole("button", { name: "Columns: 6 of 6" }).click();
    await open.page.getByRole("checkbox", { name: "status" }).uncheck();
    await button("Close").click();
    await open.page.reload();
    await head("total").waitFor();
    expect(await open.page.getByRole("columnheader").allTextContents()).toEqual([
      "customer",
      "nr",
      "total",
      "to",
      "theirs",
    ]);
    expect((await head("customer").boundingBox())?.width).toBe(before + 20);
  });

  test("edits an item in a form", async () => {
    await open.goTo(`#/tables/${TableName}?partition=anna&sort=3`);
    await itemWith("anna", "3").getByRole("gridcell").last().click();
    await button("Edit").click();
    await open.page.getByRole("tab", { name: "Form" }).click();
    expect(await field("Value of customer").getAttribute("readonly")).not.toBeNull();
    await field("Value of total").fill("x");
    await open.page.getByText("must be a number").waitFor();
    await field("Value of total").fill("33.5");
    await button("+ Attribute").click();
    await field("Name").last().fill("gift");
    await field("Type of gift").selectOption("true/false");
    await button("Save").click();
    await open.page.getByRole("region", { name: "Item" }).getByText("33.5").waitFor();
    await using port = otherPort(open.urlOf("dynamodb"));
    const { Item } = await port.getItem({ TableName, Key: { customer: { S: "anna" }, nr: { N: "3" } } });
    expect(Item).toMatchObject({
      total: { N: "33.5" },
      gift: { BOOL: true },
      to: { M: { city: { S: "Basel" } } },
    });
  });

  test("runs PartiQL, asks for confirmation before a write, and reports errors", async () => {
    await view("PartiQL").click();
    await field("Statement").fill(`SELECT customer, nr FROM "${TableName}" WHERE customer = ? AND nr < ?`);
    await field("Parameters, as JSON").fill('["anna", 3]');
    await button("Run").click();
    await foot(/^2 items, [\d.]+ capacity units$/);
    expect(await rows().allTextContents()).toEqual(["anna1", "anna2"]);
    await field("Statement").fill(`UPDATE "${TableName}" SET paid = true WHERE customer = ? AND nr = ?`);
    await field("Parameters, as JSON").fill('["anna", 1]');
    await button("Run").click();
    await open.page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await open.page.getByText("The statement returned no items.").waitFor();
    await field("Statement").fill("SELECT nonsense");
    await button("Run").click();
    await open.page
      .getByRole("alert")
      .getByText(/^The statement failed: .*ValidationException/)
      .waitFor();
    expect(await open.page.getByText("capacity units").count()).toBe(0);
  });

  test("shows changes as they happen, with what they changed", async () => {
    await view("Changes").click();
    await open.page.getByText("No changes yet").waitFor();
    await open.page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    await using port = otherPort(open.urlOf("dynamodb"));
    const Key = { customer: { S: "dora" }, nr: { N: "1" } };
    await port.putItem({ TableName, Item: { ...Key, total: { N: "1" } } });
    await port.putItem({ TableName, Item: { ...Key, total: { N: "2" } } });
    await port.deleteItem({ TableName, Key });
    await rowWith("deleted").waitFor();
    await rowWith("changed").getByRole("link").click();
    const differences = open.page.getByRole("region", { name: "Differences" });
    await differences.getByText('"total": 2').waitFor();
    expect(await differences.locator(".removed").textContent()).toContain('"total": 1');
    await open.page.getByRole("status").filter({ hasText: "3 changes" }).waitFor();
  });

  test("says where changes are missing", async () => {
    await field("Live").uncheck();
    await field("Live").check();
    await rowWith("Live was off").getByRole("link").click();
    await open.page.getByRole("heading", { name: "Gap" }).waitFor();
    await open.page.getByRole("status").filter({ hasText: "3 changes" }).waitFor();
  });

  test("exports a table, and imports the file into another", async () => {
    await view("About").click();
    const download = open.page.waitForEvent("download");
    await button("Export").click();
    const file = await (await download).path();
    await using port = otherPort(open.urlOf("dynamodb"));
    await ensureTable(port, {
      name: "copy",
      partitionKey: { name: "customer", type: "S" },
      sortKey: { name: "nr", type: "N" },
    });
    await open.goTo("#/tables/copy/about");
    await field("File with items").setInputFiles(file);
    await open.page.getByText("250 items were stored").waitFor();
    const both = await Promise.all([TableName, "copy"].map((name) => port.scan({ TableName: name })));
    expect(both[1]?.Items).toEqual(both[0]?.Items);
  });

  test("filters tables by a part of their names, in the order of the numbers in them", async () => {
    await using port = otherPort(open.urlOf("dynamodb"));
    const names = ["part-10", "Part-2", "other"];
    for (const name of names) await ensureTable(port, { name, partitionKey: { name: "id", type: "S" } });
    await open.goTo("#/tables");
    await rowWith("other").waitFor();
    await open.page.keyboard.press("/");
    await open.page.keyboard.type("PART");
    await foot(/^2 tables$/);
    expect(await open.page.getByRole("listitem").allTextContents()).toEqual(["Part-2", "part-10"]);
    await open.page.keyboard.type("s");
    await open.page.getByText("No table has “PARTs” in its name").waitFor();
    for (const name of names) await port.deleteTable({ TableName: name });
  });

  test("has the keys that are documented", async () => {
    const key = JSON.stringify({ customer: { S: "anna" }, nr: { N: "7" } });
    const itemPlace = `#/tables/${TableName}/${encodeURIComponent(key)}`;
    expect(await ownKeys(open, ["#/tables", itemPlace])).toEqual(documentedKeys("Tables"));
  });

  test("made no unexpected requests and had no errors", () => {
    expect(open.violations).toEqual([]);
  });
});

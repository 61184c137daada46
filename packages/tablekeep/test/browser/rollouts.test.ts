import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, type OpenConsole, openConsole, skipsBrowser } from "./open-console.ts";

let open: OpenConsole;

beforeAll(async () => {
  if (skipsBrowser) return;
  open = await openConsole({ mail: false, smtp: false, mqtt: false, journals: [] });
}, browserTestMs);
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
});

const detail = () => open.page.getByRole("article");
const button = (name: string) => open.page.getByRole("button", { name, exact: true });
const dialog = () => open.page.getByRole("dialog");
const inDialog = (name: string) => dialog().getByRole("button", { name, exact: true });
const field = (name: string | RegExp) => dialog().getByLabel(name);
const rowWith = (text: string) => open.page.getByRole("listitem").filter({ hasText: text });
/** The cells of the row of a thing. */
const thing = (name: string) => detail().getByRole("row").filter({ hasText: name });

/** Changes a shadow as a device or another user does. */
async function patch(name: string, state: object): Promise<void> {
  const url = new URL(`/api/v3/shadows/${name}`, open.urlOf("http"));
  expect((await fetch(url, { method: "PATCH", body: JSON.stringify(state) })).status).toBe(200);
}

async function desiredOf(name: string): Promise<unknown> {
  const answer = await fetch(new URL(`/api/v3/shadows/${name}`, open.urlOf("http")));
  return ((await answer.json()) as { state: { desired?: unknown } }).state.desired;
}

describe.skipIf(skipsBrowser)("rollouts", { timeout: browserTestMs }, () => {
  test("shows first steps, and reports what is wrong with a new rollout", async () => {
    for (const name of ["lamp-1", "lamp-2", "lamp-3"])
      await patch(name, { desired: { firmware: "1.9" }, reported: { firmware: "2.0" } });
    await open.goTo("#/shadows");
    await open.page.getByRole("link", { name: "Rollouts" }).click();
    await open.page.getByText("No rollouts yet").waitFor();
    await button("New").click();
    await field("Name").first().fill("v2");
    await field(/^Query/).fill("reported.firmware <");
    await inDialog("Create").click();
    await dialog().getByRole("status").getByText("query").waitFor();
    await field(/^Query/).fill('reported.firmware < "2.1"');
    await inDialog("Try it").click();
    await dialog().getByText("It matches 3: lamp-1, lamp-2, lamp-3").waitFor();
    await field(/^Desired/).fill("[");
    expect(await inDialog("Create").isDisabled()).toBe(true);
  });

  test("creates one, and follows its waves as things report", async () => {
    await field(/^Desired/).fill('{ "firmware": "2.1", "serial": 9007199254740993 }');
    await field(/^Waves/).fill("1, 1");
    await inDialog("Create").click();
    await detail().getByRole("heading", { name: "v2" }).waitFor();
    await detail().getByText("wave 1 of 3").waitFor();
    await detail().getByText("9007199254740993").waitFor();
    await thing("lamp-1").getByText("applied").waitFor();
    await thing("lamp-2").getByText("waiting").waitFor();
    const url = new URL("/api/v3/shadows/lamp-1", open.urlOf("http"));
    const body = '{"reported":{"firmware":"2.1","serial":9007199254740993}}';
    expect((await fetch(url, { method: "PATCH", body })).status).toBe(200);
    await thing("lamp-1").getByText("succeeded").waitFor();
    await detail().getByText("wave 2 of 3").waitFor();
  });

  test("pauses, resumes with the next wave, and chooses things by status", async () => {
    await button("Pause").click();
    await rowWith("v2").getByText("paused").waitFor();
    await button("Accept the wave…").click();
    await inDialog("Continue").click();
    await detail().getByText("wave 3 of 3").waitFor();
    await thing("lamp-3").getByText("applied").waitFor();
    await detail().getByRole("combobox", { name: "Status" }).selectOption("succeeded");
    await thing("lamp-3").waitFor({ state: "detached" });
    await thing("lamp-1").getByRole("link").click();
    await detail().getByRole("heading", { name: "lamp-1" }).waitFor();
    await open.page.goBack();
  });

  test("rolls back after a confirmation", async () => {
    await button("Roll back…").click();
    await inDialog("Cancel").click();
    await button("Roll back…").click();
    await inDialog("Roll back").click();
    await rowWith("v2").getByText("rolled back").waitFor();
    for (const name of ["lamp-1", "lamp-2", "lamp-3"])
      expect(await desiredOf(name)).toEqual({ firmware: "1.9" });
    await button("Roll back…").waitFor({ state: "detached" });
  });

  test("cancels one", async () => {
    await button("New").click();
    await field("Name").first().fill("v3");
    await field(/^Query/).fill("reported.firmware exists");
    await inDialog("Create").click();
    await detail().getByRole("heading", { name: "v3" }).waitFor();
    await button("Cancel…").click();
    await inDialog("Cancel the rollout").click();
    await rowWith("v3").getByText("cancelled").waitFor();
  });

  test("fits a phone", async () => {
    const page = await open.openPage({ viewport: { width: 360, height: 740 } });
    await page.goto(new URL("#/shadows?view=rollouts&rollout=v2", open.urlOf("http")).href);
    await page.getByRole("heading", { name: "v2" }).waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    await page.close();
  });

  test("says that a rollout does not exist", async () => {
    await open.goTo("#/shadows?view=rollouts&rollout=nosuch");
    await open.page.getByText("This rollout does not exist.").waitFor();
    expect(open.violations).toEqual([]);
  });
});

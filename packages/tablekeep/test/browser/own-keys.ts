import { readDocs, sectionOf, tableRows } from "../read-docs.ts";
import type { OpenConsole } from "./open-console.ts";

const page = () => readDocs("docs/reference/console.md");

/** The keys that a screen has at these places beside those that all have, as `key: what it does`. */
export async function ownKeys(open: OpenConsole, places: readonly string[]): Promise<string[]> {
  const common = new Set(tableRows(sectionOf(page(), "## Keys")).map(([, does]) => does));
  const found = new Set<string>();
  for (const place of places) {
    const dialog = open.page.getByRole("dialog", { name: "Keys" });
    const row = open.page.getByRole("listitem").or(open.page.getByRole("row")).first();
    // The place before is gone where there is nothing, and the next one has its keys once its rows are there.
    await open.goTo("#/mail");
    await row.waitFor({ state: "detached" });
    await open.goTo(place);
    await row.waitFor();
    await open.page.keyboard.press("?");
    await dialog.getByText("Go to Mail").waitFor();
    const names = await dialog.locator("dt").allTextContents();
    const actions = await dialog.locator("dd").allTextContents();
    for (const [at, does] of actions.entries()) if (!common.has(does)) found.add(`${names[at]}: ${does}`);
    await open.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  return [...found].sort();
}

/** The keys of a screen that the documentation has, in the same form. */
export function documentedKeys(screen: string): string[] {
  return tableRows(sectionOf(page(), "## Keys of the other screens"))
    .filter(([where]) => where === screen)
    .map(([, key, does]) => `${key}: ${does}`)
    .sort();
}

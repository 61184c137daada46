import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { resolveJournalOptions } from "../src/context/journal-options.ts";
import { layouts } from "./journal-world.ts";

const page = readFileSync(new URL("../../../docs/reference/journal.md", import.meta.url), "utf8");
const options = page.slice(page.indexOf("## Options"));
const rows = [...options.matchAll(/^\| `(\w+)` \| (.+?) \| \S.* \|$/gm)].map(
  ([, name = "", byDefault = ""]) => [name, byDefault] as const,
);

describe("docs/reference/journal.md", () => {
  test("lists every option of a journal, and no other", () => {
    const known = [...Object.keys(resolveJournalOptions({})), "akka", "codecs", "compactAfter", "events"];
    expect(rows.map(([name]) => name).sort()).toEqual(known.sort());
  });

  test.each(layouts)("documents the defaults of the %s layout", (layout) => {
    const resolved: Readonly<Record<string, unknown>> = resolveJournalOptions({ layout });
    const told = Object.fromEntries(
      rows.map(([name, text]) => {
        const [general = "", ...special] = text.split("; ");
        const own = special.find((each) => each.startsWith(`${layout}: `))?.slice(layout.length + 2);
        return [name, own ?? general];
      }),
    );
    for (const [name, value] of Object.entries(resolved)) {
      if (name === "layout" || !["string", "number", "boolean"].includes(typeof value)) continue;
      const text = typeof value === "number" ? value.toLocaleString("en-US") : `\`${String(value)}\``;
      expect(`${name}: ${told[name]}`).toBe(`${name}: ${value === "" ? "none" : text}`);
    }
  });
});

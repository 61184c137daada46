import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { writeSummary } from "../src/layouts/sharded/items/summary-item.ts";
import { lintRules, supportDate } from "../src/lint/index.ts";
import { resolveMailOptions } from "../src/model/mail-options.ts";

const read = (name: string) =>
  readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), "utf8");

describe("docs/reference/mail.md", () => {
  const page = read("mail.md");
  const rows = [...page.slice(page.indexOf("## Options")).matchAll(/^\| `(\w+)` \| (.+?) \| \S.* \|$/gm)];

  test("lists every option of a mail store with its default, and no other", () => {
    const resolved: Readonly<Record<string, unknown>> = resolveMailOptions({});
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(resolved).sort());
    for (const [, name = "", documented] of rows) {
      const value = resolved[name];
      if (name === "maxMessages") expect(documented).toBe("none");
      else if (typeof value === "number") expect(documented).toBe(value.toLocaleString("en-US"));
      else if (typeof value === "string") expect(documented).toBe(`\`${value}\``);
    }
  });
});

describe("docs/reference/mail-lint.md", () => {
  const page = read("mail-lint.md");

  test("has a section for every rule with its title, severity and fix, and no other", () => {
    const sections = page.slice(page.indexOf("## Rules")).split("\n### ").slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(Object.keys(lintRules));
    for (const [id, { title, severity, fix }] of Object.entries(lintRules)) {
      // Lines are wrapped anywhere.
      const section = sections.find((each) => each.startsWith(`${id}\n`))?.replaceAll(/\s+/g, " ");
      expect(section).toContain(`${title}. Severity: ${severity}.`);
      expect(section).toContain(`**Fix:** ${fix}`);
    }
    expect(page).toContain(`of ${supportDate}:`);
  });
});

describe("docs/reference/mail-items.md", () => {
  test("lists every attribute of a summary, and no other", () => {
    const page = read("mail-items.md");
    const table = page.slice(page.indexOf("Attributes of a summary"), page.indexOf("Forms of a chunk:"));
    const documented = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = ""]) => names.split(", "));
    const item = writeSummary({
      place: { era: "00000000", ms: 0, hour: "", shard: 0 },
      summary: {
        id: "i",
        created: 0,
        expires: 1,
        envelope: { from: "f", to: ["t"], helo: "h", user: "u" },
        size: 1,
        subject: "s",
        headerFrom: "f",
        headerTo: "t",
        preview: "p",
        attachments: 1,
        read: true,
        tags: ["t"],
        imported: "c",
      },
      hostname: "h",
      mailhogFrom: "f",
      mailhogTo: null,
      senders: ["f", "x"],
      recipients: ["t", "y"],
      addressed: false,
      body: "b",
      chunks: 1,
      checksum: 1,
    });
    const written = [...Object.keys(item).filter((name) => name !== "pk" && name !== "sk"), "write"];
    expect(documented.map((name) => name.replaceAll("`", "")).sort()).toEqual(written.sort());
  });
});

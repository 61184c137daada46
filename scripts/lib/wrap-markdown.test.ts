import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { checkoutFiles } from "./checkout-files.mjs";
import { isPage, longLines, wrapMarkdown } from "./wrap-markdown.mjs";

const pages = (await checkoutFiles()).filter(isPage);
const long = "word ".repeat(40).trim();

describe("wrapMarkdown", () => {
  test("keeps what pages mean at any width, and changes nothing the second time", async () => {
    expect(pages.length).toBeGreaterThan(90);
    // White space counts in code only.
    const shown = async (page: string) =>
      (await marked.parse(page))
        .split(/(<pre[\s\S]*?<\/pre>)/)
        .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/\s+/g, " ")));
    for (const { path, source } of pages.filter((_, at) => at % 6 === 0)) {
      const wrapped = wrapMarkdown(source, 50);
      expect([path, await shown(wrapped)]).toEqual([path, await shown(source)]);
      expect(wrapMarkdown(wrapped, 50)).toBe(wrapped);
    }
  });

  test("indents the lines of list items and quotes", () => {
    expect(wrapMarkdown(`- ${long}`)).toMatch(/^- word.*\n {2}word/);
    expect(wrapMarkdown(`12. ${long}`)).toMatch(/^12\. word.*\n {4}word/);
    expect(wrapMarkdown(`> ${long}`)).toMatch(/^> word.*\n> word/);
  });

  test("joins lines that are too short, and splits neither code spans nor links", () => {
    expect(wrapMarkdown("one\ntwo\n")).toBe("one two\n");
    const span = "`a b c d e f g h i j`";
    expect(wrapMarkdown(`${long.slice(0, 110)} ${span}`)).toContain(`\n${span}`);
    expect(wrapMarkdown(`${long.slice(0, 110)} [a link](to/a/page.md)`)).toContain(
      "\n[a link](to/a/page.md)",
    );
  });

  test.each([
    `\`\`\`sh\n${long} ${long}\n\`\`\``,
    `| ${long} | ${long} |`,
    `# ${long} ${long}`,
    `<!-- ${long}\n${long} -->`,
  ])("leaves code, tables, headings and comments as they are", (page) => {
    expect(wrapMarkdown(page)).toBe(page);
  });

  test("starts no line with a character that begins a list", () => {
    expect(wrapMarkdown(`${long.slice(0, 119)} - ${long}`)).not.toMatch(/^- /m);
  });
});

test("every page is wrapped: if this fails, run npm run format", () => {
  expect(pages.flatMap(longLines)).toEqual([]);
});

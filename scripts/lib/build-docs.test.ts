import { expect, test } from "vitest";
import { siteFiles } from "./build-docs.mjs";
import { checkoutFiles } from "./checkout-files.mjs";

const checkout = await checkoutFiles();
const site = siteFiles(checkout);
const contents = { path: "docs/README.md", source: "# Documentation\n\n- [A page](how-to/a.md)\n" };

test("every page of the docs is in the navigation of every page", () => {
  const expected = checkout
    .map(({ path }) => path)
    .filter((path) => /^docs\/.+\.md$/.test(path) && path !== "docs/README.md")
    .map((path) => path.replace(/^docs\//, "").replace(/\.md$/, ".html"));
  const index = site["index.html"] ?? "";
  const listed = [...index.matchAll(/<li><a href="([^"]+)"/g)].map(([, link]) => link);
  expect(expected.filter((file) => !listed.includes(file))).toEqual([]);
  const deep = site["how-to/agents.html"] ?? "";
  expect(deep).toContain('<a href="../tutorial.html">The tutorial</a>');
  expect(deep).toContain('<a href="agents.html" aria-current="page">');
});

test("no page has inline scripts or styles, remote images or absolute links to itself", () => {
  for (const [file, html] of Object.entries(site)) {
    if (!file.endsWith(".html")) continue;
    expect(html.match(/<script(?![^>]*\ssrc=)|<style|<[a-z]+ [^>]*(?:\sstyle=|\son\w+=)/gi), file).toBeNull();
    expect(html.match(/(?:src|href)="\/[^"]*"|<img [^>]*src="https?:/g), file).toBeNull();
  }
});

test.each([
  ["a page that does not exist", "[x](b.md)", "how-to/a.html: b.html leads nowhere"],
  ["an anchor that does not exist", "[x](#nowhere)", "how-to/a.html: #nowhere leads nowhere"],
  ["an address that is none", "<https://…>", "how-to/a.html: https://%E2%80%A6 is not an address"],
  ["an anchor of another page", "[x](../README.md#no)", "how-to/a.html: ../index.html#no leads nowhere"],
])("fails for a link to %s", (_, link, problem) => {
  const page = { path: "docs/how-to/a.md", source: `# A\n\n${link}\n` };
  expect(() => siteFiles([contents, page])).toThrow(problem);
});

test("shows links to files that are not pages as text, and gives each heading its own anchor", () => {
  const source = "# A\n\n[the code](../../src/a.ts)\n\n<!-- begin -->\n\n## Two `of`\n\n## Two of\n";
  const html = siteFiles([contents, { path: "docs/how-to/a.md", source }])["how-to/a.html"] ?? "";
  expect(html).toContain("<p>the code</p>");
  expect(html).not.toContain("begin");
  expect(html).toContain('<h2 id="two-of">Two <code>of</code> <a');
  expect(html).toContain('<h2 id="two-of-1">Two of <a');
});

test("shows HTML as text, except code", () => {
  const source = "# A\n\ntext <b onclick=x>bold</b> <code>a|b</code>\n\n<script>alert(1)</script>\n";
  const html = siteFiles([contents, { path: "docs/how-to/a.md", source }])["how-to/a.html"] ?? "";
  expect(html).toContain("text &lt;b onclick=x&gt;bold&lt;/b&gt; <code>a|b</code>");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

test("the index of the search has the text of every section, with the address of its heading", () => {
  const source = "# A\n\nFirst `code` & more.\n\n## Part *two*\n\n| a | b |\n|---|---|\n| one | two |\n";
  const files = siteFiles([contents, { path: "docs/how-to/a.md", source }]);
  const { pages, sections } = JSON.parse(files["search.json"] ?? "") as {
    pages: [string, string][];
    sections: [number, string, string, string][];
  };
  expect(pages).toContainEqual(["how-to/a.html", "A"]);
  expect(sections.slice(1)).toEqual([
    [1, "a", "A", "First code & more."],
    [1, "part-two", "Part two", "a b one two"],
  ]);
});

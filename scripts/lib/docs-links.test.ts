import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkoutFiles } from "./checkout-files.mjs";
import { rootFolder } from "./run-command.mjs";

const pages = (await checkoutFiles()).filter(
  ({ path }) => path.endsWith(".md") && !path.includes("/fixtures/"),
);

/** The names of a page's headings in links, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Links into this checkout that lead nowhere. */
function deadLinks({ path, source }: { path: string; source: string }): string[] {
  const links = [...source.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? join(rootFolder, path) : join(rootFolder, dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor);
  });
}

test.each(pages)("every link of $path leads somewhere", (page) => {
  expect(deadLinks(page)).toEqual([]);
});

test("every page of the docs is in their table of contents", () => {
  const contents = readFileSync(join(rootFolder, "docs/README.md"), "utf8");
  const listed = pages
    .map(({ path }) => path)
    .filter((path) => /^docs\/.+\.md$/.test(path) && path !== "docs/README.md");
  expect(listed.filter((path) => !contents.includes(`(${path.slice("docs/".length)})`))).toEqual([]);
});

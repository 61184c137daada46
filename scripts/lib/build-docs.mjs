import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { checkoutFiles } from "./checkout-files.mjs";
import { navigationOf } from "./docs-site/navigation.mjs";
import { pageHtml } from "./docs-site/page-template.mjs";
import { renderPage } from "./docs-site/render-page.mjs";
import { deadLinks, pagesOf } from "./docs-site/site-pages.mjs";
import { rootFolder } from "./run-command.mjs";

const consoleFolder = join(rootFolder, "packages", "tablekeep", "console");
const target = join(rootFolder, "packages", "tablekeep", "dist", "docs");

/**
 * Builds the documentation site: a page for each page of the docs, an index for the search, a script and a style sheet, as one
 * compressed file. Fails if a link leads nowhere. Safe to run in several processes at once: the file is replaced atomically.
 */
export async function buildDocs() {
  const text = JSON.stringify({ ...siteFiles(await checkoutFiles()), ...(await assets()) });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  mkdirSync(target, { recursive: true });
  const part = join(target, `site.json.br.${process.pid}`);
  writeFileSync(part, brotliCompressSync(text, { params }));
  renameSync(part, join(target, "site.json.br"));
}

/**
 * Returns the pages and the index of the search, by their paths in the site.
 * @param {readonly { path: string, source: string }[]} checkout
 * @returns {Record<string, string>}
 */
export function siteFiles(checkout) {
  const pages = pagesOf(checkout);
  const rendered = pages.map(renderPage);
  const dead = deadLinks(rendered);
  if (dead.length > 0) throw new Error(`the documentation has dead links:\n${dead.join("\n")}`);
  const contents = pages.find(({ file }) => file === "index.html")?.source ?? "";
  const groups = navigationOf(contents);
  const index = {
    pages: rendered.map(({ file, title }) => [file, title]),
    sections: rendered.flatMap(({ sections }, page) =>
      sections.map(({ anchor, heading, text }) => [page, anchor, heading, text]),
    ),
  };
  return {
    ...Object.fromEntries(rendered.map((page) => [page.file, pageHtml(page, groups)])),
    "search.json": JSON.stringify(index),
  };
}

async function assets() {
  const { outputFiles } = await build({
    entryPoints: { site: join(consoleFolder, "docs-site", "main.ts") },
    outdir: target,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2023",
    legalComments: "none",
    write: false,
  });
  const built = outputFiles.map(({ path, text }) => [path.slice(target.length + 1), text]);
  return { ...Object.fromEntries(built), "icon.svg": readFileSync(join(consoleFolder, "icon.svg"), "utf8") };
}

/** The HTML around the article of a page. All addresses are relative, so that the site works under any path. */
import { posix } from "node:path";
import { escapeHtml } from "./render-page.mjs";
import { rootOf } from "./site-pages.mjs";

/**
 * @param {import("./render-page.mjs").RenderedPage} page
 * @param {readonly import("./navigation.mjs").Group[]} groups
 * @returns {string}
 */
export function pageHtml(page, groups) {
  const root = rootOf(page);
  const title = page.title === "Documentation" ? "Tablekeep" : `${page.title} · Tablekeep`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}site.css">
<script src="${root}site.js"></script>
</head>
<body>
<a class="skip" href="#article">Skip to the text</a>
<header class="bar">
<a class="brand" href="${root}index.html"><img src="${root}icon.svg" alt="" width="22" height="22"><span>Tablekeep</span></a>
<div class="search" role="search">
<input id="query" type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off" spellcheck="false">
<div id="results" hidden></div>
</div>
<a class="console" href="${root}../">Console</a>
<button type="button" id="theme" class="plain">◐</button>
</header>
<div class="columns">
<nav aria-label="Documentation"><details class="menu" open><summary>Contents</summary>
${groups.map((group) => groupHtml(group, page)).join("\n")}
</details></nav>
<main id="article" tabindex="-1"><article>
${page.html}</article></main>
${outline(page)}
</div>
</body>
</html>
`;
}

function groupHtml({ title, links }, page) {
  const items = links.map(({ title: text, file }) => {
    const href = posix.relative(posix.dirname(page.file), file);
    const current = file === page.file ? ' aria-current="page"' : "";
    return `<li><a href="${href}"${current}>${escapeHtml(text)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join("\n")}</ul>`;
}

/** The headings of the second level, for pages that have several. */
function outline({ html }) {
  const headings = [...html.matchAll(/<h2 id="([^"]+)">(.*?) <a class="anchor"/g)];
  if (headings.length < 3) return "";
  const items = headings.map(
    ([, anchor, text]) => `<li><a href="#${anchor}">${text.replaceAll(/<[^>]+>/g, "")}</a></li>`,
  );
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join("\n")}</ul></aside>`;
}

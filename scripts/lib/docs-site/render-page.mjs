/** Renders one page: its HTML, the anchors of its headings, and the sections that the search finds. */
import { Marked } from "marked";
import { addressOf } from "./site-pages.mjs";

/**
 * @typedef {object} Section
 * @property {string} anchor
 * @property {string} heading
 * @property {string} text
 *
 * @typedef {object} RenderedPage
 * @property {string} file
 * @property {string} title
 * @property {string} html of the article
 * @property {string[]} anchors
 * @property {Section[]} sections
 */

/**
 * @param {import("./site-pages.mjs").Page} page
 * @returns {RenderedPage}
 */
export function renderPage(page) {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(page.source);
  void marked.walkTokens(tokens, tameHtml);
  const anchorOf = uniqueAnchors();
  const parts = partsOf(tokens).map((part) => decorated(marked.parser(part), page, anchorOf));
  const html = parts.join("");
  const title = plainText(/^# (.+)$/m.exec(page.source)?.[1] ?? page.file);
  return {
    file: page.file,
    title,
    html,
    anchors: [...html.matchAll(/<h\d id="([^"]+)">/g)].map(([, anchor]) => anchor),
    sections: parts.map((part) => sectionOf(part, title)),
  };
}

/** Comments for scripts are left out, and HTML is shown as text, except code in cells of tables that contains a pipe. */
function tameHtml(token) {
  if (token.type !== "html" || /^<\/?code>$/.test(token.text)) return;
  token.text = token.text.trimStart().startsWith("<!--") ? "" : escapeHtml(token.text);
}

/** Adds anchors to headings, makes links lead to pages of the site, and lets wide tables and code scroll by keyboard. */
function decorated(html, page, anchorOf) {
  return html
    .replaceAll(/<h(\d)>(.*?)<\/h\1>/gs, (_, depth, shown) => {
      const anchor = anchorOf(textOf(shown));
      const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${anchor}">${shown}${depth === "1" ? "" : ` ${link}`}</h${depth}>`;
    })
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (_, href, shown) => {
      const address = addressOf(href, page);
      if (address === undefined) return shown;
      return `<a href="${address}"${/^[a-z]+:/i.test(address) ? ' rel="noopener noreferrer"' : ""}>${shown}</a>`;
    })
    .replaceAll(/<img [^>]*alt="([^"]*)"[^>]*>/g, "$1")
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}

/** Escapes a string for HTML. */
export function escapeHtml(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]);
}

/** Splits the tokens of a page before each heading. */
function partsOf(tokens) {
  const parts = [[]];
  for (const token of tokens) {
    if (token.type === "heading" && parts.at(-1).length > 0) parts.push([]);
    parts.at(-1).push(token);
  }
  return parts;
}

function sectionOf(html, title) {
  const [whole = "", anchor = "", heading = title] = /^<h\d id="([^"]*)">(.*?)<\/h\d>/s.exec(html) ?? [];
  const shown = heading.replace(/<a class="anchor".*?<\/a>/, "");
  return { anchor, heading: textOf(shown), text: textOf(html.slice(whole.length)) };
}

function textOf(html) {
  return html
    .replaceAll(/<\/(?:td|th|li|p|pre|h\d)>/g, " ")
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The text of a heading in Markdown, without links and code marks. */
function plainText(markdown) {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** Returns a function that makes anchors as GitHub does, each once in a page. */
function uniqueAnchors() {
  const used = new Map();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

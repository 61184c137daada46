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
  const anchorOf = uniqueAnchors();
  const anchors = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(plainText(text));
        anchors.push(anchor);
        const shown = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${shown}</h1>\n`;
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${shown} ${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        const address = addressOf(href, page);
        if (address === undefined) return shown;
        const isOutside = /^[a-z]+:/i.test(address);
        return `<a href="${escapeHtml(address)}"${isOutside ? ' rel="noopener noreferrer"' : ""}>${shown}</a>`;
      },
      // The pages contain comments for scripts, and nothing else in HTML.
      html({ text }) {
        return text.trimStart().startsWith("<!--") ? "" : escapeHtml(text);
      },
      image({ text }) {
        return escapeHtml(text);
      },
      code({ text, lang }) {
        return `<pre tabindex="0"><code${lang ? ` class="language-${escapeHtml(lang)}"` : ""}>${escapeHtml(text)}\n</code></pre>\n`;
      },
    },
  });
  const parts = partsOf(marked.lexer(page.source)).map((tokens) => marked.parser(tokens));
  const title = plainText(/^# (.+)$/m.exec(page.source)?.[1] ?? page.file);
  return {
    file: page.file,
    title,
    html: wrapTables(parts.join("")),
    anchors,
    sections: parts.map((html) => sectionOf(html, title)),
  };
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

/** A wide table scrolls by itself, also by keyboard. */
function wrapTables(html) {
  return html
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
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

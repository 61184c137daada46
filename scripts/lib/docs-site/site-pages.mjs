/** Which files are pages of the documentation site, and where their links lead. */
import { posix } from "node:path";

/**
 * @typedef {object} Page
 * @property {string} path in the repository: `docs/how-to/agents.md`
 * @property {string} file in the site: `how-to/agents.html`
 * @property {string} source Markdown
 */

/** Returns the page's file in the site; undefined if the file is not a page. */
export function siteFileOf(path) {
  if (path === "docs/README.md") return "index.html";
  if (path === "ARCHITECTURE.md") return "architecture.html";
  const [, folder, name] = /^(packages|examples)\/([^/]+)\/README\.md$/.exec(path) ?? [];
  if (folder !== undefined) return `${folder}/${name}.html`;
  const [, page] = /^docs\/((?:[^/]+\/)?[^/]+)\.md$/.exec(path) ?? [];
  return page === undefined ? undefined : `${page}.html`;
}

/**
 * Returns all pages of a checkout.
 * @param {readonly { path: string, source: string }[]} files
 * @returns {Page[]}
 */
export function pagesOf(files) {
  return files.flatMap(({ path, source }) => {
    const file = siteFileOf(path);
    return file === undefined ? [] : [{ path, file, source }];
  });
}

/**
 * Returns the address for a link of a page: as it is if it leads to another host, relative if it leads to a page, and
 * undefined if it leads to a file of the repository that is not a page.
 */
export function addressOf(link, page) {
  if (/^[a-z]+:/i.test(link) || link.startsWith("#")) return link;
  const [target = "", anchor] = link.split("#");
  const file = siteFileOf(posix.join(posix.dirname(page.path), target));
  if (file === undefined) return undefined;
  const relative = posix.relative(posix.dirname(page.file), file);
  return anchor === undefined ? relative : `${relative}#${anchor}`;
}

/** Returns the path from a page to the root of the site: "" or "../". */
export function rootOf({ file }) {
  return "../".repeat(file.split("/").length - 1);
}

/**
 * Returns the links of rendered pages that lead nowhere.
 * @param {readonly { file: string, html: string, anchors: readonly string[] }[]} rendered
 * @returns {string[]}
 */
export function deadLinks(rendered) {
  const anchorsByFile = new Map(rendered.map(({ file, anchors }) => [file, new Set(anchors)]));
  return rendered.flatMap(({ file, html }) =>
    [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, link]) => {
      if (/^[a-z]+:/i.test(link)) return URL.canParse(link) ? [] : [`${file}: ${link} is not an address`];
      const [target, anchor] = link.split("#");
      const to = target === "" ? file : posix.join(posix.dirname(file), target);
      const known = anchorsByFile.get(to);
      if (known !== undefined && (anchor === undefined || known.has(anchor))) return [];
      return [`${file}: ${link} leads nowhere`];
    }),
  );
}

/** Reads the navigation of the site from the table of contents, docs/README.md. */
import { siteFileOf } from "./site-pages.mjs";

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {{ title: string, file: string }[]} links
 */

/**
 * Returns the groups of links: a group for each heading, bold line and row of a table that has links.
 * @param {string} contents docs/README.md
 * @returns {Group[]}
 */
export function navigationOf(contents) {
  const groups = [{ title: "Start", links: [{ title: "Contents", file: "index.html" }] }];
  let begin = "Start";
  for (const line of contents.split("\n")) {
    const [, heading] = /^(?:## |\*\*)(.+?)(?:\*\*)?$/.exec(line) ?? [];
    const [, topic, cells] = /^\| ([^|[\]]+) \| (.+) \|$/.exec(line) ?? [];
    if (heading !== undefined) begin = heading;
    const links = linksOf(cells ?? line);
    if (links.length === 0) continue;
    const title = topic === undefined ? begin : capital(topic);
    if (groups.at(-1).title !== title) groups.push({ title, links: [] });
    groups.at(-1).links.push(...links);
  }
  return groups;
}

function linksOf(line) {
  return [...line.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].flatMap(([, title, link]) => {
    const file = siteFileOf(link.startsWith("../") ? link.slice(3) : `docs/${link}`);
    return file === undefined ? [] : [{ title: capital(title), file }];
  });
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

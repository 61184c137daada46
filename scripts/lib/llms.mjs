/** Builds llms.txt: the title, the summary and the address of every page of the docs, for language models. */
import { posix } from "node:path";

/** The sections of the file, in order, and the pages of each. */
const sections = [
  ["Guides", /^docs\/(?:tutorial|how-to\/[^/]+)\.md$/],
  ["Packages", /^packages\/[^/]+\/README\.md$/],
  ["Examples", /^examples\/[^/]+\/README\.md$/],
  ["Reference", /^docs\/reference\/[^/]+\.md$/],
  ["Explanation", /^(?:docs\/explanation\/[^/]+|ARCHITECTURE)\.md$/],
  ["Optional", /^(?:AGENTS|CONTRIBUTING|SECURITY|CHANGELOG|docs\/contributing\/[^/]+)(?:\.md)?$/],
];

const maxSummary = 200;

/**
 * Returns the text of llms.txt.
 * @param {readonly { path: string, source: string }[]} files
 * @returns {string}
 */
export function llmsText(files) {
  const pages = files.filter(({ path }) => path.endsWith(".md"));
  const readme = pages.find(({ path }) => path === "README.md");
  const parts = [`# ${titleOf(readme)}`, `> ${firstParagraphOf(readme)}`];
  for (const [heading, pattern] of sections) {
    const lines = pages
      .filter(({ path }) => pattern.test(path))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((page) => `- [${titleOf(page)}](${page.path}): ${summaryOf(page)}`);
    parts.push(`## ${heading}\n\n${lines.join("\n")}`);
  }
  return `${parts.join("\n\n")}\n`;
}

function titleOf({ source }) {
  return /^# (.+)$/m.exec(source)?.[1] ?? "";
}

/** Returns the first paragraph of prose as one line, with links relative to the root. */
function firstParagraphOf({ path, source }) {
  const [, body = ""] = source.split(/^# .+\n/m);
  const prose = body
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/^```.*?^```$/gms, "")
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => /^[A-Za-z`["*]/.test(block));
  const line = (prose ?? "").replaceAll(/\s+/g, " ");
  return line.replaceAll(/\]\((?!https?:|#)([^)]+)\)/g, (_, link) => {
    return `](${posix.normalize(posix.join(posix.dirname(path), link))})`;
  });
}

/** Returns the start of the first paragraph without links, cut at a sentence. */
function summaryOf(page) {
  const text = firstParagraphOf(page)
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replace(/(?<=[.:]) [^.:]+:$/, "");
  if (text.length <= maxSummary) return text;
  const end = text.lastIndexOf(". ", maxSummary);
  return end > 0 ? text.slice(0, end + 1) : `${text.slice(0, text.lastIndexOf(" ", maxSummary))} …`;
}

import { readFileSync } from "node:fs";

/** A page of the docs, by its path from the root of the checkout. */
export function readDocs(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
}

/** The rows of every table in `markdown`, cells without their back quotes. Heads and rules are left out. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split("\n");
  const isRule = (line: string | undefined) => line !== undefined && /^\|[-|: ]+\|$/.test(line);
  return lines
    .filter((line, index) => line.startsWith("|") && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

/** The text under a heading, up to the next one of its level or above. */
export function sectionOf(markdown: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const start = markdown.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`there is no heading "${heading}"`);
  const body = markdown.slice(start + heading.length + 2);
  const end = body.search(new RegExp(`^#{1,${level}} `, "m"));
  return end === -1 ? body : body.slice(0, end);
}

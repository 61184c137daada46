import type { Report } from "../lint-rules.ts";
import type { LintedMessage } from "../read-linted.ts";

const kilobyte = 1024;
/** Gmail hides the rest of a longer HTML part. */
const clippedBytes = 102 * kilobyte;
const maxBytes = 25 * kilobyte * kilobyte;
/** RFC 5322 section 2.1.1, without the line end. */
const longestLine = 998;

/** Checks sizes, line lengths, and the plain-text alternative. */
export function checkContent({ raw, htmls, texts }: LintedMessage, report: Report): void {
  if (raw.length > maxBytes)
    report("message-size", `the message has ${(raw.length / kilobyte / kilobyte).toFixed(1)} MB`);
  const long = longLine(raw);
  if (long !== undefined)
    report("line-length", `line ${long.line} of the message has ${long.bytes} bytes`, {
      where: `line ${long.line}`,
    });
  for (const { bytes } of htmls)
    if (bytes > clippedBytes)
      report("html-size", `the HTML has ${Math.ceil(bytes / kilobyte)} KB: Gmail clips it`);
  if (htmls.length === 0) return;
  if (texts.length === 0) report("text-part", "the message has HTML but no plain text");
  else if (texts.every((text) => text.trim() === "")) report("text-part", "the plain-text part is empty");
}

/** The first line that is too long. Looks for the last line end in the bytes that a line may have, not for each one. */
function longLine(raw: Uint8Array): { line: number; bytes: number } | undefined {
  let start = 0;
  while (raw.length - start > longestLine) {
    const last = raw.lastIndexOf(10, start + longestLine + 1);
    // A line end at the last of these bytes ends a line that is too long, unless it is CR LF or follows another one.
    const isShort =
      last - start <= longestLine || raw[last - 1] === 13 || raw.lastIndexOf(10, last - 1) >= start;
    if (last >= start && isShort) {
      start = last + 1;
      continue;
    }
    const next = raw.indexOf(10, start);
    const end = next < 0 ? raw.length : next;
    const bytes = end - start - (raw[end - 1] === 13 ? 1 : 0);
    if (bytes > longestLine) return { line: linesBefore(raw, start) + 1, bytes };
    start = end + 1;
  }
  return undefined;
}

function linesBefore(raw: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = raw.indexOf(10); at >= 0 && at < end; at = raw.indexOf(10, at + 1)) lines++;
  return lines;
}

/** What template engines leave behind if a value is missing or its name is misspelled. */
const leftovers: readonly RegExp[] = [
  /\{\{[^{}\n]{1,100}\}\}/,
  /\{%[^{}\n]{1,100}%\}/,
  /<%[^<>\n]{1,100}%>/,
  /\$\{[^{}\n]{1,100}\}/,
  /\*\|[A-Z][A-Z0-9_:]{0,60}\|\*/,
  /\[object Object\]/,
];

/** Checks that no placeholder of a template is left in what readers see. Styles and scripts may contain such characters. */
export function checkTemplates(message: LintedMessage, htmlTexts: readonly string[], report: Report): void {
  const places: readonly (readonly [where: string, text: string])[] = [
    ["Subject", message.named("subject").join("\n")],
    ...message.texts.map((text) => ["plain text", text] as const),
    ...htmlTexts.map((text) => ["HTML", text] as const),
  ];
  for (const [where, text] of places) {
    for (const form of leftovers) {
      const [found] = form.exec(text) ?? [];
      if (found !== undefined)
        report("template-rest", `a placeholder is left: ${JSON.stringify(found)}`, { where });
    }
  }
}

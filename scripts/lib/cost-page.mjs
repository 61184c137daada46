import { readFileSync, writeFileSync } from "node:fs";

/**
 * Returns a page of the documentation as it is, and with its table of costs as measured: a row for each name, a column for
 * each of `columns`. The table stands between the comments `costs` and `end`. TABLEKEEP_UPDATE_DOCS=1 writes the page.
 *
 * @param {string} page the path of the page
 * @param {readonly string[]} columns
 * @param {readonly string[]} names
 * @param {(column: string, name: string) => { readonly requests: number, readonly readUnits: number, readonly writeUnits: number }} costOf
 * @returns {{ text: string, measured: string }}
 */
export function costPage(page, columns, names, costOf) {
  const cell = ({ requests, readUnits, writeUnits }) =>
    `${requests} / ${shown(readUnits)} / ${shown(writeUnits)}`;
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const table = [
    row(["what", ...columns]),
    `|---|${columns.map(() => "---:|").join("")}`,
    ...names.map((name) => row([name, ...columns.map((column) => cell(costOf(column, name)))])),
  ].join("\n");
  const text = readFileSync(page, "utf8");
  const measured = text.replace(
    /(<!-- costs -->\n\n)[\s\S]*?(\n\n<!-- end -->)/,
    (_all, start, end) => start + table + end,
  );
  if (process.env["TABLEKEEP_UPDATE_DOCS"] !== "1") return { text, measured };
  writeFileSync(page, measured);
  return { text: measured, measured };
}

function shown(units) {
  return units.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

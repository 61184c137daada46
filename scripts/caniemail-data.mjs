/**
 * Writes packages/mail/src/lint/html/client-support-data.ts from the data of caniemail.com (MIT license, see NOTICE):
 *
 *   node scripts/caniemail-data.mjs data.json
 *
 * data.json is the answer of caniemail's API, also contained in the npm package `caniemail`.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("pass the JSON file of caniemail's API");
/** Versions are keys, oldest first. Objects would sort those that are whole numbers before all others. */
const text = readFileSync(file, "utf8").replaceAll(/"(\d+)"(?=\s*:)/g, '"v$1"');
const { data, last_update_date: updated, nicenames } = JSON.parse(text);

const names = new Set();
for (const { stats } of data)
  for (const [family, platforms] of Object.entries(stats))
    for (const platform of Object.keys(platforms)) names.add(`${family}/${platform}`);
const clients = [...names].sort();
const title = (client) => {
  const [family, platform] = client.split("/");
  return `${nicenames.family[family] ?? family} (${nicenames.platform[platform] ?? platform})`;
};
/** The support by the newest tested version: yes, no, partly (a), or unknown. */
const support = (stats, client) => {
  const [family, platform] = client.split("/");
  const versions = Object.entries(stats[family]?.[platform] ?? {});
  // Months are not always in order.
  if (versions.every(([version]) => /^\d{4}-\d\d$/.test(version)))
    versions.sort(([one], [other]) => (one < other ? -1 : 1));
  const [, newest = "u"] = versions.at(-1) ?? [];
  return /^[yna]/.exec(newest)?.[0] ?? "u";
};
const row = ({ slug, title: name, stats }) =>
  [slug, clients.map((client) => support(stats, client)).join(""), name].join(" ");

const features = data.filter(({ category }) => category !== "others");
writeFileSync(
  new URL("../packages/mail/src/lint/html/client-support-data.ts", import.meta.url),
  `/** Written by scripts/caniemail-data.mjs from caniemail.com, Copyright (c) 2019 HTeuMeuLeu, MIT license: see NOTICE. */

/** When the data was published. */
export const supportDate = ${JSON.stringify(updated.slice(0, 10))};

/** Mail clients: id and name. */
export const supportClients: readonly (readonly [id: string, name: string])[] = [
${clients.map((client) => `  ${JSON.stringify([client, title(client)])},`).join("\n")}
];

/** One feature in each line: its id, one letter for each client (y supported, n not, a partly, u unknown), and its name. */
export const supportLines = \`
${features.map(row).join("\n")}
\`;
`,
);
console.log(`${features.length} features, ${clients.length} clients, ${updated}`);

/**
 * `npm run bench -- console [--mails 100000] [--items 1000000] [--ids 100000] [--folder FOLDER]`: how long the screens of the console take
 * until they show content, on a folder with much data and on one with little. The folder is filled once and used again.
 */
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { startServer } from "../../packages/tablekeep/dist/index.js";
import { printTable } from "../lib/print-table.mjs";
import { fill } from "./lib/fill-folder.mjs";
import { paint } from "./lib/paint-screen.mjs";

const { values } = parseArgs({
  options: {
    mails: { type: "string", default: "100000" },
    items: { type: "string", default: "1000000" },
    ids: { type: "string", default: "100000" },
    folder: { type: "string" },
    rounds: { type: "string", default: "5" },
  },
});
const counts = { mails: Number(values.mails), items: Number(values.items), ids: Number(values.ids) };
const few = { mails: 20, items: 20, ids: 20 };
const row = ".row:not(.waiting)";
const screens = {
  "#/mail": row,
  "#/mail?q=order": row,
  "#/mail/sessions": ".empty-state",
  "#/journal": row,
  "#/journal/journal/cart-7": row,
  "#/journal/journal/cart-7/events/1?view=state": ".state-view .printed",
  "#/projections": ".empty-state",
  "#/shadows": ".empty-state",
  "#/tables": row,
  "#/tables/things": '.grid-rows [role="row"]',
  "#/tables/things?partition=thing-7": '.grid-rows [role="row"]',
  "#/tables/things/partiql": ".statement-form",
  "#/tables/things/changes": ".empty-state",
  "#/tables/things/about": ".about .facts",
  "#/overview": ".card li",
};

const parent = values.folder ?? join(tmpdir(), "tablekeep-bench-console");
mkdirSync(parent, { recursive: true });
const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ["--no-sandbox", "--disable-gpu"],
});
const servers = {};
try {
  for (const [name, wanted] of Object.entries({ few, many: counts })) {
    const dataFolder = join(parent, Object.values(wanted).join("-"));
    await fill(dataFolder, wanted);
    const options = { dataFolder, httpPort: 0, dynamodb: false, smtp: false, mqtt: false };
    servers[name] = await startServer(options);
  }
  const rows = [
    ["screen", "first paint", "content", "with 20 of each", "ratio", "CPU of the server", "ratio"],
  ];
  for (const [place, content] of Object.entries(screens)) {
    const times = { few: [], many: [] };
    for (let round = 0; round < Number(values.rounds); round++)
      for (const name of ["few", "many"]) {
        const url = new URL(place, servers[name].listeners[0].url).href;
        times[name].push(await paint(browser, url, content));
      }
    const [small, large] = [bestOf(times.few), bestOf(times.many)];
    rows.push([
      place,
      `${Math.round(large.firstPaintMs)} ms`,
      `${Math.round(large.contentMs)} ms`,
      `${Math.round(small.contentMs)} ms`,
      `${(large.contentMs / small.contentMs).toFixed(1)}×`,
      `${Math.round(large.cpuMs)} ms`,
      `${(large.cpuMs / Math.max(1, small.cpuMs)).toFixed(1)}×`,
    ]);
  }
  console.log(
    `${Object.entries(counts)
      .map(([name, count]) => `${count.toLocaleString("en")} ${name}`)
      .join(", ")}; the fastest of ${values.rounds}`,
  );
  printTable(rows);
} finally {
  await browser.close();
  for (const server of Object.values(servers)) await server.stop();
}

/** The round with the least of everything: on a busy machine the others measure the machine. */
function bestOf(times) {
  const least = (name) => Math.min(...times.map((each) => each[name]));
  return { firstPaintMs: least("firstPaintMs"), contentMs: least("contentMs"), cpuMs: least("cpuMs") };
}

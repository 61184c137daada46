/**
 * This checkout against another built one, in turn in one run: `npm run bench -- against ../parent`. Every ratio is this
 * one's rate divided by the other's, and must be at least 0.95. Each side runs its own packages: engine in process and
 * over HTTP, journal, shadows, accepted mail. BENCH_SECONDS, BENCH_ROUNDS and BENCH_SHAPES apply.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { worksOn } from "../journal/sides/works.mjs";
import { measureSideBySide } from "../lib/measure-side-by-side.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { atLeast, finish } from "../lib/targets.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { sampleMessage } from "../mail/lib/sample-message.mjs";
import { smtpSender } from "../mail/lib/smtp-sender.mjs";

const target = 0.95;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const [other] = process.argv.slice(2);
if (other === undefined || !existsSync(join(other, "packages/engine/dist/index.js"))) {
  console.error("usage: npm run bench -- against PATH, where PATH is another checkout that has been built");
  process.exit(2);
}
const roots = { this: fileURLToPath(new URL("../../", import.meta.url)), other: resolve(other) };
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const children = [];
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };

for (const shape of shapes) {
  await compare(`Engine in process, ${shape.title}`, (side) => engineWorks(side.engine(), shape));
  await compare(`Engine over HTTP, ${shape.title}`, (side) => engineWorks(side.httpPort(), shape));
  await compare(`Journal in process, ${shape.title}`, (side) => journalWorks(side, side.engine(), shape));
  await compare(`Journal over HTTP, ${shape.title}`, (side) => journalWorks(side, side.httpPort(), shape));
}
await compare("Shadows in process", (side) => shadowWorks(side));
await compare("Mail", (side) => mailWorks(side));
rmSync(folder, { recursive: true, force: true });
finish();

/** Measures both checkouts in turn. */
async function compare(title, makeWorks) {
  const sides = {};
  for (const [name, root] of Object.entries(roots))
    sides[name] = await makeWorks(sideOf(root, join(folder, `${title} ${name}`.replaceAll(/\W+/g, "-"))));
  const rows = [["work", "other/s", "this/s", "this ÷ other", "target"]];
  for (const [work, { inFlight }] of Object.entries(sides.this)) {
    for (const works of Object.values(sides)) await works[work].prepare?.();
    const runs = Object.fromEntries(Object.entries(sides).map(([name, works]) => [name, works[work].run]));
    const figures = await measureSideBySide(runs, { inFlight, seconds, rounds });
    const ratio = figures.this.perSecond / figures.other.perSecond;
    rows.push([
      work,
      whole(figures.other.perSecond),
      whole(figures.this.perSecond),
      times(ratio),
      atLeast(`${title}, ${work}`, ratio, target),
    ]);
  }
  console.log(`\n${title}: calls a second, sides in turn, medians of ${rounds}`);
  printTable(rows);
  for (const child of children.splice(0)) child.kill("SIGKILL");
}

/** What one checkout offers, each part on a durable folder. */
function sideOf(root, path) {
  const from = (file) => import(pathToFileURL(join(root, file)).href);
  const packaged = (name) => from(`packages/${name}/dist/index.js`);
  const started = async (program) => {
    const child = fork(join(root, program), [path], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    children.push(child);
    return (await once(child, "message"))[0];
  };
  return {
    from,
    packaged,
    started,
    engine: async () => (await packaged("engine")).openEngine({ storage: { kind: "folder", path } }),
    async httpPort() {
      const endpoint = `http://127.0.0.1:${await started("bench/engine/server/engine-server.mjs")}`;
      const { httpPort } = await packaged("client");
      return httpPort({ endpoint, region: "us-east-1", credentials, maxConnections: 64 });
    },
  };
}

async function engineWorks(opening, shape) {
  const port = await opening;
  await port.createTable(tableInput("bench"));
  await seed(port, "bench", shape);
  const calls = workload(port, "bench", shape);
  return Object.fromEntries(operations.map((name) => [name, { inFlight: 64, run: calls[name] }]));
}

async function journalWorks({ from, packaged }, opening, shape) {
  const port = await opening;
  const { ensureTable } = await packaged("client");
  const { journalTableSpec, openJournal } = await packaged("journal");
  const { journalSide } = await from("bench/journal/sides/journal-side.mjs");
  // The same layout on both sides, whatever each has as its default.
  const options = { table: "bench-journal", layout: "bucketed" };
  await ensureTable(port, { ...journalTableSpec(options) });
  return worksOn(await journalSide(port, await openJournal(port, options), options.table), shape);
}

async function shadowWorks({ from, packaged, engine }) {
  const port = await engine();
  const { ensureTable } = await packaged("client");
  const { shadowTableSpec } = await packaged("shadow");
  const { shadowSide } = await from("bench/shadow/sides/shadow-side.mjs");
  await ensureTable(port, shadowTableSpec("bench-shadow"));
  const side = shadowSide(port, "bench-shadow");
  const work = (name, inFlight) => ({ inFlight, run: (lane) => side[name](`${name}-${inFlight}-${lane}`) });
  return {
    "write, 1 in flight": work("write", 1),
    "write, 16 in flight": work("write", 16),
    "update, 1 in flight": work("update", 1),
    "update, 16 in flight": work("update", 16),
  };
}

async function mailWorks({ started }) {
  const { port } = await started("bench/mail/server/tablekeep.mjs");
  const works = {};
  for (const [name, bytes, count] of [
    ["10 KB", 10 * 1024, 200],
    ["1 MB", 1024 * 1024, 8],
  ]) {
    const messages = Array.from({ length: count }, (_unused, at) => sampleMessage(bytes, at));
    for (const inFlight of [1, 16]) {
      const senders = await Promise.all(Array.from({ length: inFlight }, () => smtpSender(port)));
      let next = 0;
      const run = (lane) => {
        const number = next++;
        return senders[lane].send(`user${number % 500}@bench.example`, messages[number % count]);
      };
      works[`${name}, ${inFlight} connections`] = { inFlight, run };
    }
  }
  return works;
}

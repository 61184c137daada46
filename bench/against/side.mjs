/**
 * One checkout of a comparison. Arguments: its folder, the folder for its data, and the works. Sends the names of the works, then
 * answers `{ prepare }` and `{ run, inFlight, seconds }`. Ends with its parent.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { worksOn } from "../journal/sides/works.mjs";
import { runFor } from "../lib/measure-side-by-side.mjs";
import { shapes } from "../lib/shapes.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { sampleMessage } from "../mail/lib/sample-message.mjs";
import { smtpSender } from "../mail/lib/smtp-sender.mjs";
import { coldLoads } from "./cold-loads.mjs";

const [root, path, part, where, shapeName] = process.argv.slice(2);
const shape = shapes.find(({ name }) => name === shapeName);
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const from = (file) => import(pathToFileURL(join(root, file)).href);
const packaged = (name) => from(`packages/${name}/dist/index.js`);

const works = await {
  engine: engineWorks,
  journal: journalWorks,
  entities: entityWorks,
  shadows: shadowWorks,
  mail: mailWorks,
}[part]();
process.on("disconnect", () => process.exit());
process.on("message", (message) => void answer(message));
process.send(Object.fromEntries(Object.entries(works).map(([name, { inFlight }]) => [name, inFlight])));

async function answer({ prepare, run, inFlight, seconds }) {
  if (prepare !== undefined) process.send((await works[prepare].prepare?.()) ?? {});
  else process.send(await runFor(works[run].run, inFlight, seconds));
}

/** A program of this checkout, which ends with this process. Resolves to its first message. */
async function started(program) {
  const child = fork(join(root, program), [path], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  process.on("exit", () => child.kill("SIGKILL"));
  return (await once(child, "message"))[0];
}

async function openPort() {
  if (where !== "http") return (await packaged("engine")).openEngine({ storage: { kind: "folder", path } });
  const endpoint = `http://127.0.0.1:${await started("bench/engine/server/engine-server.mjs")}`;
  const { httpPort } = await packaged("client");
  return httpPort({ endpoint, region: "us-east-1", credentials, maxConnections: 64 });
}

async function engineWorks() {
  const port = await openPort();
  await port.createTable(tableInput("bench"));
  await seed(port, "bench", shape);
  const calls = workload(port, "bench", shape);
  return Object.fromEntries(operations.map((name) => [name, { inFlight: 64, run: calls[name] }]));
}

async function journalWorks() {
  const port = await openPort();
  const { ensureTable } = await packaged("client");
  const { journalTableSpec, openJournal } = await packaged("journal");
  const { journalSide } = await from("bench/journal/sides/journal-side.mjs");
  // The same layout on both sides, whatever each has as its default.
  const options = { table: "bench-journal", layout: "bucketed" };
  await ensureTable(port, { ...journalTableSpec(options) });
  return worksOn(await journalSide(port, await openJournal(port, options), options.table), shape);
}

async function entityWorks() {
  const port = await openPort();
  const [client, journal, entity] = [
    await packaged("client"),
    await packaged("journal"),
    await packaged("entity"),
  ];
  return coldLoads(port, { ...client, ...journal, ...entity });
}

async function shadowWorks() {
  const port = await openPort();
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

async function mailWorks() {
  const { port } = await started("bench/mail/server/tablekeep.mjs");
  const found = {};
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
      found[`${name}, ${inFlight} connections`] = { inFlight, run };
    }
  }
  return found;
}

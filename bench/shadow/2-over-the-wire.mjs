/**
 * Shadows over the wire: updates a second that the server accepts over HTTP and over MQTT, 0.5 KB documents, 1 and 16 in flight,
 * each with its own thing and connection, and the CPU of the server for each. It has a process and a durable folder.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printTable, whole } from "../lib/print-table.mjs";
import { mqttSide, restSide } from "./sides/wire-sides.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const server = fork(new URL("server/tablekeep.mjs", import.meta.url), [folder]);
const [urls] = await once(server, "message");
const sides = { REST: restSide(urls.http), MQTT: mqttSide(urls.mqtt) };
const rows = [["updates by", "in flight", "a second", "server µs CPU"]];
for (const inFlight of [1, 16]) {
  const figures = { REST: [], MQTT: [] };
  for (const name of Object.keys(sides)) await run(name, inFlight, 1);
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(sides)) figures[name].push(await run(name, inFlight, seconds));
  for (const [name, measured] of Object.entries(figures)) {
    const middle = (key) => measured.map((each) => each[key]).sort((a, b) => a - b)[rounds >> 1];
    rows.push([name, inFlight, whole(middle("perSecond")), whole(middle("cpuMicros"))]);
  }
}
console.log(`\nOver the wire, durable folder: medians of ${rounds}`);
printTable(rows);
for (const side of Object.values(sides)) await side.close();
server.disconnect();
await once(server, "exit");
rmSync(folder, { recursive: true });

async function serverCpu() {
  server.send("cpu");
  const [{ cpuMicros }] = await once(server, "message");
  return cpuMicros;
}

async function run(name, inFlight, forSeconds) {
  const cpuBefore = await serverCpu();
  const startedAt = performance.now();
  const end = startedAt + forSeconds * 1000;
  let done = 0;
  const lane = async (_unused, at) => {
    for (; performance.now() < end; done++) await sides[name].update(`${name}-${inFlight}-${at}`);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const elapsed = (performance.now() - startedAt) / 1000;
  return { perSecond: done / elapsed, cpuMicros: ((await serverCpu()) - cpuBefore) / done };
}

/**
 * From the start of a process to its first answer: the program's endpoint in memory and on a folder, its whole server,
 * and DynamoDB Local; and Node with nothing to load, which is the least that ours can take. By turns, so that whatever
 * else the machine does meets all of them alike.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "../lib/cpu-seconds.mjs";
import { printTable, whole } from "../lib/print-table.mjs";
import { below, finish } from "../lib/targets.mjs";
import { startLocal } from "./sides/start-server.mjs";

const rounds = Number(process.env.BENCH_STARTS ?? 9);
const bin = fileURLToPath(new URL("../../packages/tablekeep/bin/tablekeep.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const anyPorts = ["http", "dynamodb", "smtp", "mqtt"].flatMap((name) => [`--${name}-port`, "0"]);

const sides = {
  "Node alone": () => startNode(["-e", "console.log(1); setTimeout(() => {}, 60_000)"], async () => {}),
  "tablekeep dynamodb --memory": () => startProgram(["dynamodb", "--memory", "--port", "0"]),
  "tablekeep dynamodb --data": (round) =>
    startProgram(["dynamodb", "--data", join(folder, `tables-${round}`), "--port", "0"]),
  "tablekeep serve": (round) =>
    startProgram(["serve", "--data", join(folder, `served-${round}`), ...anyPorts]),
  "DynamoDB Local": async () => {
    const { startMs, pid, stop } = await startLocal();
    const cpuMs = cpuSeconds(pid) * 1000;
    stop();
    return { ms: startMs, cpuMs };
  },
};

const figures = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, start] of Object.entries(sides)) figures[name].push(await start(round));
}
rmSync(folder, { recursive: true, force: true });

console.log(`\nFrom start to first answer, ${rounds} starts of each`);
const rows = [["side", "median ms", "fastest ms", "ms of CPU", "target"]];
for (const [name, starts] of Object.entries(figures)) {
  const times = sorted(starts.map(({ ms }) => ms));
  const cpu = sorted(starts.map(({ cpuMs }) => cpuMs));
  const target = name.includes("memory") ? below(`start, ${name}`, times[rounds >> 1], 300, "ms") : "-";
  rows.push([name, ...[times[rounds >> 1], times[0], cpu[rounds >> 1]].map(whole), target]);
}
printTable(rows);
finish();

function startProgram(args) {
  return startNode([bin, ...args, "--json"], (line) => listTables(JSON.parse(line).listeners));
}

/** Starts Node; it is ready when `ask` has its answer, which is asked once there is a line. */
async function startNode(args, ask) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  await ask(String(line));
  const figure = { ms: performance.now() - startedAt, cpuMs: cpuSeconds(child.pid) * 1000 };
  child.kill("SIGKILL");
  await once(child, "exit");
  return figure;
}

function listTables(listeners) {
  const { url } = listeners.find(({ name }) => name === "dynamodb");
  const headers = {
    "x-amz-target": "DynamoDB_20120810.ListTables",
    "content-type": "application/x-amz-json-1.0",
  };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`ListTables was answered with ${response.statusCode}`));
      response.resume().once("end", resolve);
    })
      .once("error", reject)
      .end("{}");
  });
}

function sorted(values) {
  return values.toSorted((a, b) => a - b);
}

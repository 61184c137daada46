/**
 * The engine behind HTTP against its rivals, through the same http port, 64 in flight, 1 KB items: in memory, then with
 * everything on the disk. Prints operations a second, the CPU of the server and of the client an operation, and the ratios.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpPort } from "@tablekeep/client";
import { cpuSeconds } from "../lib/cpu-seconds.mjs";
import { measure } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { atLeast, finish } from "../lib/targets.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { startDynoxide, startLocal, startProgram } from "./sides/start-server.mjs";

const inFlight = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const inMemory = {
  title: "In memory",
  sides: {
    tablekeep: () => startProgram("engine-server.mjs", ["memory"]),
    "DynamoDB Local": () => startLocal(),
    dynalite: () => startProgram("dynalite-server.mjs"),
    dynoxide: () => startDynoxide(),
  },
  targets: { put: 5, get: 3, "query of 100": 4, "batch of 25": 4, "transaction of 2": 8 },
};
const onDisk = {
  title: "On disk, durable",
  sides: {
    tablekeep: () => startProgram("engine-server.mjs", [join(folder, "tablekeep")]),
    "DynamoDB Local": () => startLocal(folder),
    dynoxide: () => startDynoxide(join(folder, "dynoxide.db")),
  },
  targets: { put: 8, "batch of 25": 15, "transaction of 2": 6 },
};

let tables = 0;
for (const shape of shapes) {
  for (const { title, sides, targets } of [inMemory, onDisk]) {
    const results = {};
    for (const [name, start] of Object.entries(sides)) {
      const all = [];
      for (let round = 0; round < rounds; round++) {
        const server = await start();
        if (server === undefined) break;
        all.push(await measureServer(server, shape));
        server.stop();
      }
      if (all.length > 0) results[name] = medians(all);
    }
    print(`${title}, ${shape.title}`, results, targets);
  }
}
rmSync(folder, { recursive: true, force: true });
finish();

async function measureServer(server, shape) {
  const port = httpPort({
    endpoint: server.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    maxConnections: inFlight,
    deadlineMs: 60_000,
    // A busy machine is slow, not broken.
    socketTimeoutMs: 60_000,
  });
  // A folder keeps the tables of the rounds before.
  const table = `bench-${process.pid}-${tables++}`;
  await port.createTable(tableInput(table));
  await seed(port, table, shape);
  const calls = workload(port, table, shape);
  const figures = {};
  for (const operation of operations) {
    try {
      await calls[operation]();
    } catch {
      continue; // The rival does not have this operation.
    }
    await measure(calls[operation], { inFlight, seconds: 0.7, warmUpSeconds: 0 });
    const cpuBefore = cpuSeconds(server.pid);
    const measured = await measure(calls[operation], { inFlight, seconds, warmUpSeconds: 0 });
    const cpu = cpuSeconds(server.pid) - cpuBefore;
    const { done, perSecond, cpuMicros: clientMicros } = measured;
    figures[operation] = { perSecond, serverMicros: (cpu * 1e6) / done, clientMicros };
  }
  await port.close();
  return figures;
}

function medians(all) {
  const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const figures = {};
  for (const operation of operations) {
    const measured = all.map((each) => each[operation]).filter((each) => each !== undefined);
    if (measured.length === 0) continue;
    figures[operation] = {
      perSecond: middle(measured.map(({ perSecond }) => perSecond)),
      serverMicros: middle(measured.map(({ serverMicros }) => serverMicros)),
      clientMicros: middle(measured.map(({ clientMicros }) => clientMicros)),
    };
  }
  return figures;
}

function print(title, results, targets) {
  console.log(
    `\n${title}: operations a second (µs of CPU each: server + client), ${inFlight} in flight, medians of ${rounds}`,
  );
  const names = Object.keys(results);
  const rivals = names.slice(1);
  const rows = [["operation", ...names, ...rivals.map((name) => `÷ ${name}`), "target ÷ Local"]];
  for (const operation of operations) {
    const ours = results[names[0]][operation];
    rows.push([
      operation,
      ...names.map((name) => shown(results[name][operation])),
      ...rivals.map((name) => {
        const theirs = results[name][operation];
        return theirs === undefined ? "-" : times(ours.perSecond / theirs.perSecond);
      }),
      atLeast(
        `${title}, ${operation}, ÷ DynamoDB Local`,
        ours.perSecond / (results["DynamoDB Local"]?.[operation]?.perSecond ?? Number.POSITIVE_INFINITY),
        results["DynamoDB Local"] === undefined ? undefined : targets[operation],
      ),
    ]);
  }
  printTable(rows);
}

function shown(figure) {
  if (figure === undefined) return "-";
  const { perSecond, serverMicros, clientMicros } = figure;
  return `${whole(perSecond)} (${whole(serverMicros)} + ${whole(clientMicros)})`;
}

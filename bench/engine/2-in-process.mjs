/**
 * The engine called directly, on a durable folder, against the floor of its storage library in the same run: the same
 * items written and read with LMDB alone, as bytes, as texts and as objects. The engine answers with objects; a floor of
 * bytes or texts does less than that. Then the engine through `sdkClient` and in memory. 64 in flight, 1 KB items.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BatchWriteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { sdkClient } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { medians } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { lmdbFloor } from "./sides/lmdb-floor.mjs";

const inFlight = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const targets = { put: 0.5, get: 0.2, "query of 100": 0.5, "batch of 25": 0.6 };
const table = "bench";
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const floors = {
  bytes: await lmdbFloor(join(folder, "bytes"), "binary"),
  texts: await lmdbFloor(join(folder, "texts"), "string"),
  objects: await lmdbFloor(join(folder, "objects"), "msgpack"),
};
const floorNames = Object.keys(floors);
const engine = await seededEngine({ kind: "folder", path: join(folder, "engine") });
const byOperation = await measureAll({
  ...Object.fromEntries(Object.entries(floors).map(([name, { calls }]) => [name, calls])),
  engine: workload(engine, table),
});
print(
  "In process, durable folder, against LMDB alone",
  [
    "operation",
    ...floorNames.map((name) => `lmdb, ${name}`),
    "engine",
    ...floorNames.map((name) => `÷ ${name}`),
    "target",
  ],
  (operation, figures) => [
    ...Object.values(figures).map(shown),
    ...floorNames.map((name) => ratio(figures.engine, figures[name])),
    targets[operation] ?? "-",
  ],
  byOperation,
);
await engine.close();
for (const floor of Object.values(floors)) await floor.close();

// Afterwards, because items that live in memory cost the garbage collector time, whoever is measured.
const behindSdk = await seededEngine({ kind: "folder", path: join(folder, "sdk") });
const memory = await seededEngine({ kind: "memory" });
print(
  "In process, without a floor",
  ["operation", "through sdkClient, durable folder", "in memory"],
  (_operation, figures) => Object.values(figures).map(shown),
  await measureAll({
    sdk: workload(commands(await sdkClient(behindSdk)), table),
    memory: workload(memory, table),
  }),
);
await behindSdk.close();
await memory.close();
rmSync(folder, { recursive: true, force: true });
process.exit();

async function seededEngine(storage) {
  const opened = await openEngine({ storage });
  await opened.createTable(tableInput(table));
  await seed(opened, table);
  return opened;
}

async function measureAll(sides) {
  const all = {};
  for (const operation of operations) {
    const calls = Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, side[operation]]));
    all[operation] = await medians(calls, { inFlight, seconds }, rounds);
  }
  return all;
}

function print(title, head, cells, measured) {
  console.log(
    `\n${title}: operations a second (µs of CPU each), ${inFlight} in flight, medians of ${rounds}; ratios by rate (by CPU)`,
  );
  printTable([head, ...operations.map((operation) => [operation, ...cells(operation, measured[operation])])]);
}

function shown({ perSecond, cpuMicros }) {
  return `${whole(perSecond)} (${cpuMicros.toFixed(1)})`;
}

function ratio(ours, floor) {
  return `${times(ours.perSecond / floor.perSecond)} (${times(floor.cpuMicros / ours.cpuMicros)})`;
}

/** The calls of the workload as the commands of the SDK. */
function commands(client) {
  return {
    putItem: (input) => client.send(new PutItemCommand(input)),
    getItem: (input) => client.send(new GetItemCommand(input)),
    query: (input) => client.send(new QueryCommand(input)),
    batchWriteItem: (input) => client.send(new BatchWriteItemCommand(input)),
    transactWriteItems: (input) => client.send(new TransactWriteItemsCommand(input)),
  };
}

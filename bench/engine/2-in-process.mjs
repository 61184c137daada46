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
import { shapes } from "../lib/shapes.mjs";
import { atLeast, finish } from "../lib/targets.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { lmdbFloor } from "./sides/lmdb-floor.mjs";

const inFlight = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const targets = { put: 0.5, get: 0.2, "query of 100": 0.5, "batch of 25": 0.6 };
const table = "bench";
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

for (const shape of shapes) await measureShape(shape);
rmSync(folder, { recursive: true, force: true });
finish();

async function measureShape(shape) {
  const path = (name) => join(folder, shape.name, name);
  const floors = {
    bytes: await lmdbFloor(path("bytes"), "binary", shape),
    texts: await lmdbFloor(path("texts"), "string", shape),
    objects: await lmdbFloor(path("objects"), "msgpack", shape),
  };
  const floorNames = Object.keys(floors);
  const engine = await seededEngine({ kind: "folder", path: path("engine") }, shape);
  const byOperation = await measureAll({
    ...Object.fromEntries(Object.entries(floors).map(([name, { calls }]) => [name, calls])),
    engine: workload(engine, table, shape),
  });
  print(
    `In process, durable folder, ${shape.title}, against LMDB alone`,
    [
      "operation",
      ...floorNames.map((name) => `lmdb, ${name}`),
      "engine",
      ...floorNames.map((name) => `÷ ${name}`),
      "target ÷ objects",
    ],
    (operation, figures) => [
      ...Object.values(figures).map(shown),
      ...floorNames.map((name) => ratio(figures.engine, figures[name])),
      atLeast(
        `in process, ${shape.title}, ${operation}, ÷ LMDB with objects`,
        figures.engine.perSecond / figures.objects.perSecond,
        targets[operation],
      ),
    ],
    byOperation,
  );
  await engine.close();
  for (const floor of Object.values(floors)) await floor.close();

  // Afterwards, because items that live in memory cost the garbage collector time, whatever is measured.
  const behindSdk = await seededEngine({ kind: "folder", path: path("sdk") }, shape);
  const memory = await seededEngine({ kind: "memory" }, shape);
  print(
    `In process, ${shape.title}, without a floor`,
    ["operation", "through sdkClient, durable folder", "in memory"],
    (_operation, figures) => Object.values(figures).map(shown),
    await measureAll({
      sdk: workload(commands(await sdkClient(behindSdk)), table, shape),
      memory: workload(memory, table, shape),
    }),
  );
  await behindSdk.close();
  await memory.close();
}

async function seededEngine(storage, shape) {
  const opened = await openEngine({ storage });
  await opened.createTable(tableInput(table));
  await seed(opened, table, shape);
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

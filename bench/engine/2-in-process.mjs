/**
 * The engine called directly, on a durable folder, against the floor of its storage library in the same run: the same
 * bytes written and read with LMDB alone. Then the engine through `sdkClient`. 64 in flight, 1 KB items.
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
import { median } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";
import { lmdbFloor } from "./sides/lmdb-floor.mjs";

const inFlight = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const targets = { put: 0.5, get: 0.2, "query of 100": 0.5, "batch of 25": 0.6 };
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const engine = await openEngine({ storage: { kind: "folder", path: join(folder, "engine") } });
const table = "bench";
await engine.createTable(tableInput(table));
await seed(engine, table);
const bytes = await lmdbFloor(join(folder, "bytes"), "binary");
const texts = await lmdbFloor(join(folder, "texts"), "string");
const memory = await openEngine({ storage: { kind: "memory" } });
await memory.createTable(tableInput(table));
await seed(memory, table);

const sides = {
  "lmdb, bytes": bytes.calls,
  "lmdb, texts": texts.calls,
  engine: workload(engine, table),
  "engine in memory": workload(memory, table),
  // Another range of items than the engine called directly.
  "through sdkClient": workload(commands(await sdkClient(engine)), await sdkTable()),
};
const rows = [["operation", ...Object.keys(sides), "÷ lmdb, bytes", "÷ lmdb, texts", "target"]];
for (const operation of operations) {
  const figures = {};
  for (const [name, calls] of Object.entries(sides)) {
    figures[name] = await median(calls[operation], { inFlight, seconds }, rounds);
  }
  rows.push([
    operation,
    ...Object.values(figures).map((each) => `${whole(each.perSecond)} (${each.cpuMicros.toFixed(1)})`),
    times(figures.engine.perSecond / figures["lmdb, bytes"].perSecond),
    times(figures.engine.perSecond / figures["lmdb, texts"].perSecond),
    targets[operation] ?? "-",
  ]);
}
console.log(
  `\nIn process, durable folder: operations a second (µs of CPU each), ${inFlight} in flight, medians of ${rounds}`,
);
printTable(rows);
await engine.close();
await memory.close();
await bytes.close();
await texts.close();
rmSync(folder, { recursive: true, force: true });
process.exit();

async function sdkTable() {
  await engine.createTable(tableInput("bench-sdk"));
  await seed(engine, "bench-sdk");
  return "bench-sdk";
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

/**
 * The engine called directly, on a durable folder, against the floor of its storage library in the same run: the same
 * bytes written and read with LMDB alone. Then the engine through `sdkClient`. 64 in flight, 1 KB items.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sdkClient, sdkPort } from "@tablekeep/client";
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
const floor = await lmdbFloor(join(folder, "floor"));
const memory = await openEngine({ storage: { kind: "memory" } });
await memory.createTable(tableInput(table));
await seed(memory, table);

const sides = {
  "lmdb alone": floor.calls,
  engine: workload(engine, table),
  "engine in memory": workload(memory, table),
  // Another range of items than the engine called directly.
  "through sdkClient": workload(sdkPort(await sdkClient(engine)), await sdkTable()),
};
const rows = [["operation", ...Object.keys(sides), "engine ÷ lmdb", "target"]];
for (const operation of operations) {
  const figures = {};
  for (const [name, calls] of Object.entries(sides)) {
    figures[name] = await median(calls[operation], { inFlight, seconds }, rounds);
  }
  rows.push([
    operation,
    ...Object.values(figures).map((each) => `${whole(each.perSecond)} (${each.cpuMicros.toFixed(1)})`),
    times(figures.engine.perSecond / figures["lmdb alone"].perSecond),
    targets[operation] ?? "-",
  ]);
}
console.log(
  `\nIn process, durable folder: operations a second (µs of CPU each), ${inFlight} in flight, medians of ${rounds}`,
);
printTable(rows);
await engine.close();
await memory.close();
await floor.close();
rmSync(folder, { recursive: true, force: true });
process.exit();

async function sdkTable() {
  await engine.createTable(tableInput("bench-sdk"));
  await seed(engine, "bench-sdk");
  return "bench-sdk";
}

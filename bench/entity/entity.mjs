/**
 * Entities on the embedded engine, in process, on a durable folder: commands a second on one hot entity and on 1,000
 * entities, beside the floor, which is the same events appended by writers of the journal, one call an event.
 * Events have 1 KB. Replies must come in order; each is checked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { defineEntity, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { median } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const port = await openEngine({ storage: { kind: "folder", path: folder } });
const tables = { events: "bench-events", snapshots: "bench-snapshots", commands: "bench-commands" };
await ensureTable(port, journalTableSpec({ table: tables.events }));
await ensureTable(port, snapshotTableSpec(tables.snapshots));
await ensureTable(port, ledgerTableSpec(tables.commands));
const journal = await openJournal(port, { table: tables.events });
const snapshots = await openSnapshots(port, { table: tables.snapshots });

const [{ payload: data }] = shapes;
const counter = defineEntity({
  type: "counter",
  initial: () => 0,
  decide: (command, count) => ({ events: { type: "counted", data: command.data }, reply: count + 1 }),
  evolve: (count, _event) => count + 1,
});
const open = (options) =>
  openEntities({
    journal,
    snapshots,
    entities: [counter],
    ledger: { port, table: tables.commands },
    keepSnapshots: 2,
    deadlineMs: 60_000,
    ...options,
  });

const rows = [["work", "in flight", "calls/s", "÷ floor", "µs CPU"]];
let names = 0;
const hotFloor = await measureFloor(1);
rows.push(["raw append, 1 id", 1, whole(hotFloor.perSecond), "", whole(hotFloor.cpuMicros)]);
for (const [work, inFlight, options] of [
  ["1 hot entity", 1, {}],
  ["1 hot entity, no groups", 64, { maxGroup: 1 }],
  ["1 hot entity, groups", 64, {}],
  ["1 hot entity, command ids", 64, { commandIds: true }],
]) {
  rows.push(await measureAsks(work, 1, inFlight, options, hotFloor));
}
const wideFloor = await measureFloor(1000);
rows.push(["raw append, 1,000 ids", 256, whole(wideFloor.perSecond), "", whole(wideFloor.cpuMicros)]);
rows.push(await measureAsks("1,000 entities", 1000, 256, { maxConcurrent: 256 }, wideFloor));
console.log(`\nEntities in process, durable folder, 1 KB events: medians of ${rounds}`);
printTable(rows);
await port.close();
rmSync(folder, { recursive: true, force: true });
process.exit();

/** Writers without any entity. Each id has at most one append in flight, as an entity does. */
async function measureFloor(ids) {
  const name = names++;
  const writers = await Promise.all(
    Array.from({ length: ids }, (_unused, at) => journal.recover(`floor-${name}-${at}`)),
  );
  const free = [...writers];
  return median(
    async () => {
      const writer = free.shift();
      const outcome = await writer.append({ payload: { type: "counted", data } });
      if (outcome.kind !== "ok") throw outcome.error;
      free.push(writer);
    },
    { inFlight: Math.min(ids, 256), seconds },
    rounds,
  );
}

async function measureAsks(work, ids, inFlight, { commandIds = false, ...options }, floor) {
  const host = await open(options);
  const name = names++;
  const counts = new Array(ids).fill(0);
  const asked = new Array(ids).fill(0);
  let turn = 0;
  const ask = async (at, call) => {
    asked[at]++;
    const reply = await host.of(counter).ask(`${name}-${at}`, { type: "count", data }, call);
    if (reply !== ++counts[at]) throw new Error(`${work}: reply ${reply} came as number ${counts[at]}`);
  };
  // The floor, too, has its writers before it is measured.
  await Promise.all(counts.map((_count, at) => ask(at, {})));
  const figures = await median(
    async () => {
      const at = turn++ % ids;
      await ask(at, commandIds ? { commandId: String(turn) } : {});
    },
    { inFlight, seconds },
    rounds,
  );
  await host.close();
  if (counts.some((count, at) => count !== asked[at])) throw new Error(`${work}: replies are missing`);
  return [
    work,
    inFlight,
    whole(figures.perSecond),
    times(figures.perSecond / floor.perSecond),
    whole(figures.cpuMicros),
  ];
}

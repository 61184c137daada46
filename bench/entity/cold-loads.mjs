/**
 * Cold loads of entities a second, the packed layout beside the bucketed one, in turn: 60 events of 1 KB, with a snapshot of
 * 1 KB after the first 50, and the same without snapshots. In process on a durable folder, and over HTTP. `npm run bench -- against`
 * compares loads with those of an earlier version.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable, httpPort } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { defineEntity, openEntities } from "@tablekeep/entity";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { startProgram } from "../engine/sides/start-server.mjs";
import { compareSides } from "../journal/sides/compare-sides.mjs";
import { shapes } from "../lib/shapes.mjs";
import { finish } from "../lib/targets.mjs";

const events = 60;
const covered = 50;
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const [{ payload: data }] = shapes;
const counter = defineEntity({
  type: "counter",
  initial: () => ({ count: 0, data: {} }),
  decide: (command, { count }) => ({ events: { type: "counted", data: command.data }, reply: count + 1 }),
  evolve: ({ count }, event) => ({ count: count + 1, data: event.data }),
});
const targetOf = (work) => (work.includes("with a snapshot") ? 3 : undefined);

const engines = [];
await compareLayouts("Cold loads in process, durable folder", async (layout) => {
  const port = await openEngine({ storage: { kind: "folder", path: join(folder, `in-process-${layout}`) } });
  engines.push(port);
  return { port };
});
for (const engine of engines) await engine.close();

const servers = [];
await compareLayouts("Cold loads over HTTP, durable folder", async (layout) => {
  const { endpoint, pid, stop } = await startProgram("engine-server.mjs", [join(folder, `http-${layout}`)]);
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const port = httpPort({ endpoint, region: "us-east-1", credentials, socketTimeoutMs: 60_000 });
  servers.push(async () => {
    await port.close();
    stop();
  });
  return { port, pid };
});
for (const end of servers) await end();
rmSync(folder, { recursive: true, force: true });
finish();

async function compareLayouts(title, connect) {
  const sides = {};
  for (const layout of ["bucketed", "packed"]) {
    const { port, pid } = await connect(layout);
    sides[layout] = { works: await loadsOn(port, layout), pid };
  }
  await compareSides(title, sides, targetOf);
}

/** The loads of one layout. The packed one has its snapshots beside the events. */
async function loadsOn(port, layout) {
  const options = { table: "bench-events", layout };
  const snapshotTable = "bench-snapshots";
  await ensureTable(port, journalTableSpec(options));
  if (layout !== "packed") await ensureTable(port, snapshotTableSpec(snapshotTable));
  const journal = await openJournal(port, options);
  const snapshots = await openSnapshots(
    port,
    layout === "packed" ? { journal: options } : { table: snapshotTable },
  );
  const open = (more) => openEntities({ journal, entities: [counter], deadlineMs: 60_000, ...more });
  const loads = async (id, given) => {
    const writing = await open(given);
    for (let at = 0; at < events; at++) await writing.of(counter).ask(id, { type: "count", data });
    await writing.close();
    const reading = (await open(given)).of(counter);
    return {
      inFlight: 1,
      run: async () => {
        const { state } = await reading.read(id);
        if (state.count !== events) throw new Error(`${id} has ${state.count} instead of ${events} events`);
      },
    };
  };
  return {
    "load with a snapshot": await loads("with-snapshot", { snapshots, snapshotEvery: covered }),
    "load without a snapshot": await loads("without-snapshot", {}),
  };
}

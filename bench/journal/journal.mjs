/**
 * The journal (bucketed layout): appends and replays a second, 1 KB events.
 * In process on a durable folder beside the floor, which is the same requests on the raw port with the same codec; then
 * over HTTP against the same endpoint beside castore's DynamoDB adapter on the stock AWS SDK.
 * On DynamoDB Local, for information, if there is a Java.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable, httpPort } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { javaVersion, startDynamoDbLocal } from "../../scripts/lib/dynamodb-local.mjs";
import { startProgram } from "../engine/sides/start-server.mjs";
import { median } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { castoreSide } from "./sides/castore-side.mjs";
import { floorSide } from "./sides/floor-side.mjs";
import { journalSide } from "./sides/journal-side.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const table = "journal-bench";

const engine = await openEngine({ storage: { kind: "folder", path: join(folder, "in-process") } });
await compare(
  "In process, durable folder",
  {
    floor: await onTable(engine, floorSide),
    journal: await onTable(engine, journalSide),
  },
  { append: 0.8, replay: 0.8 },
);
await engine.close();

const served = await startProgram("engine-server.mjs", [join(folder, "served")]);
const port = httpPort({ endpoint: served.endpoint, region: "us-east-1", credentials, maxConnections: 64 });
await compare(
  "Over HTTP, durable folder",
  {
    castore: workFor(await castoreSide(served.endpoint, port)),
    journal: await onTable(port, journalSide),
  },
  { append: 3, replay: 3 },
);
await port.close();
served.stop();

if (javaVersion() >= 17) {
  const local = await startDynamoDbLocal();
  const localPort = httpPort({
    endpoint: local.endpoint,
    region: "us-east-1",
    credentials,
    maxConnections: 64,
  });
  await compare(
    "DynamoDB Local in memory, for information",
    {
      castore: workFor(await castoreSide(local.endpoint, localPort)),
      journal: await onTable(localPort, journalSide),
    },
    {},
  );
  await localPort.close();
  local.stop();
}
rmSync(folder, { recursive: true, force: true });
process.exit();

async function onTable(onPort, makeSide) {
  const name = `${table}-${makeSide.name.toLowerCase()}`;
  await ensureTable(onPort, { ...journalTableSpec({ table: name }) });
  return workFor(await makeSide(onPort, await openJournal(onPort, { table: name }), name));
}

/** The measured works of a side: each call is one append or one replay. */
function workFor(side) {
  const data = "x".repeat(950);
  const versions = new Map();
  let turn = 0;
  const next = (id, count) => {
    const first = (versions.get(id) ?? 0) + 1;
    versions.set(id, first + count - 1);
    return first;
  };
  const payloads = (count) => Array.from({ length: count }, () => ({ data }));
  return {
    side,
    "append, 1 id": { inFlight: 1, run: () => side.append("one", next("one", 1), { data }) },
    "append, 64 ids": {
      inFlight: 64,
      run: (worker) => side.append(`many-${worker}`, next(`many-${worker}`, 1), { data }),
    },
    "atomic 10": { inFlight: 1, run: () => side.appendGroup("ten", next("ten", 10), payloads(10)) },
    "atomic 99": { inFlight: 1, run: () => side.appendGroup("large", next("large", 99), payloads(99)) },
    "replay of 100": { inFlight: 1, prepare: 100, run: () => side.read("r-100", turn++) },
    "replay of 10,000": { inFlight: 1, prepare: 10_000, run: () => side.read("r-10000", turn++) },
  };
}

async function compare(title, sides, targets) {
  const [base, ours] = Object.keys(sides);
  const rows = [
    ["work", `${base}/s`, `${ours}/s`, `${ours} ÷ ${base}`, "target", `${base} µs CPU`, `${ours} µs CPU`],
  ];
  for (const work of Object.keys(sides[ours]).filter((name) => name !== "side")) {
    const figures = {};
    for (const [name, works] of Object.entries(sides)) {
      const { inFlight, prepare, run } = works[work];
      if (prepare) await fill(works.side, prepare);
      let worker = 0;
      // Each of the calls in flight belongs to an id of its own.
      const lanes = Array.from({ length: inFlight }, (_unused, at) => at);
      figures[name] = await median(
        async () => {
          const lane = lanes.length > 0 ? lanes.shift() : worker++;
          await run(lane);
          lanes.push(lane);
        },
        { inFlight, seconds },
        rounds,
      );
    }
    const target = work.startsWith("replay") ? targets.replay : targets.append;
    rows.push([
      work,
      whole(figures[base].perSecond),
      whole(figures[ours].perSecond),
      times(figures[ours].perSecond / figures[base].perSecond),
      target === undefined ? "-" : `${target}x`,
      whole(figures[base].cpuMicros),
      whole(figures[ours].cpuMicros),
    ]);
  }
  console.log(`\n${title}: calls a second, medians of ${rounds}`);
  printTable(rows);
}

async function fill(side, count) {
  const id = `r-${count}`;
  for (let at = 1; at <= count; at += 50) {
    const size = Math.min(50, count - at + 1);
    const payloads = Array.from({ length: size }, () => ({ data: "x".repeat(950) }));
    await side.appendGroup(id, at, payloads);
  }
}

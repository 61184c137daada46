/**
 * Shadows: updates a second, 0.5 KB documents, 1 and 16 in flight, beside the floor, which is the same requests on the raw
 * port. `write` is a store write from a known version, `update` the manager's update: a read, a merge and a write. The manager wrote these
 * shadows last, and so does without the read; the floor does not.
 * In process on a durable folder; over HTTP against the same endpoint; on DynamoDB Local, for information, if there is a Java.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable, httpPort } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { javaVersion, startDynamoDbLocal } from "../../scripts/lib/dynamodb-local.mjs";
import { startProgram } from "../engine/sides/start-server.mjs";
import { median } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { floorSide } from "./sides/floor-side.mjs";
import { shadowSide } from "./sides/shadow-side.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const httpOptions = { region: "us-east-1", credentials, maxConnections: 64 };

const engine = await openEngine({ storage: { kind: "folder", path: join(folder, "in-process") } });
await compare("In process, durable folder", engine);
await engine.close();

const served = await startProgram("engine-server.mjs", [join(folder, "served")]);
const port = httpPort({ endpoint: served.endpoint, ...httpOptions });
await compare("Over HTTP, durable folder", port);
await port.close();
served.stop();

if (javaVersion() >= 17) {
  const local = await startDynamoDbLocal();
  const localPort = httpPort({ endpoint: local.endpoint, ...httpOptions });
  await compare("DynamoDB Local in memory, for information", localPort);
  await localPort.close();
  local.stop();
}
rmSync(folder, { recursive: true, force: true });
process.exit();

async function compare(title, onPort) {
  const sides = {};
  for (const [name, makeSide] of Object.entries({ floor: floorSide, shadow: shadowSide })) {
    const table = `shadow-bench-${name}`;
    await ensureTable(onPort, shadowTableSpec(table));
    sides[name] = makeSide(onPort, table);
  }
  const rows = [["work", "floor/s", "shadow/s", "shadow ÷ floor", "floor µs CPU", "shadow µs CPU"]];
  for (const work of ["write", "update"]) {
    for (const inFlight of [1, 16]) {
      const figures = {};
      for (const [name, side] of Object.entries(sides)) figures[name] = await measured(side[work], inFlight);
      const { floor, shadow } = figures;
      rows.push([
        `${work}, ${inFlight} in flight`,
        whole(floor.perSecond),
        whole(shadow.perSecond),
        times(shadow.perSecond / floor.perSecond),
        whole(floor.cpuMicros),
        whole(shadow.cpuMicros),
      ]);
    }
  }
  console.log(`\n${title}: calls a second, medians of ${rounds}`);
  printTable(rows);
}

/** Each call in flight uses its own thing. */
function measured(work, inFlight) {
  const lanes = Array.from({ length: inFlight }, (_unused, at) => at);
  const run = async () => {
    const lane = lanes.shift();
    await work(`${work.name}-${inFlight}-${lane}`);
    lanes.push(lane);
  };
  return median(run, { inFlight, seconds }, rounds);
}

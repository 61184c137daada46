/**
 * The journal (bucketed layout): appends and replays a second, 1 KB events of three shapes.
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
import { measureSideBySide } from "../lib/measure-side-by-side.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { atLeast, finish } from "../lib/targets.mjs";
import { castoreSide } from "./sides/castore-side.mjs";
import { floorSide } from "./sides/floor-side.mjs";
import { journalSide } from "./sides/journal-side.mjs";
import { expectSameRequests } from "./sides/same-requests.mjs";
import { worksOn } from "./sides/works.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

await expectSameRequests(floorSide, journalSide, shapes[0]);
for (const shape of shapes) {
  await inProcess(shape);
  const served = await startProgram("engine-server.mjs", [join(folder, `served-${shape.name}`)]);
  await overHttp("Over HTTP, durable folder", served, { append: 3, replay: 3 }, shape);
  if (javaVersion() >= 17)
    await overHttp("DynamoDB Local in memory, for information", await startDynamoDbLocal(), {}, shape);
}
rmSync(folder, { recursive: true, force: true });
finish();

async function inProcess(shape) {
  const path = join(folder, `in-process-${shape.name}`);
  const engine = await openEngine({ storage: { kind: "folder", path } });
  const sides = {
    floor: worksOn(await onTable(engine, floorSide), shape),
    journal: worksOn(await onTable(engine, journalSide), shape),
  };
  await compare(`In process, durable folder, ${shape.title}`, sides, { append: 0.8, replay: 0.8 });
  await engine.close();
}

async function overHttp(title, { endpoint, stop }, targets, shape) {
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const port = httpPort({ endpoint, region: "us-east-1", credentials, maxConnections: 64 });
  const sides = {
    castore: worksOn(await castoreSide(endpoint, port), shape),
    journal: worksOn(await onTable(port, journalSide), shape),
  };
  await compare(`${title}, ${shape.title}`, sides, targets);
  await port.close();
  stop();
}

async function onTable(port, makeSide) {
  const table = `bench-${makeSide.name.toLowerCase()}`;
  await ensureTable(port, { ...journalTableSpec({ table }) });
  return makeSide(port, await openJournal(port, { table }), table);
}

async function compare(title, sides, targets) {
  const [base, ours] = Object.keys(sides);
  const rows = [
    ["work", `${base}/s`, `${ours}/s`, `${ours} ÷ ${base}`, "target", `${base} µs CPU`, `${ours} µs CPU`],
  ];
  for (const [work, { inFlight }] of Object.entries(sides[ours])) {
    for (const works of Object.values(sides)) await works[work].prepare?.();
    const runs = Object.fromEntries(Object.entries(sides).map(([name, works]) => [name, works[work].run]));
    const figures = await measureSideBySide(runs, { inFlight, seconds, rounds });
    const target = work.startsWith("replay") ? targets.replay : targets.append;
    rows.push([
      work,
      whole(figures[base].perSecond),
      whole(figures[ours].perSecond),
      times(figures[ours].perSecond / figures[base].perSecond),
      atLeast(`${title}, ${work}`, figures[ours].perSecond / figures[base].perSecond, target),
      whole(figures[base].cpuMicros),
      whole(figures[ours].cpuMicros),
    ]);
  }
  console.log(`\n${title}: calls a second by turns, medians of ${rounds}; CPU of this process`);
  printTable(rows);
}

/**
 * How much memory a long replay takes: anonymous memory of a process that replays one id of a million events over HTTP,
 * beyond what it had after a short one. The endpoint runs in a separate process.
 * Arguments: the number of events (1000000), and the layouts (bucketed,linear).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { ensureTable, httpPort } from "@tablekeep/client";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { startProgram } from "../engine/sides/start-server.mjs";
import { printTable, whole } from "../lib/print-table.mjs";
import { below, finish } from "../lib/targets.mjs";

const limitMb = 64;
/** Events of one append: as many as fit into one transaction beside a mark. */
const atOnce = 99;

const events = Number(process.argv[2] ?? 1_000_000);
const layouts = (process.argv[3] ?? "bucketed,linear").split(",");
const rows = [];

for (const layout of layouts) {
  const { endpoint, stop } = await startProgram("engine-server.mjs", ["memory"]);
  const options = { table: "memory", layout, deadlineMs: 60_000 };
  await fill(endpoint, options);
  const { count, extraMb, seconds } = await replayed(endpoint, options);
  if (count !== events) throw new Error(`${count} events were replayed instead of ${events}`);
  rows.push([
    layout,
    whole(count),
    whole(count / seconds),
    extraMb.toFixed(1),
    below(layout, extraMb, limitMb, "MB"),
  ]);
  stop();
}
printTable([["layout", "events", "events/s", "extra MB", "target"], ...rows]);
finish();

async function fill(endpoint, options) {
  const port = httpPort({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
  });
  await ensureTable(port, journalTableSpec(options));
  const writer = await (await openJournal(port, options)).recover("long");
  for (let written = 0; written < events; written += atOnce) {
    const size = Math.min(atOnce, events - written);
    const write = Array.from({ length: size }, (_unused, at) => ({ payload: { number: written + at + 1 } }));
    const outcome = await writer.append(write);
    if (outcome.kind !== "ok") throw outcome.error;
  }
  await port.close();
}

async function replayed(endpoint, options) {
  const child = fork(new URL("side/replay-once.mjs", import.meta.url), [endpoint, JSON.stringify(options)]);
  const [result] = await once(child, "message");
  return result;
}

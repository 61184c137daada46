/**
 * A soak: `npm run soak -- --minutes 30`. One `tablekeep serve` on a durable folder gets mail, events and shadow updates at a
 * steady rate, with the console open. Reports memory, times and throughput every minute, and at the end whether memory is
 * flat, and whether all that was acknowledged is there. Exit code 1 if not.
 *
 * Times count from the moment when a call was due, not from when it was sent: a server that stalls is not
 * spared the calls that would have met it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../lib/print-table.mjs";
import { mqttSide, restSide } from "../shadow/sides/wire-sides.mjs";
import { eventWriter, mailWriter } from "./parts/acknowledged-writers.mjs";
import { growthOf } from "./parts/growth.mjs";
import { openConsole } from "./parts/open-console.mjs";
import { startServed } from "./parts/served.mjs";
import { quantile, steadyLoad } from "./parts/steady-load.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "1" },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && rate > 0)) throw new Error("--minutes and --rate are numbers above 0");

const folder = mkdtempSync(join(tmpdir(), "tablekeep-soak-"));
const served = await startServed(folder);
const { http, smtp, mqtt } = served.urls;
const mail = await mailWriter(smtp);
const events = eventWriter(http);
const rest = restSide(http);
const topics = mqttSide(mqtt);
// Each has a connection, which is made here, one after the other.
for (let at = 0; at < 20; at++) await topics.update(`mqtt-${at}`);
const viewer = await openConsole(http);
const loads = {
  mail: steadyLoad(10 * rate, () => mail.write()),
  events: steadyLoad(40 * rate, () => events.write()),
  "shadows, HTTP": steadyLoad(20 * rate, (at) => rest.update(`rest-${at % 50}`)),
  "shadows, MQTT": steadyLoad(20 * rate, (at) => topics.update(`mqtt-${at % 20}`)),
};
console.log(`${viewer.what}; ${minutes} minutes, 90 calls a second times ${rate}`);

const samples = [];
for (let minute = 1; minute <= minutes; minute++) {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  samples.push(await lookAt(minute));
}
const stopped = await Promise.all(Object.values(loads).map((load) => load.stop()));
const lost = [...(await mail.lost(http)), ...(await events.lost())];
await viewer.close();
mail.close();
rest.close();
await topics.close();
const code = await served.stop();
rmSync(folder, { recursive: true, force: true });
report();

async function lookAt(minute) {
  const memory = await served.memory();
  const rows = Object.entries(loads).map(([name, load]) => ({ name, ...load.take() }));
  const kinds = rows.map(
    ({ name, times, failed }) =>
      `${name} ${(times.length / 60).toFixed(1)}/s p50 ${ms(times, 0.5)} p99 ${ms(times, 0.99)}${failed > 0 ? ` FAILED ${failed}` : ""}`,
  );
  console.log(
    `${String(minute).padStart(3)} min  RssAnon ${mb(memory.rssAnon)}  heap ${mb(memory.heap)}  ${kinds.join("  |  ")}`,
  );
  return { minute, ...memory, rows };
}

function report() {
  const table = [["load", "calls", "a second", "p50 ms", "p99 ms", "max ms", "failed"]];
  for (const [at, name] of Object.keys(loads).entries()) {
    const times = samples.flatMap(({ rows }) => rows[at].times);
    const failed = samples.reduce((sum, { rows }) => sum + rows[at].failed, 0) + stopped[at].failed;
    const perSecond = (times.length / samples.length / 60).toFixed(1);
    table.push([name, times.length, perSecond, ms(times, 0.5), ms(times, 0.99), ms(times, 1), failed]);
  }
  console.log("");
  printTable(table);
  for (const [name, { reasons }] of Object.entries(loads))
    for (const reason of reasons) console.log(`${name} failed: ${reason}`);
  const growth = growthOf(samples.map(({ minute, rssAnon }) => ({ minute, bytes: rssAnon })));
  console.log(`\nmemory: ${growth.text}`);
  console.log(`acknowledged and not found: ${lost.length === 0 ? "nothing" : lost.slice(0, 10).join(", ")}`);
  console.log(`the server ended with code ${code}`);
  process.exitCode = growth.isFlat && lost.length === 0 && code === 0 ? 0 : 1;
}

function ms(times, part) {
  return times.length === 0 ? "-" : quantile(times, part).toFixed(1);
}

function mb(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

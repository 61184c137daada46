/**
 * Accepted messages a second and CPU a message: our server, which has each one on the disk before it says so, beside npm's
 * smtp-server that throws them away, and beside one that keeps their bytes in LMDB and does nothing else with them. The
 * clients run in this process, on the same machine.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printTable, whole } from "../lib/print-table.mjs";
import { atLeast, finish } from "../lib/targets.mjs";
import { sampleMessage } from "./lib/sample-message.mjs";
import { smtpSender } from "./lib/smtp-sender.mjs";

/** Warm-up calls: code is compiled after many calls, and earlier measurements mean nothing. Only the first run needs so many. */
const warmUp = { messages: 3000, seconds: 20 };
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), "tablekeep-bench-"));

/** Of what a server accepts that throws messages away. */
const targets = { "10 KB": 0.4, "1 MB": 0.5 };
const names = ["tablekeep", "discard", "keep"];
const sides = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await side(name)])));
const rows = [
  [
    "message",
    "connections",
    "ours/s",
    "thrown away/s",
    "ratio",
    "kept/s",
    "ratio",
    "CPU ms",
    "thrown",
    "kept",
  ],
];
for (const [name, bytes] of [
  ["10 KB", 10 * 1024],
  ["1 MB", 1024 * 1024],
]) {
  const messages = Array.from({ length: bytes > 100_000 ? 8 : 200 }, (_unused, at) =>
    sampleMessage(bytes, at),
  );
  for (const connections of [1, 16]) {
    const results = Object.fromEntries(names.map((name) => [name, []]));
    // By turns, so that both run under the same conditions.
    for (let round = 0; round < rounds; round++) {
      for (const each of names) results[each].push(await run(sides[each], messages, connections));
    }
    const [ours, thrown, kept] = names.map((each) => middle(results[each]));
    const ratio = ours.perSecond / thrown.perSecond;
    rows.push([
      name,
      connections,
      whole(ours.perSecond),
      whole(thrown.perSecond),
      `${ratio.toFixed(2)} (target ${atLeast(`${name}, ${connections} connections`, ratio, targets[name])})`,
      whole(kept.perSecond),
      (ours.perSecond / kept.perSecond).toFixed(2),
      ...[ours, thrown, kept].map(({ cpuMs }) => cpuMs.toFixed(2)),
    ]);
  }
}
printTable(rows);
for (const { child } of Object.values(sides)) child.disconnect();
await Promise.all(Object.values(sides).map(({ child }) => once(child, "exit")));
rmSync(folder, { recursive: true });
finish();

async function side(name) {
  const child = fork(new URL(`./server/${name}.mjs`, import.meta.url), [join(folder, name)], {
    stdio: "inherit",
  });
  const [{ port }] = await once(child, "message");
  const cpuMicros = async () => {
    child.send("cpu");
    return (await once(child, "message"))[0].cpuMicros;
  };
  return { child, port, cpuMicros, sent: 0 };
}

async function run(side, messages, connections) {
  const { port, cpuMicros } = side;
  const senders = await Promise.all(Array.from({ length: connections }, () => smtpSender(port)));
  let next = 0;
  const sendFor = async (duration) => {
    const end = performance.now() + duration * 1000;
    let done = 0;
    const work = async (sender) => {
      while (performance.now() < end) {
        const number = next++;
        await sender.send(`user${number % 500}@bench.example`, messages[number % messages.length]);
        done++;
      }
    };
    await Promise.all(senders.map(work));
    return done;
  };
  const warmAt = performance.now();
  do side.sent += await sendFor(seconds / 4);
  while (side.sent < warmUp.messages && performance.now() - warmAt < warmUp.seconds * 1000);
  const [cpuBefore, startedAt] = [await cpuMicros(), performance.now()];
  const done = await sendFor(seconds);
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpu = (await cpuMicros()) - cpuBefore;
  for (const sender of senders) sender.close();
  return { perSecond: done / elapsed, cpuMs: cpu / done / 1000 };
}

function middle(results) {
  const at = (key) =>
    results.map((each) => each[key]).toSorted((a, b) => a - b)[Math.floor(results.length / 2)];
  return { perSecond: at("perSecond"), cpuMs: at("cpuMs") };
}

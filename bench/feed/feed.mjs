/**
 * Feeds and projections on the embedded engine, in process, on a durable folder. The same appends in turn: to a journal without a feed, to one
 * whose table has a stream that is not read, and to one with a feed whose sequencer runs in this process. A turn of the last ends when the
 * feed has all of its events. What is compared is CPU time, which depends less on what else the machine does; the rate of appends is printed
 * beside it. Then all events are read from the feed, and a projection applies them exactly once, in groups of 100: each adds to one item of
 * its own id.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { ensureStream, openFeed } from "@tablekeep/feed";
import { defineProjection, projectionTableSpec, runProjections } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { atLeast, below, finish } from "../lib/targets.mjs";

const appends = Number(process.env.BENCH_APPENDS ?? 4000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const events = Number(process.env.BENCH_EVENTS ?? 40_000);
const ids = 500;
const payload = { type: "paid", cents: 1999, note: "x".repeat(200) };
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const rows = [["work", "per second", "CPU, or times the target", "target"]];
for (const inFlight of [1, 64]) rows.push(...(await compareAppends(inFlight)));
rows.push(...(await measureReads()));
console.log(`\nFeeds in process, durable folder, events of 0.2 KB: medians of ${rounds}`);
printTable(rows);
rmSync(folder, { recursive: true, force: true });
finish();

async function opened(name) {
  const port = await openEngine({ storage: { kind: "folder", path: join(folder, name) } });
  await ensureTable(port, journalTableSpec({ table: "events" }));
  const journal = await openJournal(port);
  const writers = await Promise.all(Array.from({ length: ids }, (_unused, at) => journal.recover(`a|${at}`)));
  return { port, writers };
}

/** Appends so many events, each id at most one at a time. */
async function append(free, inFlight) {
  let left = appends;
  const lane = async () => {
    while (left-- > 0) {
      const writer = free.shift();
      const outcome = await writer.append({ payload });
      if (outcome.kind !== "ok") throw outcome.error;
      free.push(writer);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

async function compareAppends(inFlight) {
  const sides = {};
  for (const name of ["plain", "streamed", "fed"])
    sides[name] = { ...(await opened(`${name}-${inFlight}`)), cpu: [], rates: [] };
  await ensureStream(sides.streamed.port, "events", "NEW_IMAGE");
  const feed = await openFeed(sides.fed.port);
  await feed.catchUp();
  const stop = new AbortController();
  const progress = newProgress();
  const running = feed.run({ signal: stop.signal, onProgress: ({ events: fed }) => progress.set(fed) });
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { writers, cpu, rates }] of Object.entries(sides)) {
      const before = process.cpuUsage();
      const ms = await timed(() => append(writers, inFlight));
      if (name === "fed") await progress.reached(appends * (round + 1));
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round === 0) continue;
      cpu.push((user + system) / appends);
      rates.push((appends * 1000) / ms);
    }
  }
  stop.abort();
  await running;
  const { findings } = await feed.verify();
  if (findings.length > 0) throw new Error(`the feed has ${findings.length} findings`);
  const plain = median(sides.plain.cpu);
  const lines = [];
  for (const [name, { port, cpu, rates }] of Object.entries(sides)) {
    await port.close();
    const suffix = { plain: "", streamed: " with a stream", fed: " with a feed" }[name];
    const what = `append${suffix}, ${inFlight} in flight`;
    const added = 100 * (median(cpu) / plain - 1);
    const beside = `${median(cpu).toFixed(0)} µs${name === "plain" ? "" : `, ${added.toFixed(1)} % added`}`;
    lines.push([what, whole(median(rates)), beside, name === "fed" ? below(what, added, 5, "%") : ""]);
  }
  return lines;
}

/** Counts the events of a feed. Reported by the sequencer: reading the feed's status would cost CPU time too. */
function newProgress() {
  let events = 0;
  let wake = () => {};
  return {
    set(count) {
      events = count;
      wake();
    },
    async reached(count) {
      while (events < count)
        await new Promise((resolve) => {
          wake = resolve;
        });
    },
  };
}

async function measureReads() {
  const { port, writers } = await opened("reads");
  for (let at = 0; at < events; at += ids) {
    const outcomes = await Promise.all(writers.map((writer) => writer.append({ payload })));
    for (const outcome of outcomes) if (outcome.kind !== "ok") throw outcome.error;
  }
  const feed = await openFeed(port);
  const sequenced = await timed(() => feed.catchUp());
  const reads = [];
  const readCpu = [];
  for (let round = 0; round <= rounds; round++) {
    let count = 0;
    const before = process.cpuUsage();
    const ms = await timed(async () => {
      for await (const { sequenceNr } of feed.read()) if (sequenceNr > 0) count++;
    });
    if (count !== events) throw new Error(`${count} events were read, not ${events}`);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) reads.push((events * 1000) / ms);
    if (round > 0) readCpu.push((user + system) / events);
  }
  await ensureTable(port, projectionTableSpec());
  await ensureTable(port, { name: "balances", partitionKey: { name: "account", type: "S" } });
  const applied = [];
  for (let version = 1; version <= Math.min(rounds, 3); version++)
    applied.push((events * 1000) / (await timed(() => project(port, version))));
  await port.close();
  const [read, projected] = [median(reads), median(applied)];
  return [
    ["sequence a journal", whole((events * 1000) / sequenced), "", "-"],
    [
      "read a feed",
      whole(read),
      `${times(read / 20_000)}, ${median(readCpu).toFixed(0)} µs`,
      atLeast("read a feed", read, 20_000, "/s"),
    ],
    [
      "project exactly once",
      whole(projected),
      times(projected / 5000),
      atLeast("project exactly once", projected, 5000, "/s"),
    ],
  ];
}

/** Applies all events, in a separate version of the projection. */
async function project(port, version) {
  const balances = defineProjection({
    name: "balances",
    version,
    groupSize: 100,
    handle: ({ persistenceId, payload: { cents } }, tx) =>
      tx.update(
        "balances",
        { account: { S: `${persistenceId}@${tx.version}` } },
        { add: { cents: { N: String(cents) } } },
      ),
  });
  const running = await runProjections(port, [balances], { sequencer: false });
  const each = events / ids;
  const targets = Array.from({ length: ids }, (_unused, at) => ({
    persistenceId: `a|${at}`,
    sequenceNr: each,
  }));
  for (const target of targets) await running.reached(balances, target, { deadlineMs: 600_000 });
  await running.stop();
  const { Items = [] } = await port.scan({ TableName: "balances", ConsistentRead: true });
  const wrong = Items.filter(({ cents }) => Number(cents.N) !== each * payload.cents);
  if (wrong.length > 0 || Items.length !== ids * version) throw new Error("the read model is wrong");
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values) {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)];
}

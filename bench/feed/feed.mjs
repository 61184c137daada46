/**
 * Feeds and projections on the embedded engine, in process, on a durable folder. Appends with and without a feed, by turns: the same
 * appends in two journals, of which one has a feed whose sequencer runs in this process. Then all events are read from the feed, and a
 * projection applies them exactly once, in groups of 100: each adds to one item of its own id.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openFeed } from "@tablekeep/feed";
import { defineProjection, projectionTableSpec, runProjections } from "@tablekeep/feed/projections";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { atLeast, below, finish } from "../lib/targets.mjs";

const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const events = Number(process.env.BENCH_EVENTS ?? 40_000);
const turnMs = 250;
const ids = 500;
const payload = { type: "paid", cents: 1999, note: "x".repeat(200) };
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));

const rows = [["work", "per second", "beside", "target"]];
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

/** Appends for a while, each id at most one at a time. Returns appends a second. */
async function appendFor(free, inFlight, ms) {
  const end = performance.now() + ms;
  const startedAt = performance.now();
  let done = 0;
  const lane = async () => {
    while (performance.now() < end) {
      const writer = free.shift();
      const outcome = await writer.append({ payload });
      if (outcome.kind !== "ok") throw outcome.error;
      free.push(writer);
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { done, ms: performance.now() - startedAt };
}

/** The feed runs during its turns only: what it has left is done between two turns. */
async function compareAppends(inFlight) {
  const plain = await opened(`plain-${inFlight}`);
  const fed = await opened(`fed-${inFlight}`);
  const feed = await openFeed(fed.port);
  await feed.catchUp();
  const ratios = [];
  const rates = { plain: [], fed: [] };
  for (let round = 0; round <= rounds; round++) {
    const totals = { plain: { done: 0, ms: 0 }, fed: { done: 0, ms: 0 } };
    for (let spent = 0; spent < seconds * 1000; spent += turnMs) {
      add(totals.plain, await appendFor(plain.writers, inFlight, turnMs));
      const stop = new AbortController();
      const running = feed.run(stop);
      add(totals.fed, await appendFor(fed.writers, inFlight, turnMs));
      stop.abort();
      await running;
      await feed.catchUp();
    }
    // The first round warms up.
    if (round === 0) continue;
    for (const name of ["plain", "fed"]) rates[name].push((totals[name].done * 1000) / totals[name].ms);
    ratios.push(rates.plain.at(-1) / rates.fed.at(-1));
  }
  const { findings } = await feed.verify();
  if (findings.length > 0) throw new Error(`the feed has ${findings.length} findings`);
  await plain.port.close();
  await fed.port.close();
  const added = 100 * (median(ratios) - 1);
  return [
    [`append, ${inFlight} in flight`, whole(median(rates.plain)), "", ""],
    [
      `append with a feed, ${inFlight} in flight`,
      whole(median(rates.fed)),
      `${added.toFixed(1)} % added`,
      below(`append with a feed, ${inFlight} in flight`, added, 5, "%"),
    ],
  ];
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
  for (let round = 0; round <= rounds; round++) {
    let count = 0;
    const ms = await timed(async () => {
      for await (const { sequenceNr } of feed.read()) if (sequenceNr > 0) count++;
    });
    if (count !== events) throw new Error(`${count} events were read, not ${events}`);
    if (round > 0) reads.push((events * 1000) / ms);
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
    ["read a feed", whole(read), times(read / 20_000), atLeast("read a feed", read, 20_000, "/s")],
    [
      "project exactly once",
      whole(projected),
      times(projected / 5000),
      atLeast("project exactly once", projected, 5000, "/s"),
    ],
  ];
}

/** Applies all events, in a version of the projection of its own. */
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

function add(total, { done, ms }) {
  total.done += done;
  total.ms += ms;
}

function median(values) {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)];
}

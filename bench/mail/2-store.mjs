/**
 * A mailbox of 100,000 messages of 10 KB in a folder: how fast it is listed, counted and searched, and how much memory
 * that takes. It is filled without waiting for the disk; how fast it accepts mail is measured elsewhere. The variable
 * BENCH_MESSAGES sets another number of messages.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable } from "@tablekeep/client";
import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { printTable } from "../lib/print-table.mjs";
import { mailWords } from "./sides/mail-words.mjs";

const count = Number(process.env.BENCH_MESSAGES ?? 100_000);
const lanes = 16;
const hours = 7 * 24 - 2;

const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-mail-"));
const startedAt = Date.now();
let at = 0;
// The messages come over a week.
const clock = { ...systemClock, now: () => startedAt + Math.floor((at / count) * hours * 3_600_000) };
const engine = await openEngine({ storage: { kind: "folder", path: folder, durable: false }, clock });
try {
  await ensureTable(engine, mailTableSpec());
  const rows = [
    ["what", "first time, ms", "median, ms", "its CPU, ms", "anonymous MB", "with the mapped file, MB"],
  ];
  await fill(rows);
  await look(rows);
  printTable(rows);
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

async function fill(rows) {
  const mail = await openMail(engine, { clock });
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const lane = async () => {
    while (at < count) {
      const n = at++;
      const envelope = { from: "shop@example.org", to: [`user${n}@example.com`], helo: "bench" };
      await mail.store(envelope, mailWords(n, n === Math.floor(count / 3) ? "zyzzyva" : ""));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const each = [((seconds * 1000) / count).toFixed(2), ((user + system) / count / 1000).toFixed(2)];
  rows.push([`store one of ${count}, ${lanes} at once`, "", ...each, ...memory()]);
  await mail.close();
}

async function look(rows) {
  const mail = await openMail(engine, { clock });
  const measure = async (name, work) => {
    const times = [];
    const cpus = [];
    for (let round = 0; round < 10; round++) {
      const cpuBefore = process.cpuUsage();
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
      const { user, system } = process.cpuUsage(cpuBefore);
      cpus.push((user + system) / 1000);
    }
    rows.push([name, times[0].toFixed(1), median(times.slice(1)), median(cpus.slice(1)), ...memory()]);
  };
  const page = await mail.list();
  await measure("list 50", () => mail.list());
  await measure("list 50 and load them", async () => {
    const { items } = await mail.list();
    for await (const message of mail.loadEach(items)) message.mailhog();
  });
  await measure("count", () => mail.count());
  await measure("list 50 from the middle", () => mail.list({ start: Math.floor(count / 2) }));
  await measure("load one", () => mail.load(page.items[7].id));
  await measure("search a whole address", () =>
    mail.search({ kind: "recipient", query: "user4711@example.com" }, { total: true }),
  );
  await measure("search a rare word, with total", () =>
    mail.search({ kind: "containing", query: "zyzzyva" }, { total: true }),
  );
  await measure("search a word that is nowhere, with total", () =>
    mail.search({ kind: "containing", query: "quixotry" }, { total: true }),
  );
  await measure("search a part of an address, with total", () =>
    mail.search({ kind: "to", query: "user4711@" }, { total: true }),
  );
  await measure("search a common word, a page of 50", () => mail.search({ kind: "text", query: "order" }));
  await mail.close();
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(1);
}

function memory() {
  const status = readFileSync("/proc/self/status", "utf8");
  const anonymous = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  return [anonymous.toFixed(0), (process.memoryUsage.rss() / 2 ** 20).toFixed(0)];
}

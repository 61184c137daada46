/**
 * A mailbox of 100,000 messages of 10 KB, sent over SMTP to a server with a durable folder and read over HTTP: lists, searches,
 * deleting all, memory as `ps` shows it, and the space on the disk. Reads begin once the messages have settled, after seven minutes:
 * BENCH_SETTLE=0 leaves that out. BENCH_MESSAGES sets another number of messages, and BENCH_FOLDER a folder that is filled once and
 * used again; nothing is deleted in it.
 */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { compactFolder } from "@tablekeep/engine";
import { printTable, whole } from "../lib/print-table.mjs";
import { below, finish } from "../lib/targets.mjs";
import { startServed } from "./lib/served-side.mjs";
import { smtpSender } from "./lib/smtp-sender.mjs";
import { mailWords } from "./sides/mail-words.mjs";

const count = Number(process.env.BENCH_MESSAGES ?? 100_000);
const connections = 16;
const given = process.env.BENCH_FOLDER;
const folder = given ?? mkdtempSync(join(tmpdir(), "tablekeep-bench-mailbox-"));
const filled = join(folder, "filled.txt");
const settled = join(folder, "settled.txt");
/** Messages of other instances are read again by each call for five minutes. */
const settlingMs = 330_000;
/** Blocks of signatures are made in the background after the first search. */
const buildingMs = 60_000;
/** Pages of the data file are unmapped at most every ten seconds. */
const unmappingMs = 11_000;
/** The end of a message in SMTP. */
const dot = Buffer.from(".\r\n");
const words = { rare: "zyzzyva", common: "invoice", absent: "quixotry" };
const rows = [
  ["what", "first, ms", "median, ms", "first CPU, ms", "CPU, ms", "target", "RSS, MB", "anonymous", "file"],
];

if (!existsSync(filled)) {
  await fill();
  writeFileSync(filled, `${count}\n`);
}
if (process.env.BENCH_SETTLE !== "0" && !existsSync(settled)) {
  await settle();
  writeFileSync(settled, `${count}\n`);
}
await readCold();
await readWarm();
if (given === undefined) await deleteAll();
await compact();
printTable(rows);
if (given === undefined) rmSync(folder, { recursive: true });
finish();

async function fill() {
  const server = await startServed(folder);
  const senders = await Promise.all(Array.from({ length: connections }, () => smtpSender(server.port)));
  let next = 0;
  const sendUntil = async (sender, end) => {
    while (next < end) {
      const number = next++;
      const extra = number === Math.floor(count / 3) ? `${words.common} ${words.rare}` : words.common;
      await sender.send(`user${number}@example.com`, Buffer.concat([mailWords(number, extra), dot]));
    }
  };
  const sendAll = (end) => Promise.all(senders.map((sender) => sendUntil(sender, end)));
  // Code that ran a few hundred times is not compiled yet.
  const warmUp = Math.min(3000, Math.floor(count / 2));
  await sendAll(warmUp);
  const [before, began] = [await server.usage(), performance.now()];
  await sendAll(count);
  const [after, seconds] = [await server.usage(), (performance.now() - began) / 1000];
  for (const sender of senders) sender.close();
  const cpu = (after.cpuMicros - before.cpuMicros) / 1000 / (count - warmUp);
  rows.push([
    `accept one of ${whole(count)}, ${connections} connections`,
    "",
    ((seconds * 1000) / (count - warmUp)).toFixed(2),
    "",
    cpu.toFixed(3),
    below("CPU to accept a message", cpu, 0.45, "ms"),
    ...memory(after),
  ]);
  await pause(unmappingMs);
  pushMemory("RSS after accepting", await server.usage());
  await server.stop();
}

/** Waits as a server that has run for some minutes has. */
async function settle() {
  await pause(statSync(filled).mtimeMs + settlingMs - Date.now());
  const server = await startServed(folder);
  await get(server, searchPath(words.absent));
  await pause(buildingMs);
  await server.stop();
}

/** The first call of a server that has just been started. */
async function readCold() {
  for (const [kind, path, target] of [
    ["list 50", listPath(0), 20],
    ["list 50 from 90 %", listPath(Math.floor(count * 0.9)), 30],
    ["search page, rare word", searchPath(words.rare), 100],
    ["search page, common word", searchPath(words.common), 100],
    ["search page, absent word", searchPath(words.absent), 100],
  ]) {
    const server = await startServed(folder);
    // Connects, and compiles what every request needs.
    await get(server, "/api/v3/mail/position");
    await measure(server, `${kind}, after a start`, path, { target, rounds: 1 });
    await server.stop();
  }
}

async function readWarm() {
  const server = await startServed(folder);
  await measure(server, "list 50, MailHog", listPath(0), { target: 20 });
  await measure(server, "list 50 from 90 %, MailHog", listPath(Math.floor(count * 0.9)), { target: 30 });
  await measure(server, "console's first page", "/api/v3/mail/messages?limit=50", { target: 50 });
  for (const [kind, word] of Object.entries(words))
    await measure(server, `search page, ${kind} word`, searchPath(word), { target: 100 });
  for (const [kind, word] of Object.entries(words)) {
    const path = `/api/v2/search?kind=containing&query=${word}&limit=1`;
    await measure(server, `exact total, ${kind} word, MailHog`, path, { target: 1000, rounds: 3 });
  }
  await pause(unmappingMs);
  pushMemory("RSS after all this", await server.usage());
  await server.stop();
}

/** Memory as `ps` shows it. */
function pushMemory(name, usage) {
  rows.push([name, "", "", "", "", below(name, usage.rssBytes / 2 ** 20, 400, "MB"), ...memory(usage)]);
}

/** All memory, and its anonymous part and the pages of files, if the system tells them. */
function memory({ rssBytes, anonBytes, fileBytes }) {
  return [rssBytes, anonBytes, fileBytes].map((bytes) => (bytes === undefined ? "" : megabytes(bytes)));
}

async function deleteAll() {
  const server = await startServed(folder);
  await get(server, listPath(0));
  const before = await server.usage();
  const began = performance.now();
  const response = await fetch(new URL("/api/v1/messages", server.http), { method: "DELETE" });
  await response.arrayBuffer();
  const ms = performance.now() - began;
  const after = await server.usage();
  const target = below("delete all", ms, 50, "ms");
  const cpu = (after.cpuMicros - before.cpuMicros) / 1000;
  rows.push(["delete all", ms.toFixed(1), "", cpu.toFixed(1), "", target, ...memory(after)]);
  await server.stop();
}

async function compact() {
  const before = diskBytes();
  const began = performance.now();
  const { bytesAfter } = await compactFolder(folder);
  const ms = performance.now() - began;
  const what = `compact: ${megabytes(before)} MB become ${megabytes(bytesAfter)} MB`;
  rows.push([what, ms.toFixed(0), ...Array.from({ length: 7 }, () => "")]);
}

async function measure(server, name, path, { target, rounds = 7 }) {
  const [times, cpus] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const before = await server.usage();
    const began = performance.now();
    // A request that fails has no time that counts.
    const isAnswered = await get(server, path);
    times.push(isAnswered ? performance.now() - began : Number.POSITIVE_INFINITY);
    cpus.push(((await server.usage()).cpuMicros - before.cpuMicros) / 1000);
  }
  const later = rounds > 1 ? times.slice(1) : times;
  const cell = below(name, median(later), target, "ms");
  const cpu = median(rounds > 1 ? cpus.slice(1) : cpus);
  rows.push([
    name,
    times[0].toFixed(1),
    median(later).toFixed(1),
    cpus[0].toFixed(1),
    cpu.toFixed(1),
    cell,
    ...memory(await server.usage()),
  ]);
}

/** Sends a request. On a busy machine the first ones may exceed their deadline, which does not end the run, but is printed. */
async function get({ http }, path) {
  const response = await fetch(new URL(path, http));
  const text = await response.text();
  if (!response.ok) console.log(`${path}: ${response.status} ${text.slice(0, 200)}`);
  return response.ok;
}

function listPath(start) {
  return `/api/v2/messages?limit=50&start=${start}`;
}

function searchPath(word) {
  return `/api/v3/mail/messages?limit=50&kind=containing&query=${word}`;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function megabytes(bytes) {
  return whole(bytes / 2 ** 20);
}

function diskBytes() {
  return statSync(join(folder, "data.mdb")).blocks * 512;
}

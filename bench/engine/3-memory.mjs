/**
 * The memory that a large folder takes: BENCH_ITEMS items of 1 KB (a million), written in batches by several writers at
 * once, read by pages, scanned in whole, and scanned again after the folder was closed and opened. Prints anonymous
 * memory (what the process itself holds; pages of the data file that the system keeps for it are not), its highest
 * value, and the target. A garbage collection that the bench asks for would hide what a user sees: there is none.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { printTable, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { itemOf, tableInput } from "../lib/workload.mjs";

const items = Number(process.env.BENCH_ITEMS ?? 1_000_000);
const writers = 16;
const targetMb = 150;
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const storage = { kind: "folder", path: folder };
const TableName = "bench";
const rows = [["step", "items/s", "anonymous MB at the end", "at most", "file MB"]];
let highest = 0;

let engine = await openEngine({ storage });
await engine.createTable(tableInput(TableName));
await step("write", write);
await step("scan", scan);
await step("query each partition", query);
await engine.close();
engine = await openEngine({ storage });
await step("open, scan", scan);
await engine.close();
rmSync(folder, { recursive: true, force: true });

console.log(
  `\nMemory: ${whole(items)} items of 1 KB in a folder; target: under ${targetMb} MB of anonymous memory`,
);
printTable(rows);
const met = highest < targetMb;
console.log(`${met ? "met" : "MISSED"}: ${whole(highest)} MB at most`);
process.exitCode = met ? 0 : 1;

async function step(name, run) {
  let highestHere = 0;
  const look = () => {
    highestHere = Math.max(highestHere, anonymousMb());
  };
  const watch = setInterval(look, 50);
  const startedAt = performance.now();
  const count = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const atEnd = anonymousMb();
  highestHere = Math.max(highestHere, atEnd);
  clearInterval(watch);
  if (count !== items) throw new Error(`${name}: ${count} of ${items} items`);
  highest = Math.max(highest, highestHere);
  rows.push([name, whole(count / seconds), whole(atEnd), whole(highestHere), whole(fileMb())]);
}

async function write() {
  let next = 0;
  const writer = async () => {
    while (next < items) {
      const puts = [];
      while (puts.length < 25 && next < items) puts.push({ PutRequest: { Item: itemOf(next++, shapes[0]) } });
      await engine.batchWriteItem({ RequestItems: { [TableName]: puts } });
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return next;
}

async function scan() {
  return pages((from) => engine.scan({ TableName, ExclusiveStartKey: from }));
}

async function query() {
  let count = 0;
  for (let at = 0; at < 1000; at++) {
    const ExpressionAttributeValues = { ":pk": itemOf(at, shapes[0]).pk };
    count += await pages((from) =>
      engine.query({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues,
        ExclusiveStartKey: from,
      }),
    );
  }
  return count;
}

async function pages(read) {
  let count = 0;
  let from;
  do {
    const page = await read(from);
    count += page.Items.length;
    from = page.LastEvaluatedKey;
    // Calls that never wait would keep the watch from looking.
    await new Promise((resolve) => setImmediate(resolve));
  } while (from !== undefined);
  return count;
}

function anonymousMb() {
  const [, kb] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(kb) / 1024;
}

function fileMb() {
  return statSync(join(folder, "data.mdb")).size / 1024 / 1024;
}

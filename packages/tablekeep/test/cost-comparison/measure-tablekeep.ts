import { ensureTable, metered } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Fencing, journalTableSpec, loadTail, openJournal, openSnapshots } from "@tablekeep/journal";
import type { Operation } from "./operations.ts";
import type { Cost } from "./request-cost.ts";

/** An event whose payload has `bytes` bytes as JSON. */
const event = (bytes: number) => ({ payload: "x".repeat(bytes - 2) });
const times = (count: number, bytes: number) => Array.from({ length: count }, () => event(bytes));

/** Measures a journal of the packed layout with its snapshots. */
export async function measureTablekeep(fencing: Fencing): Promise<ReadonlyMap<Operation, Cost>> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const options = { table: "events", layout: "packed", fencing } as const;
  await ensureTable(engine, journalTableSpec(options));
  const { port, meter } = metered(engine, { capacity: true });
  const journal = await openJournal(port, options);
  const snapshots = await openSnapshots(port, { journal: options });
  const costs = new Map<Operation, Cost>();
  const measure = async <Result>(name: Operation, work: () => Promise<Result>): Promise<Result> => {
    meter.reset();
    const result = await work();
    const { requests, readUnits, writeUnits } = meter.reset().total;
    costs.set(name, { requests, readUnits, writeUnits });
    return result;
  };
  const append = async (id: string, writes: number, count: number, bytes: number) => {
    const writer = await journal.recover(id);
    for (let at = 0; at < writes; at++) unwrap(await writer.append(times(count, bytes)));
  };
  const check = (found: number, count: number) => {
    if (found !== count) throw new Error(`${found} events were read, not ${count}`);
  };
  const load = async (id: string, count: number) => {
    const { state } = await journal.load(id, { initial: () => 0, evolve: (found: number) => found + 1 });
    check(state, count);
  };
  /** As a host loads an entity that it saves a snapshot of every 10 events. */
  const loadAfterSnapshot = async (id: string, count: number) => {
    const loaded = await loadTail(journal, snapshots, id, { limit: 13 });
    let found = 0;
    for await (const _event of loaded?.events ?? []) found++;
    check(found, count);
  };

  const writer = await measure("open a fresh id", () => journal.recover("a"));
  await measure("append the first event", async () => unwrap(await writer.append(event(100))));
  await measure("append one event of 100 B", async () => unwrap(await writer.append(event(100))));
  await measure("append 10 × 100 B atomically", async () => unwrap(await writer.append(times(10, 100))));
  await measure("append 100 × 1 KB atomically", async () => unwrap(await writer.append(times(100, 1000))));
  await measure("append 250 × 1 KB atomically", async () => unwrap(await writer.append(times(250, 1000))));
  await append("fifty", 50, 1, 1000);
  await append("tens", 5, 10, 1000);
  await append("tail", 50, 1, 1000);
  await append("deleted", 180, 1, 100);
  await measure("load 50 × 1 KB, written one at a time", () => load("fifty", 50));
  await measure("load 50 × 1 KB, written in tens", () => load("tens", 50));
  await measure("save a snapshot of 1 KB", () => snapshots.save("tail", 50, "x".repeat(998)));
  await append("tail", 10, 1, 1000);
  await measure("load a snapshot of 1 KB and 10 × 1 KB after it", () => loadAfterSnapshot("tail", 10));
  await measure("delete 120 of 180 events", () => journal.deleteTo("deleted", 120));
  return costs;
}

import { ensureTable, type MeterCounts, type MeteredPort, metered } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import {
  type AtomicWrite,
  type Journal,
  type JournalOptions,
  type JournalWriter,
  journalTableSpec,
  openJournal,
} from "../../src/index.ts";
import { openSnapshots } from "../../src/snapshots/open-snapshots.ts";
import { snapshotTableSpec } from "../../src/snapshots/snapshots.ts";

/** One cost. */
export type Cost = Pick<MeterCounts, "requests" | "readUnits" | "writeUnits">;

/** All costs, in the order of the table. */
export type CostTable = ReadonlyMap<string, Cost>;

/** An event whose item is below 1 KB, and ones of 1 and of 10 KB. */
const small = { payload: "x".repeat(500) };
const hundredBytes = { payload: "x".repeat(98) };
const kibibyte = { payload: "x".repeat(1022) };
const oneKilobyte = { payload: "x".repeat(1000) };
const tenKilobytes = { payload: "x".repeat(10_000) };

const times = <Event>(event: Event, count: number): Event[] => Array.from({ length: count }, () => event);

/** A journal on an engine that counts. */
export async function openMetered(
  options: JournalOptions,
): Promise<MeteredPort & { readonly journal: Journal }> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec(options));
  const { port, meter } = metered(engine, { capacity: true });
  return { port, meter, journal: await openJournal(port, options) };
}

/** Measures what a journal with these options costs on the engine. */
export async function measureCost(options: JournalOptions): Promise<CostTable> {
  const { port, meter, journal } = await openMetered(options);
  await ensureTable(port, snapshotTableSpec("snapshots"));
  const costs = new Map<string, Cost>();
  const measure = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    meter.reset();
    const result = await work();
    const { requests, readUnits, writeUnits } = meter.reset().total;
    costs.set(name, { requests, readUnits, writeUnits });
    return result;
  };
  await measureAppends(journal, measure);
  await measureReads(journal, measure);
  await measureDeletes(journal, measure);
  const snapshots = await openSnapshots(port, { table: "snapshots" });
  await measure("save a snapshot of 1 KB", () => snapshots.save("s", 10, "x".repeat(900)));
  await measure("load the latest snapshot, of 1 KB", () => snapshots.load("s", {}));
  await port.close();
  return costs;
}

type Measure = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

async function append(writer: JournalWriter, ...writes: readonly AtomicWrite[]): Promise<void> {
  for (const outcome of await writer.appendEach(writes)) if (outcome.kind !== "ok") throw outcome.error;
}

async function measureAppends(journal: Journal, measure: Measure): Promise<void> {
  const writer = await measure("recover a fresh id", () => journal.recover("appends"));
  await measure("append the first event of an id", () => append(writer, small));
  await measure("append one event", () => append(writer, small));
  await append(writer, times(small, 97));
  await measure("append one event, a multiple of 100", () => append(writer, small));
  await measure("append 2 events atomically", () => append(writer, times(small, 2)));
  await append(writer, times(small, 97));
  await measure("append 99 events atomically", () => append(writer, times(small, 99)));
  await measure("append 100 events atomically", () => append(writer, times(small, 100)));
  await measure("append 250 events atomically", () => append(writer, times(small, 250)));
  await measure("append 10 × 100 B atomically", () => append(writer, times(hundredBytes, 10)));
  await measure("append 100 × 1 KB atomically", () => append(writer, times(kibibyte, 100)));
  await measure("append 250 × 1 KB atomically", () => append(writer, times(kibibyte, 250)));
}

async function measureReads(journal: Journal, measure: Measure): Promise<void> {
  const read = async (id: string, events: number) => {
    const { state } = await journal.load(id, { initial: () => 0, evolve: (count: number) => count + 1 });
    if (state !== events) throw new Error("not all were loaded");
  };
  await append(await journal.recover("fifty"), times(oneKilobyte, 50));
  const many = await journal.recover("many");
  for (let written = 0; written < 10_000; written += 50) await append(many, times(oneKilobyte, 50));
  const large = await journal.recover("large");
  await append(large, times(small, 99));
  for (let written = 0; written < 100; written += 20) await append(large, times(tenKilobytes, 20));
  await measure("highest number of a fresh id", () => journal.highestSequenceNr("fresh"));
  await measure("highest number of 50 events", () => journal.highestSequenceNr("fifty"));
  await measure("highest number of 10,000 events", () => journal.highestSequenceNr("many"));
  await measure("highest number, 100 × 10 KB in the last bucket", () => journal.highestSequenceNr("large"));
  await measure("replay 50 × 1 KB", async () => {
    let count = 0;
    for await (const { sequenceNr } of journal.replay("fifty"))
      if (sequenceNr !== ++count) throw new Error("a gap");
    if (count !== 50) throw new Error("not all were replayed");
  });
  await measure("load 50 × 1 KB", () => read("fifty", 50));
  await measure("load 10,000 × 1 KB", () => read("many", 10_000));
}

async function measureDeletes(journal: Journal, measure: Measure): Promise<void> {
  const writer = await journal.recover("deletes");
  await append(writer, times(small, 60), times(small, 60), times(small, 60));
  await measure("delete 120 events", () => journal.deleteTo("deletes", 120));
  await measure("delete what is deleted already", () => journal.deleteTo("deletes", 100));
  await measure("delete 10 more", () => journal.deleteTo("deletes", 130));
  await measure("purge an id of 180 events", () => journal.purge("deletes"));
}

import { ensureTable, type MeterCounts, metered } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import {
  type JournalOptions,
  journalTableSpec,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { defineEntity, ledgerTableSpec, openEntities } from "../../src/index.ts";

/** One cost. */
export type Cost = Pick<MeterCounts, "requests" | "readUnits" | "writeUnits">;

/** All costs, in the order of the table. */
export type CostTable = ReadonlyMap<string, Cost>;

type Command =
  | { readonly type: "write"; readonly count: number; readonly text: string }
  | { readonly type: "count" };
interface Written {
  readonly type: "written";
  readonly text: string;
}
interface State {
  readonly events: number;
  readonly last: string;
}

/** Keeps its last text, so that a snapshot is as large as an event. */
const note = defineEntity({
  type: "note",
  initial: (): State => ({ events: 0, last: "" }),
  decide(command: Command, { events }) {
    if (command.type === "count") return { reply: events };
    const { count, text } = command;
    return {
      events: Array.from({ length: count }, () => ({ type: "written", text })),
      reply: events + count,
    };
  },
  evolve: ({ events }: State, { text }: Written) => ({ events: events + 1, last: text }),
});

const small = "x".repeat(100);
const oneKilobyte = "x".repeat(900);
const write = (count: number, text: string) => ({ type: "write", count, text }) as const;
const count = { type: "count" } as const;

/** Measures what the entities of a host cost on the engine. */
export async function measureCost(journalOptions: JournalOptions): Promise<CostTable> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec(journalOptions));
  await ensureTable(engine, snapshotTableSpec("snapshots"));
  await ensureTable(engine, ledgerTableSpec("commands"));
  const { port, meter } = metered(engine, { capacity: true });
  const journal = await openJournal(port, journalOptions);
  const isPacked = journalOptions.layout === "packed";
  const snapshots = await openSnapshots(
    port,
    isPacked ? { journal: journalOptions } : { table: "snapshots" },
  );
  const ledger = { port, table: "commands" };
  const open = async (snapshotEvery: number, verifyReads: boolean) =>
    openEntities({ journal, snapshots, ledger, entities: [note], snapshotEvery, verifyReads });

  const writer = await open(10, false);
  const writers = writer.of(note);
  const rare = await open(1000, false);
  await rare.of(note).ask("fifty", write(50, oneKilobyte));
  await writers.ask("covered", write(50, oneKilobyte));
  for (let written = 0; written < 50; written++) {
    await writers.ask("tail", write(1, oneKilobyte));
    await writer.idle();
  }
  await writer.close();
  for (let written = 0; written < 10; written++) await rare.of(note).ask("tail", write(1, oneKilobyte));
  await rare.close();

  const costs = new Map<string, Cost>();
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    meter.reset();
    await work();
    const { requests, readUnits, writeUnits } = meter.reset().total;
    costs.set(name, { requests, readUnits, writeUnits });
  };
  const loading = await open(10, false);
  const loads = loading.of(note);
  await measure("load an entity without events", () => loads.ask("fresh", count));
  await measure("load 50 × 1 KB without a snapshot", () => loads.ask("fifty", count));
  await measure("load a snapshot of 1 KB and 10 × 1 KB after it", () => loads.ask("tail", count));
  await measure("load a snapshot of 1 KB that is current", () => loads.ask("covered", count));
  await loading.close();
  const host = await open(1000, false);
  const notes = host.of(note);
  await notes.ask("fresh", write(1, small));
  await measure("command with one event, entity in memory", () => notes.ask("fresh", write(1, small)));
  await measure("command with one event and an id", () =>
    notes.ask("fresh", write(1, small), { commandId: "one" }),
  );
  await measure("the same command again", () => notes.ask("fresh", write(1, small), { commandId: "one" }));
  await measure("command with 10 events", () => notes.ask("fresh", write(10, small)));
  await measure("10 commands with one event each, at once", () =>
    Promise.all(Array.from({ length: 10 }, () => notes.ask("fresh", write(1, small)))),
  );
  await measure("command without events", () => notes.ask("fresh", count));
  await measure("state of a snapshot of 1 KB and 10 × 1 KB after it", () => notes.read("tail"));
  await host.close();

  const verifying = await open(1000, true);
  await verifying.of(note).ask("fresh", count);
  await measure("command without events, with verifyReads", () => verifying.of(note).ask("fresh", count));
  await verifying.close();
  await port.close();
  return costs;
}

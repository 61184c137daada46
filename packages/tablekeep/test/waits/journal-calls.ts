import { ensureTable, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import {
  type Journal,
  type JournalOptions,
  journalTableSpec,
  openJournal,
  openSnapshots,
  type Snapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { exportEvents } from "@tablekeep/journal/tools";
import {
  codeOf,
  credentials,
  engine,
  faulty,
  first,
  later,
  unreachable,
  type WaitingCall,
} from "./program.ts";

/** A journal on a port; makes its table. */
export async function journalOn(port: DynamoPort, options: JournalOptions = {}): Promise<Journal> {
  await ensureTable(port, journalTableSpec({ table: "events", ...options }));
  return openJournal(port, { table: "events", ...options });
}

/** A journal with one event, and a port to the same table that fails. */
async function journalBehind(fault: string, options: JournalOptions = {}): Promise<Journal> {
  const port = await engine();
  await appendTo(await journalOn(port, options));
  return openJournal(faulty(port, fault), { table: "events", ...options });
}

async function appendTo(journal: Journal): Promise<string | undefined> {
  const writer = await journal.recover("a");
  return (await writer.append({ payload: 1 })).kind;
}

export const journalCalls: Record<string, WaitingCall> = {
  "journal.append that is retried": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => appendTo(await journalBehind("kind:throttle,op:PutItem,times:3")),
    result: "ok",
  },
  "journal.recover that is retried": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const journal = await journalBehind("kind:throttle,op:UpdateItem,times:3", { fencing: "strict" });
      return (await journal.recover("a")).highestSequenceNr;
    },
    result: 1,
  },
  "journal.deleteTo that is retried": {
    waitsIn: ["journal/src/context/calls.ts"],
    run: async () => {
      const journal = await journalBehind("kind:throttle,op:UpdateItem,times:3");
      await journal.deleteTo("a", 1);
      return journal.lowestSequenceNr("a");
    },
    result: 2,
  },
  "journal.purge that is retried": {
    waitsIn: ["journal/src/context/calls.ts"],
    run: async () => {
      const journal = await journalBehind("kind:throttle,op:UpdateItem,times:3");
      await journal.purge("a");
      return journal.highestSequenceNr("a");
    },
    result: 0,
  },
  "journal.eventsById": {
    waitsIn: ["journal/src/queries/live.ts"],
    run: async () => {
      const journal = await journalOn(await engine());
      later(300, () => appendTo(journal));
      return (await first(journal.eventsById("a")))?.sequenceNr;
    },
    result: 1,
  },
  "journal.persistenceIds": {
    waitsIn: ["journal/src/queries/live.ts"],
    run: async () => {
      const journal = await journalOn(await engine());
      later(300, () => appendTo(journal));
      return (await first(journal.persistenceIds()))?.persistenceId;
    },
    result: "a",
  },
  "a journal tool with a bounded rate": {
    waitsIn: ["journal/src/context/rate-bounded.ts"],
    run: async () => {
      const port = await engine();
      await appendTo(await journalOn(port));
      const lines: unknown[] = [];
      const exported = exportEvents(port, { table: "events" }, { maxRequestsPerSecond: 20 });
      for await (const line of exported) lines.push(line);
      return lines.length > 1;
    },
    result: true,
  },
};

/** Snapshots with one of the number 1, and a port to the same table that fails. */
async function snapshotsBehind(fault: string): Promise<Snapshots> {
  const port = await engine();
  await ensureTable(port, snapshotTableSpec("snapshots"));
  await (await openSnapshots(port, { table: "snapshots" })).save("a", 1, "old");
  return openSnapshots(faulty(port, fault), { table: "snapshots" });
}

export const snapshotCalls: Record<string, WaitingCall> = {
  "snapshots.save that is retried": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const snapshots = await snapshotsBehind("kind:throttle,op:PutItem,times:3");
      await snapshots.save("a", 2, "new");
      return (await snapshots.load("a"))?.state;
    },
    result: "new",
  },
  "snapshots.load that is retried": {
    waitsIn: ["client/src/retry/with-retries.ts"],
    run: async () => {
      const port = httpPort({ ...unreachable, credentials, maxAttempts: 3 });
      return codeOf((await openSnapshots(port, { table: "snapshots" })).load("a"));
    },
    result: "CLIENT_UNREACHABLE",
  },
  "snapshots.delete that is retried": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const snapshots = await snapshotsBehind("kind:throttle,op:DeleteItem,times:3");
      await snapshots.delete("a", 1);
      return (await snapshots.load("a")) ?? "none";
    },
    result: "none",
  },
};

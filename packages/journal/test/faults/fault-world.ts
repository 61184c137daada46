import { ensureTable, scanItems } from "@tablekeep/client";
import { type Clock, type DynamoPort, type Item, sleep } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { type FakeClock, type History, historyRecorder, operationsOf } from "@tablekeep/testkit";
import { expect } from "vitest";
import { type Journal, type JournalOptions, journalTableSpec, openJournal } from "../../src/index.ts";
import {
  checkHistory,
  type JournalHistoryOperation,
  type JournalHistoryResult,
  type RecordedJournal,
  recordedJournal,
} from "../../src/testing/index.ts";

export const table = "events";

/** In the packed layout: so small that every event of these tests is an item, as in the other layouts. */
const eventAnItem = 120;

/** The journals that the fault tests run on. Few shards: what is tested does not depend on their number. */
const variants: readonly JournalOptions[] = [
  { layout: "packed", fencing: "optimistic", maxItemSize: eventAnItem },
  { layout: "packed", fencing: "strict", maxItemSize: 600 },
  { layout: "bucketed", fencing: "optimistic", sequenceShards: 2 },
  { layout: "bucketed", fencing: "strict", sequenceShards: 2 },
  { layout: "linear", fencing: "optimistic" },
  { layout: "scattered", fencing: "strict", sequenceShards: 2 },
];

export const named = variants.map((options) => [`${options.layout}, ${options.fencing}`, options] as const);

/** Those of them where a write of 101 events is staged. */
export const staging = named.filter(([, { maxItemSize = eventAnItem }]) => maxItemSize === eventAnItem);

type FaultEngine = Awaited<ReturnType<typeof openEngine>>;

/** An engine in memory with an empty table for a journal of this kind; `reset` empties it again. */
export async function engineFor(
  options: JournalOptions,
  engine: Partial<EngineOptions> = {},
): Promise<{ readonly port: FaultEngine; reset(): Promise<void> }> {
  const port = await openEngine({ storage: { kind: "memory" }, ...engine });
  await ensureTable(port, journalTableSpec({ ...options, table }));
  const empty = await port.checkpoint();
  return { port, reset: () => port.restore(empty) };
}

/** One id on one port, and the history of all that is done to it. */
export interface FaultWorld {
  readonly port: DynamoPort;
  readonly id: string;
  /** Opens a journal, as a separate process, on any port. */
  open(port: DynamoPort, options?: JournalOptions): Promise<Journal>;
  /** The same, as this actor; what it does is part of the history. */
  actor(name: string, port: DynamoPort, options?: JournalOptions): Promise<RecordedJournal>;
  /** Texts that no other call returns. */
  texts(count: number): string[];
  /** Fails if the history breaks a rule. */
  checkHistory(): void;
  /** What has been done so far, for another world that continues it. */
  past(): Past;
}

let ids = 0;

/** What has been done to an id before a world begins. */
interface Past {
  readonly id: string;
  readonly history: History<JournalHistoryOperation, JournalHistoryResult>;
  readonly texts: number;
}

/** A new id on a port that has the table, or one with a past. */
export function faultWorld(
  port: DynamoPort,
  options: JournalOptions,
  clock?: Clock,
  past: Past = { id: `id-${++ids}.`, history: [], texts: 0 },
): FaultWorld {
  const recorder = historyRecorder<JournalHistoryOperation, JournalHistoryResult>(clock && { clock });
  const { id } = past;
  let count = past.texts;
  const open = (own: DynamoPort, more: JournalOptions = {}) =>
    openJournal(own, { ...options, table, ...(clock && { clock }), ...more });
  return {
    port,
    id,
    open,
    actor: async (name, own, more) => recordedJournal(await open(own, more), recorder, name),
    texts: (length) => Array.from({ length }, () => `text-${++count}`),
    checkHistory: () => {
      const strict = options.fencing === "strict";
      const operations = operationsOf(after(past.history, recorder.events));
      expect(checkHistory(operations, { strict })).toEqual([]);
    },
    past: () => ({ id, history: after(past.history, recorder.events), texts: count }),
  };
}

/** One history that continues another. */
function after(past: Past["history"], history: Past["history"]): Past["history"] {
  const lastId = past.reduce((last, event) => Math.max(last, event.id), 0);
  const shifted = history.map((event) => ({
    ...event,
    index: event.index + past.length,
    id: event.id + lastId,
  }));
  return [...past, ...shifted];
}

/**
 * Worlds that all begin alike: `begin` is run once, and its result restored for each of them. Without `begin` they begin
 * empty.
 */
export function alikeWorlds(
  engine: Awaited<ReturnType<typeof engineFor>>,
  options: JournalOptions,
  begin?: (world: FaultWorld) => Promise<void>,
): () => Promise<FaultWorld> {
  const { port, reset } = engine;
  let started: Promise<{ past: Past; restore: () => Promise<void> }> | undefined;
  const start = async (run: NonNullable<typeof begin>) => {
    await reset();
    const world = faultWorld(port, options);
    await run(world);
    const checkpoint = await port.checkpoint();
    return { past: world.past(), restore: () => port.restore(checkpoint) };
  };
  return async () => {
    if (begin === undefined) {
      await reset();
      return faultWorld(port, options);
    }
    started ??= start(begin);
    const { past, restore } = await started;
    await restore();
    return faultWorld(port, options, undefined, past);
  };
}

/** The next caller finds everything in order, and can continue: appends of these sizes, replays. */
export async function checkCalm(world: FaultWorld, sizes: readonly number[] = [1, 3, 101, 1]): Promise<void> {
  const { id, port } = world;
  const journal = await world.actor("next", port);
  await journal.highest(id);
  await journal.replay(id);
  const writer = await journal.recover(id);
  for (const size of sizes) expect(await writer.append(world.texts(size))).toMatchObject({ kind: "ok" });
  await journal.replay(id);
  expect(await journal.highest(id)).toBe(writer.highestSequenceNr);
  world.checkHistory();
}

/**
 * Runs work by a fake clock. Time advances in small steps: the engine takes some turns for a request, and no deadline must
 * come in between.
 */
export function inFakeTime<Result>(
  clock: FakeClock,
  stepMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  let done = false;
  const tick = async () => {
    while (!done) await sleep(clock, stepMs);
  };
  return clock.autoAdvance(async () => {
    const ticking = tick();
    try {
      return await work();
    } finally {
      done = true;
      await ticking;
    }
  });
}

/** All items whose text mentions an id. */
export async function itemsOf(port: DynamoPort, id: string): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of scanItems(port, { TableName: table, ConsistentRead: true })) {
    if (JSON.stringify(item).includes(id)) found.push(item);
  }
  return found;
}

/** How many numbers an item says are deleted. */
export function deletedIn({ tomb, last, from, num }: Item): number {
  const first = Number(num?.N);
  if (tomb !== undefined) return last === undefined ? 1 : Number(last.N) - first + 1;
  return from === undefined ? 0 : Number(from.N) - first;
}

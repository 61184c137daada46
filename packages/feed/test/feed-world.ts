import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type Item, systemClock } from "@tablekeep/core";
import { type Journal, type JournalOptions, journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { expect } from "vitest";
import {
  type ChangeSource,
  ensureStream,
  type Feed,
  type FeedOptions,
  openFeed,
  openStreamSource,
  type StreamSourceOptions,
} from "../src/index.ts";

/** A journal, and what was appended to it. */
export interface FeedWorld {
  readonly port: DynamoPort;
  readonly options: JournalOptions;
  readonly journal: Journal;
  /** The number of events of each id. */
  readonly appended: Map<string, number>;
}

/** Creates a journal in a separate table. */
export async function newWorld(port: DynamoPort, options: JournalOptions): Promise<FeedWorld> {
  await ensureTable(port, journalTableSpec(options));
  return { port, options, journal: await openJournal(port, options), appended: new Map() };
}

/** Appends writes of one to three events to some ids. */
export async function appendSome(world: FeedWorld, ids: number, offset = 0): Promise<void> {
  for (let at = 0; at < ids; at++) {
    const id = `thing|${at}`;
    const count = 1 + ((at + offset) % 3);
    const events = Array.from({ length: count }, (_unused, index) => ({ payload: index }));
    unwrap(await world.journal.append(id, events));
    world.appended.set(id, (world.appended.get(id) ?? 0) + count);
  }
}

/** Opens the feed by the clock of its journal, over another port if one is given. Its stream is read without waits. */
export async function feedOf(world: FeedWorld, port = world.port, options: FeedOptions = {}): Promise<Feed> {
  const { table = "events", clock = systemClock } = world.options;
  const waits = { pollMs: 1, maxPollMs: 2, readsPerSecond: Number.POSITIVE_INFINITY, emptyReadsAtEnd: 1 };
  const pace = { ...waits, clock };
  await ensureStream(world.port, table, "NEW_IMAGE", { clock });
  const source = await openStreamSource(world.port, { tableName: table, needs: "image", ...pace });
  const mortal = { arn: source.arn, read: reader(port, source.arn, { tableName: table, ...pace }) };
  const own = { journal: world.options, slices: 2, checkpointMs: 0, source: mortal, clock };
  return openFeed(port, { ...own, ...options });
}

/** Reads the stream over a port that may fail, even when it is opened. */
function reader(port: DynamoPort, streamArn: string, options: StreamSourceOptions) {
  return async function* (...args: Parameters<ChangeSource["read"]>) {
    const source = await openStreamSource(port, { ...options, streamArn, needs: "image" });
    yield* source.read(...args);
  };
}

/**
 * Replaces the items of a table by those of another one, as a restore does, except that there are moments in between. In those, pages are missing, and
 * none is beside one of the other feed.
 */
export async function replaceItems(port: DynamoPort, from: string, to: string): Promise<void> {
  const { Items: restored = [] } = await port.scan({ TableName: from, ConsistentRead: true });
  const { Items: replaced = [] } = await port.scan({ TableName: to, ConsistentRead: true });
  const isRecord = (item: Item) => item["feed_state"] !== undefined;
  const hasRecord = restored.some(isRecord);
  for (const { par = { S: "" }, num = { N: "0" }, ...item } of replaced)
    if (!(hasRecord && isRecord(item))) await port.deleteItem({ TableName: to, Key: { par, num } });
  for (const Item of restored) await port.putItem({ TableName: to, Item });
}

/** Brings the feed up to date, and checks that it has every event once, in order, by offsets without a gap. */
export async function expectWhole(world: FeedWorld, options: FeedOptions = {}): Promise<void> {
  const feed = await feedOf(world, world.port, options);
  await feed.catchUp();
  const found = new Map<string, number>();
  const offsets = [0, 0];
  for await (const { persistenceId, sequenceNr, slice, offset, late } of feed.read()) {
    expect({ persistenceId, sequenceNr, late }).toEqual({
      persistenceId,
      sequenceNr: (found.get(persistenceId) ?? 0) + 1,
      late: false,
    });
    found.set(persistenceId, sequenceNr);
    expect(offset).toBe(offsets[slice]);
    offsets[slice] = offset + 1;
  }
  expect(found).toEqual(world.appended);
  expect((await feed.verify()).findings).toEqual([]);
}

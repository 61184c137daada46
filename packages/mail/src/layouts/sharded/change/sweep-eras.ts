import { randomUUID } from "node:crypto";
import { type BatchWriteEntry, batchWrite, queryPages } from "@tablekeep/client";
import { type Item, type Key, sleep } from "@tablekeep/core";
import { longMailCall, type MailCall } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { claim, type Lease, release } from "../context/work-lease.ts";
import type { HourName } from "../hours/hours.ts";
import {
  blocksPartition,
  hourKey,
  hourOfKey,
  hourPartition,
  hoursPartition,
  keyNames,
  partsPartition,
  summaryKey,
  sweepKey,
} from "../items/mail-keys.ts";
import { readSummary } from "../items/summary-item.ts";
import { readPartition } from "../read/read-summaries.ts";
import { belongingKeys } from "./remove-messages.ts";

/** Removes the items of earlier eras. Readers no longer find them. */
export interface Sweeper {
  /** Removes them in the background, at a limited rate, unless another instance does. */
  start(): void;
  /** Does the same, unless this instance does already or did a moment ago. */
  startIfIdle(): void;
  /** Removes them at once. Returns the number of messages that had left items; `onRemoved` receives the number so far. */
  run(call: MailCall, onRemoved: (messages: number) => void): Promise<number>;
  /** Ends background work after the request in flight. Another instance, or the next start, continues. */
  stop(): void;
}

/** The number of messages whose items are removed between two pauses. */
const messagesAtOnce = 100;

/** Items of blocks of signatures that are removed between two pauses. Each costs as much as many small items. */
const blockItemsAtOnce = 10;

/** Minimum pause: with DynamoDB, at most 100 messages a second. */
const pauseMs = { engine: 20, dynamodb: 1000 } as const;

/** Milliseconds between two starts because of leftovers of others. */
const retryMs = 60_000;

export function eraSweeper(context: ShardedContext): Sweeper {
  const { clock } = context;
  const stopped = new AbortController();
  const lease = { key: sweepKey, name: randomUUID() };
  let running = false;
  let again = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  const sweepQuietly = async () => {
    running = true;
    startedAt = clock.monotonic();
    const call = longMailCall(context, { signal: stopped.signal });
    try {
      do {
        again = false;
        await sweepSlowly(context, lease, call, stopped.signal);
      } while (again);
    } catch (error) {
      if (!stopped.signal.aborted)
        context.logger.warn("could not remove the items of deleted messages", {
          table: context.table,
          error,
        });
    }
    running = false;
  };
  const start = () => {
    if (stopped.signal.aborted) return;
    if (running) again = true;
    else context.background.add(sweepQuietly());
  };
  return {
    start,
    startIfIdle() {
      if (!running && clock.monotonic() - startedAt >= retryMs) start();
    },
    async run(call, onRemoved) {
      let removed = 0;
      for await (const { messages } of sweep(context, call)) {
        removed += messages;
        onRemoved(removed);
      }
      return removed;
    },
    stop: () => stopped.abort(),
  };
}

/** Sweeps at a limited rate while no other instance does. */
async function sweepSlowly(
  context: ShardedContext,
  lease: Lease,
  call: MailCall,
  signal: AbortSignal,
): Promise<void> {
  const shortest = context.port.atomicBatches ? pauseMs.engine : pauseMs.dynamodb;
  // The response to the delete is sent first.
  await sleep(context.clock, shortest, signal);
  if (!(await claim(context, lease, call))) return;
  for await (const { ms } of sweep(context, call)) {
    await sleep(context.clock, Math.max(shortest, ms), signal);
    if (!(await claim(context, lease, call))) return;
  }
  await release(context, lease, call);
}

/** A part of the work: the number of messages, and the duration. */
interface SweptPart {
  readonly messages: number;
  readonly ms: number;
}

/** Removes everything of earlier eras, hour by hour, the entry of an hour last: the instance that continues finds the rest by it. */
async function* sweep(context: ShardedContext, call: MailCall): AsyncGenerator<SweptPart, void, undefined> {
  const { clock, port, table } = context;
  const era = await context.eras.current(call);
  const input = {
    TableName: table,
    KeyConditionExpression: "pk = :hours AND sk < :era",
    ExpressionAttributeValues: { ":hours": { S: hoursPartition }, ":era": { S: era } },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  for await (const { Items } of queryPages(port, input, call)) {
    for (const item of Items ?? []) {
      const name = hourOfKey(item["sk"]?.S ?? "");
      if (name === undefined) continue;
      let begun = clock.monotonic();
      for await (const messages of sweepHour(context, name, shardsOf(item), call)) {
        yield { messages, ms: clock.monotonic() - begun };
        begun = clock.monotonic();
      }
      await port.deleteItem({ TableName: table, Key: hourKey(name) }, { ...call, idempotent: true });
    }
  }
}

function shardsOf(item: Item): number {
  return Math.max(0, ...(item["shards"]?.NS ?? []).map(Number));
}

/** Yields the number of messages between two pauses. */
async function* sweepHour(
  context: ShardedContext,
  { era, hour }: HourName,
  shards: number,
  call: MailCall,
): AsyncGenerator<number, void, undefined> {
  for (let shard = 0; shard < shards; shard++) {
    const partition = hourPartition("m", { era, hour, shard });
    for await (const items of readPartition(context, partition, { pageSize: messagesAtOnce }, call)) {
      const records = items.flatMap((item) => readSummary(item) ?? []);
      // The summary goes last: without it, the rest could not be found.
      await removeAll(context, records.flatMap(belongingKeys), call);
      await removeAll(
        context,
        records.map(({ summary, place }) => summaryKey(summary.id, place)),
        call,
      );
      if (items.length > 0) yield records.length;
    }
  }
  for (const partition of [blocksPartition({ era, hour }), partsPartition({ era, hour })]) {
    for await (const items of readPartition(context, partition, { pageSize: blockItemsAtOnce }, call)) {
      const keys = items.map((item): Key => ({ pk: { S: partition }, sk: { S: item["sk"]?.S ?? "" } }));
      await removeAll(context, keys, call);
      if (items.length > 0) yield 0;
    }
  }
}

async function removeAll({ port, table }: ShardedContext, keys: readonly Key[], call: MailCall) {
  const entries = keys.map((key): BatchWriteEntry => ({ table, delete: key }));
  const parallel = port.atomicBatches ? 16 : 2;
  await batchWrite(port, entries, { ...call, parallel, keyNames: { [table]: keyNames } });
}

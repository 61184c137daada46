import { randomUUID } from "node:crypto";
import { type BatchWriteEntry, batchGet, batchWrite } from "@tablekeep/client";
import { type Item, isDynamoError, sleep } from "@tablekeep/core";
import { longMailCall, type MailCall } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { claim, type Lease, leaseMs, release } from "../context/work-lease.ts";
import {
  allSettled,
  type BlockVersion,
  blocksUpdate,
  type Hour,
  type HourBlocks,
  settlingMs,
  versionOfHour,
} from "../hours/hours.ts";
import { blockKey, blocksPartition, buildKey, hourPartition, keyNames } from "../items/mail-keys.ts";
import { mergeSorted } from "../items/merge-sorted.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { hourSummaries, readPartition } from "../read/read-summaries.ts";
import {
  blockBytes,
  blockMessages,
  blockPut,
  bytesInBlock,
  countOf,
  firstBlock,
  isSameVersion,
  partItems,
  readBlock,
  type SignatureBlock,
  signatureBlock,
  storedParts,
} from "../signatures/signature-blocks.ts";
import { newPhrasesName, phraseKinds, phrasesKey } from "./block-phrases.ts";
import { collectPhrases } from "./collect-phrases.ts";

/**
 * Makes blocks of the signatures of settled messages in the background. Blocks are never needed, and never changed while they are current:
 * an instance that stops anywhere, or another that does the same work, leaves blocks that are complete or not used.
 */
export interface BlockBuilder {
  /** Counts a message that this instance has stored. */
  stored(): void;
  /** Settled signatures of a shard were read one by one. */
  read(hour: Hour, count: number): void;
  /** A block is missing: those of the hour are checked from the first one on. */
  missing(hour: Hour): void;
  /** Ends the work after the request in flight. */
  stop(): void;
}

/** Messages after which blocks are made in an embedded table, once these have settled, and signatures that a search reads before. */
const storedAtOnce = 500;

/** Signatures in the last block of an hour that has ended. Fewer are not worth an item. */
const fewest = 16;

/** Minimum pause after a block: with DynamoDB, at most about 130 write units a second. */
const pauseMs = { engine: 20, dynamodb: 2000 } as const;

/** Bytes of a block that the minimum pause is for. After a larger one it is longer. */
const bytesOfPause = 256 * 1024;

/** Milliseconds from a search that reads many signatures to the work: a program that ends after it makes no blocks. */
const afterSearchMs = 3000;

/** Milliseconds between two renewals of the lease. */
const renewalMs = 20_000;

/** The maximum number of times that an instance waits for another one that makes blocks. */
const maxAttempts = 10;

/** Hours that were found to have too few messages, in memory. */
const maxChecked = 10_000;

export function blockBuilder(context: ShardedContext): BlockBuilder {
  const stopped = new AbortController();
  const { signal } = stopped;
  const lease = { key: buildKey, name: randomUUID() };
  const state: BuilderState = { checked: new Set(), broken: new Set() };
  let scheduled = false;
  let stores = 0;
  const run = async (delayMs: number) => {
    const call = longMailCall(context, { signal });
    try {
      for (let waitMs = delayMs, attempt = 0; attempt < maxAttempts; waitMs = leaseMs, attempt++) {
        await sleep(context.clock, waitMs, signal, { background: true });
        // Another instance may end before it has made all.
        if (!(await claim(context, lease, call))) continue;
        await buildBlocks(context, state, leasedPause(context, lease, signal, call), call);
        await release(context, lease, call);
        break;
      }
    } catch (error) {
      if (!signal.aborted)
        context.logger.debug("could not build blocks of signatures", { table: context.table, error });
    }
    scheduled = false;
  };
  const schedule = (delayMs: number) => {
    if (scheduled || signal.aborted) return;
    scheduled = true;
    context.background.add(run(delayMs));
  };
  return {
    stored() {
      // On DynamoDB, a block costs as much as its signatures did: only those that searches read are worth it.
      if (context.port.atomicBatches && ++stores % storedAtOnce === 0) schedule(settlingMs + afterSearchMs);
    },
    read(hour, count) {
      const enough = (hour.quiet ? fewest : storedAtOnce) / hour.shards;
      if (hour.calm && !hour.expiring && count >= enough) schedule(afterSearchMs);
    },
    missing(hour) {
      state.broken.add(nameOf(hour));
      schedule(afterSearchMs);
    },
    stop: () => stopped.abort(),
  };
}

interface BuilderState {
  /** Hours without enough messages for a block, with their generation. */
  readonly checked: Set<string>;
  /** Hours with missing blocks. */
  readonly broken: Set<string>;
}

/** Waits. Returns whether the work may continue. */
type Pause = (ms: number) => Promise<boolean>;

/** Renews the lease from time to time. */
function leasedPause(context: ShardedContext, lease: Lease, signal: AbortSignal, call: MailCall): Pause {
  const { clock } = context;
  let renewedAt = clock.monotonic();
  return async (ms) => {
    await sleep(clock, ms, signal, { background: true });
    if (clock.monotonic() - renewedAt < renewalMs) return true;
    renewedAt = clock.monotonic();
    return claim(context, lease, call);
  };
}

/** Makes the missing blocks, newest hour first. */
async function buildBlocks(
  context: ShardedContext,
  state: BuilderState,
  pause: Pause,
  call: MailCall,
): Promise<void> {
  const { clock } = context;
  const shortest = context.port.atomicBatches ? pauseMs.engine : pauseMs.dynamodb;
  const { hours } = await context.hours.read(call);
  if (state.checked.size > maxChecked) state.checked.clear();
  for (const hour of hours) {
    if (!hour.calm || hour.expiring) continue;
    const isBroken = state.broken.delete(nameOf(hour));
    const checked = `${nameOf(hour)}#${hour.generation}#${hour.settledBefore === allSettled}`;
    const blocks = isBroken ? undefined : hour.blocks;
    if (blocks?.before === allSettled || (!isBroken && hour.quiet && state.checked.has(checked))) continue;
    let begun = clock.monotonic();
    let made = 0;
    for await (const bytes of hourBlocks(context, hour, blocks, call)) {
      made++;
      const pauseFor = shortest * Math.max(1, bytes / bytesOfPause);
      if (!(await pause(Math.max(pauseFor, clock.monotonic() - begun)))) return;
      begun = clock.monotonic();
    }
    state.checked.add(checked);
    if (made === 0 && !(await pause(shortest))) return;
  }
}

function nameOf({ era, hour }: Hour): string {
  return `${era}#${hour}`;
}

/** Makes the blocks of one hour after those that it has. Yields the bytes of each. Ends when the hour has changed. */
async function* hourBlocks(
  context: ShardedContext,
  hour: Hour,
  blocks: HourBlocks | undefined,
  call: MailCall,
): AsyncGenerator<number, void, undefined> {
  let done: HourBlocks = blocks ?? { ...hour.version, before: firstBlock, count: 0, exact: true };
  if (blocks === undefined) await removeStale(context, hour, done, call);
  for (;;) {
    let last: HourBlocks | undefined;
    for await (const made of newBlocks(context, hour, done, call)) {
      last = await announced(context, hour, done, made, call);
      if (last === undefined) return;
      const isExpected = last.before === made.block.before;
      done = last;
      yield bytesOf(made.block);
      // Another instance has made a longer or shorter one: continue behind it.
      if (!isExpected) break;
      last = undefined;
    }
    if (last === undefined) return;
  }
}

/** A block to store, and the items with its phrases. */
interface NewBlock {
  readonly block: SignatureBlock;
  readonly phrases: readonly Item[];
}

/** Blocks of the settled messages of an hour behind those that it has, oldest first. */
async function* newBlocks(
  context: ShardedContext,
  hour: Hour,
  { before: start, late, removed }: HourBlocks,
  call: MailCall,
): AsyncGenerator<NewBlock, void, undefined> {
  const version = { late, removed };
  const partitions = Array.from({ length: hour.shards }, (_, shard) =>
    hourPartition("s", { ...hour, shard }),
  );
  const range = { from: start, before: hour.settledBefore, first: "oldest", pageSize: 500 } as const;
  const sources = partitions.map((partition) => readPartition(context, partition, range, call));
  const idOf = (item: Item) => item["sk"]?.S ?? "";
  let [from, items, bytes] = [start, [] as Item[], 0];
  for await (const item of mergeSorted(sources, (one, other) => idOf(one) < idOf(other))) {
    const added = bytesInBlock(item);
    if (bytes + added > blockBytes || items.length === blockMessages) {
      yield await makeBlock(context, hour, { version, from, before: idOf(item) }, items, call);
      [from, items, bytes] = [idOf(item), [], 0];
    }
    items.push(item);
    bytes += added;
  }
  const hasEnded = hour.settledBefore === allSettled;
  // Behind other blocks, even an empty one shows that there is nothing else.
  if (hasEnded && (from !== firstBlock || items.length >= fewest))
    yield await makeBlock(context, hour, { version, from, before: allSettled }, items, call);
}

/** The range of a block. */
interface BlockRange {
  readonly version: BlockVersion;
  readonly from: string;
  readonly before: string;
}

/**
 * Makes a block. In an embedded table, it has only messages that exist, because a store that was interrupted leaves a signature without a
 * message, and it has the phrases of these messages. On DynamoDB, reading all messages would cost more than their signatures.
 */
async function makeBlock(
  context: ShardedContext,
  hour: Hour,
  { version, from, before }: BlockRange,
  items: readonly Item[],
  call: MailCall,
): Promise<NewBlock> {
  if (!context.port.atomicBatches)
    return {
      block: signatureBlock(version, { from, before, exact: false, phrases: "" }, items),
      phrases: [],
    };
  const records = new Map<string, SummaryRecord>();
  const range = { from, before, first: "oldest", pageSize: 500 } as const;
  for await (const record of hourSummaries(context, hour, range, call))
    records.set(record.summary.id, record);
  const there = items.filter((item) => records.has(item["sk"]?.S ?? ""));
  const newest = there.toReversed().flatMap((item) => records.get(item["sk"]?.S ?? "") ?? []);
  const name = newPhrasesName();
  const phrases = await collectPhrases(context, hour, name, newest, call);
  const known = { exact: there.length === records.size, phrases: phrases.length === 0 ? "" : name };
  return { block: signatureBlock(version, { from, before, ...known }, there), phrases };
}

function bytesOf({ ids, parts }: SignatureBlock): number {
  return [...parts.values()].reduce((sum, { length }) => sum + length, ids.length);
}

/** Stores a block, and then enters it into the directory. Returns what the hour has then; undefined if it has changed. */
async function announced(
  context: ShardedContext,
  hour: Hour,
  done: HourBlocks,
  made: NewBlock,
  call: MailCall,
): Promise<HourBlocks | undefined> {
  const stored = await storedBlock(context, hour, made, call);
  if (stored === undefined) return undefined;
  const { late, removed } = made.block;
  const blocks = {
    ...{ late, removed, before: stored.before, count: done.count + countOf(stored) },
    exact: done.exact && stored.exact,
  };
  const update = blocksUpdate(context, hour, blocks);
  try {
    const { Attributes } = await context.port.updateItem(update, { ...call, idempotent: true });
    return versionOfHour(Attributes).late === late ? blocks : undefined;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
    throw error;
  }
}

/** Stores a block, its parts first. Returns the stored block: this one, or that of another instance; undefined if that has another version. */
async function storedBlock(
  context: ShardedContext,
  hour: Hour,
  { block: made, phrases }: NewBlock,
  call: MailCall,
): Promise<SignatureBlock | undefined> {
  const { port, table } = context;
  const items = [...partItems(hour, made), ...phrases];
  const parts = items.map((put): BatchWriteEntry => ({ table, put }));
  await batchWrite(port, parts, { ...call, keyNames: { [table]: keyNames } });
  try {
    await port.putItem(blockPut(context, hour, made), { ...call, idempotent: true });
    return made;
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
  }
  const { Item } = await port.getItem(
    { TableName: table, Key: blockKey(hour, made.from), ConsistentRead: true },
    call,
  );
  const found = readBlock(Item);
  // A request that was sent twice finds its own block.
  if (found?.name !== made.name || found.phrases !== made.phrases)
    await removeParts(context, hour, made, call);
  return found !== undefined && isSameVersion(found, made) ? found : undefined;
}

/**
 * Removes blocks of earlier versions, which a search would read in vain, and those that cannot be read or have lost parts, which
 * would never be replaced.
 */
async function removeStale(
  context: ShardedContext,
  hour: Hour,
  { late, removed }: HourBlocks,
  call: MailCall,
): Promise<void> {
  const { port, table } = context;
  const version = { late, removed };
  for await (const items of readPartition(context, blocksPartition(hour), {}, call)) {
    for (const item of items) {
      const block = readBlock(item);
      if (
        block !== undefined &&
        isSameVersion(block, version) &&
        (await hasParts(context, hour, block, call))
      )
        continue;
      // Another instance may have replaced it with a newer one.
      const input = {
        TableName: table,
        Key: blockKey(hour, item["sk"]?.S ?? ""),
        ConditionExpression: "late < :late OR (late = :late AND removed <= :removed)",
        ExpressionAttributeValues: { ":late": { N: String(late) }, ":removed": { N: String(removed) } },
      };
      try {
        await port.deleteItem(input, { ...call, idempotent: true });
      } catch (error) {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
        continue;
      }
      if (block !== undefined) await removeParts(context, hour, block, call);
    }
  }
}

async function hasParts(
  { port, table }: ShardedContext,
  hour: Hour,
  block: SignatureBlock,
  call: MailCall,
): Promise<boolean> {
  const parts = storedParts(hour, block);
  const keys = parts.map(({ key }) => ({ table, key }));
  const items = await batchGet(port, keys, { ...call, consistent: true });
  return parts.every((part, at) => part.add(items[at]));
}

async function removeParts(
  { port, table }: ShardedContext,
  hour: Hour,
  block: SignatureBlock,
  call: MailCall,
): Promise<void> {
  const keys = storedParts(hour, block).map(({ key }) => key);
  if (block.phrases !== "") keys.push(...phraseKinds.map((kind) => phrasesKey(hour, block.phrases, kind)));
  const entries = keys.map((key): BatchWriteEntry => ({ table, delete: key }));
  await batchWrite(port, entries, { ...call, keyNames: { [table]: keyNames } });
}

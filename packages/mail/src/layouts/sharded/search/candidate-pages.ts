import { batchGet } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { MailCall } from "../../../model/mail-context.ts";
import type { MailSearch } from "../../../model/mail-search.ts";
import { foldCase } from "../../../search/match-message.ts";
import { queryHashes } from "../../../search/signature.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { allSettled, type Hour } from "../hours/hours.ts";
import { blocksPartition, hourPartition } from "../items/mail-keys.ts";
import { mergeSorted } from "../items/merge-sorted.ts";
import { readPartition } from "../read/read-summaries.ts";
import {
  countOf,
  firstBlock,
  idsInBlock,
  missingParts,
  type SignatureBlock,
  versionName,
} from "../signatures/signature-blocks.ts";
import {
  idsThatMayMatch,
  joinPages,
  pageBefore,
  type SignaturePage,
  signaturePage,
} from "../signatures/signature-page.ts";
import { newestFirst } from "../signatures/stored-signatures.ts";
import { blockGroups, knownBlocks } from "./read-blocks.ts";

/** Signatures in the first request for a partition. */
const firstPage = 100;

/** Settled signatures that are worth joining those in the cache, which are copied for it. */
const fewest = 100;

/** Ids that are merged before they are returned. */
const idsAtOnce = 1000;

type IdPages = AsyncGenerator<readonly string[], void, undefined>;

/** The ids of messages that a page includes. */
type Wanted = (page: SignaturePage) => readonly string[];

/** The search in signatures. */
interface SignatureQuery {
  readonly hashes: Uint32Array;
  readonly decodedText: boolean;
  /** Only ids below this are returned. */
  readonly before: string;
  /** Called with the number of signatures that were compared. */
  readonly onCompared: ((count: number) => void) | undefined;
}

/**
 * Returns the ids of messages of an hour that may match according to their signatures: several sources, each newest first, in pages.
 * Calls `onCompared` with the number of signatures of each page.
 */
export function candidatePages(
  context: ShardedContext,
  hour: Hour,
  { kind, query }: MailSearch,
  before: string | undefined,
  call: MailCall,
  onCompared?: (count: number) => void,
): IdPages[] {
  const signatureQuery: SignatureQuery = {
    hashes: queryHashes(foldCase(query)),
    decodedText: kind === "text",
    before: before ?? allSettled,
    onCompared,
  };
  const wanted = (page: SignaturePage) => {
    onCompared?.(page.ids.length);
    const ids = idsThatMayMatch(page, signatureQuery.hashes, signatureQuery.decodedText);
    return before === undefined ? ids : ids.filter((id) => id < before);
  };
  const stored = context.stored.of(hour);
  if (stored !== undefined) return [storedPages(stored, wanted)];
  const from = floorOf(context, hour);
  const shards = partitionsOf(hour).map((partition) =>
    shardPages(context, hour, partition, from, wanted, call),
  );
  if (from === "") return shards;
  const blocks = blockPages(context, hour, from, { ...signatureQuery, wanted }, call);
  return from === allSettled ? [blocks] : [...shards, blocks];
}

async function* storedPages(pages: readonly SignaturePage[], wanted: Wanted): IdPages {
  yield* newestFirst(pages, wanted);
}

function partitionsOf(hour: Hour): string[] {
  return Array.from({ length: hour.shards }, (_, shard) => hourPartition("s", { ...hour, shard }));
}

/** The id below which signatures are read from blocks; "" if none are. What is in the cache is not read from blocks. */
function floorOf(context: ShardedContext, hour: Hour): string {
  for (const partition of partitionsOf(hour)) {
    const known = context.signatures.get(partition, String(hour.generation));
    if (known !== undefined) return known.from;
  }
  if (hour.blocks === undefined) return "";
  const known = knownBlocks(context, hour);
  return known !== undefined && known.before > hour.blocks.before ? known.before : hour.blocks.before;
}

/** The items of a partition, newest first. The first page is small: often it is enough. */
async function* growingPages(
  context: ShardedContext,
  partition: string,
  from: string,
  call: MailCall,
): AsyncGenerator<readonly Item[], void, undefined> {
  let last: string | undefined;
  for await (const items of readPartition(context, partition, { from, pageSize: firstPage }, call)) {
    yield items;
    if (items.length < firstPage) return;
    last = items.at(-1)?.["sk"]?.S;
    break;
  }
  if (last !== undefined) yield* readPartition(context, partition, { from, before: last }, call);
}

/** Signatures of one shard, from an id on, each in its own item. */
async function* shardPages(
  context: ShardedContext,
  hour: Hour,
  partition: string,
  from: string,
  wanted: Wanted,
  call: MailCall,
): IdPages {
  const version = String(hour.generation);
  const found = context.signatures.get(partition, version);
  const known = found?.from === from ? found : undefined;
  const pages: SignaturePage[] = [];
  if (known?.before !== allSettled) {
    for await (const items of growingPages(context, partition, known?.before ?? from, call)) {
      const page = signaturePage(items);
      pages.push(page);
      yield wanted(page);
    }
  }
  for (const page of known?.pages ?? []) yield wanted(page);
  // Signatures are written before summaries: none is missing for messages that had settled before they were read.
  const { settledBefore: before } = hour;
  const settled = pages.map((page) => pageBefore(page, before)).filter(({ ids }) => ids.length > 0);
  const added = settled.reduce((sum, { ids }) => sum + ids.length, 0);
  context.onSignaturesRead(hour, added);
  if (added < fewest && before !== allSettled) return;
  if (known === undefined || added > 0) {
    const joined = [...settled, ...(known?.pages ?? [])];
    const all = joined.length === 0 ? [] : [joinPages(joined)];
    context.signatures.put(partition, { version, from, before, pages: all });
  }
}

/** A search in blocks, and in the signatures of messages whose block is missing. */
interface BlockQuery extends SignatureQuery {
  readonly wanted: Wanted;
}

/**
 * Ids of all shards below one, from blocks. Where a block is missing or stale, the items of its signatures are read: blocks
 * need not be read consistently.
 */
async function* blockPages(
  context: ShardedContext,
  hour: Hour,
  before: string,
  query: BlockQuery,
  call: MailCall,
): IdPages {
  const known = knownBlocks(context, hour);
  const usable: SignatureBlock[] = [];
  let isComplete = true;
  let upper = before;
  for await (const blocks of blockGroups(context, hour, known, before, call)) {
    const whole = await withParts(context, hour, blocks, query, call);
    for (const block of blocks) {
      if (!whole.has(block)) continue;
      if (block.before < upper) {
        isComplete = false;
        yield* gapPages(context, hour, block.before, upper, query.wanted, call);
      }
      query.onCompared?.(countOf(block));
      const below = [query.before, upper, block.before].sort()[0] as string;
      yield idsInBlock(block, query.hashes, query.decodedText).filter((id) => id < below);
      usable.push(block);
      upper = block.from;
    }
  }
  if (upper > firstBlock) {
    isComplete = false;
    yield* gapPages(context, hour, "", upper, query.wanted, call);
  }
  if (hour.blocks === undefined || !isComplete) return;
  const version = versionName(hour.blocks);
  const [highest] = usable;
  // Again, if parts were added to blocks that are known: their memory counts.
  if (highest !== undefined)
    context.blocks.put(blocksPartition(hour), { version, from: "", before: highest.before, pages: usable });
}

/** Reads the parts of blocks that a search needs. Returns the blocks that have all of them. */
async function withParts(
  context: ShardedContext,
  hour: Hour,
  blocks: readonly SignatureBlock[],
  { hashes, decodedText }: SignatureQuery,
  call: MailCall,
): Promise<ReadonlySet<SignatureBlock>> {
  const whole = new Set(blocks);
  const missing = blocks.flatMap((block) =>
    missingParts(hour, block, hashes, decodedText).map((part) => ({ block, part })),
  );
  if (missing.length === 0) return whole;
  const keys = missing.map(({ part }) => ({ table: context.table, key: part.key }));
  const items = await batchGet(context.port, keys, call);
  missing.forEach(({ block, part }, at) => {
    if (!part.add(items[at])) whole.delete(block);
  });
  return whole;
}

/** Signatures of all shards with ids from one on and below another, each in its own item. */
async function* gapPages(
  context: ShardedContext,
  hour: Hour,
  from: string,
  before: string,
  wanted: Wanted,
  call: MailCall,
): IdPages {
  context.onBlocksMissing(hour);
  const sources = partitionsOf(hour).map(async function* (partition) {
    for await (const items of readPartition(context, partition, { from, before }, call))
      yield wanted(signaturePage(items));
  });
  let ids: string[] = [];
  for await (const id of mergeSorted(sources, (one, other) => one > other)) {
    ids.push(id);
    if (ids.length < idsAtOnce) continue;
    yield ids;
    ids = [];
  }
  yield ids;
}

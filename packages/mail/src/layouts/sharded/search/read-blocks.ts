import { nextTurn } from "../../../model/background-work.ts";
import type { MailCall } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import type { SettledIds } from "../hours/hour-ids.ts";
import { exactBlocks, type Hour } from "../hours/hours.ts";
import { blocksPartition } from "../items/mail-keys.ts";
import { type PartitionRange, readPartition } from "../read/read-summaries.ts";
import {
  firstBlock,
  idsBelow,
  isSameVersion,
  readBlock,
  type SignatureBlock,
  versionName,
} from "../signatures/signature-blocks.ts";
import type { SettledIndex } from "../signatures/signature-page.ts";

/** The blocks of an hour that are in memory. */
export function knownBlocks(context: ShardedContext, hour: Hour): SettledIndex<SignatureBlock> | undefined {
  if (hour.blocks === undefined) return undefined;
  return context.blocks.get(blocksPartition(hour), versionName(hour.blocks));
}

/** The number of blocks whose parts are read together. */
const blocksAtOnce = 16;

/** The current blocks of an hour with ids below one, newest first: those that are not in memory, then the others. The first group is small: often it is enough. */
export async function* blockGroups(
  context: ShardedContext,
  hour: Hour,
  known: SettledIndex<SignatureBlock> | undefined,
  before: string,
  call: MailCall,
): AsyncGenerator<readonly SignatureBlock[], void, undefined> {
  const from = known?.before ?? "";
  if (from < before) yield* readBlocks(context, hour, from, before, call);
  const pages = (known?.pages ?? []).filter((block) => block.from < before);
  yield pages.slice(0, 1);
  for (let at = 1; at < pages.length; at += blocksAtOnce) yield pages.slice(at, at + blocksAtOnce);
}

/** Reads the current blocks of an hour with ids from one on and below another, newest first. */
async function* readBlocks(
  context: ShardedContext,
  hour: Hour,
  from: string,
  before: string,
  call: MailCall,
): AsyncGenerator<readonly SignatureBlock[], void, undefined> {
  const { blocks } = hour;
  if (blocks === undefined) return;
  const partition = blocksPartition(hour);
  let last: string | undefined;
  const read = async function* (range: PartitionRange) {
    const pages = readPartition(context, partition, { ...range, from, consistent: false }, call);
    for await (const items of pages) {
      await nextTurn();
      last = items.at(-1)?.["sk"]?.S;
      yield items.flatMap((item) => {
        const block = readBlock(item);
        return block !== undefined && isSameVersion(block, blocks) ? [block] : [];
      });
      if (range.pageSize === 1) return;
    }
  };
  yield* read({ before, pageSize: 1 });
  if (last !== undefined && last > firstBlock) yield* read({ before: last, pageSize: blocksAtOnce });
}

/** The current blocks of an hour, newest first. Some may be missing. */
export async function* blocksOf(
  context: ShardedContext,
  hour: Hour,
  call: MailCall,
): AsyncGenerator<readonly SignatureBlock[], void, undefined> {
  if (hour.blocks !== undefined)
    yield* blockGroups(context, hour, knownBlocks(context, hour), hour.blocks.before, call);
}

/** Returns the ids of the messages of an hour that exist, as far as there are blocks; undefined if a block is missing, or if blocks may contain other ids. */
export async function existingIdsOfBlocks(
  context: ShardedContext,
  hour: Hour,
  call: MailCall,
): Promise<SettledIds | undefined> {
  const blocks = exactBlocks(hour);
  if (blocks === undefined) return undefined;
  const lists: string[][] = [];
  let upper = blocks.before;
  for await (const group of blockGroups(context, hour, knownBlocks(context, hour), upper, call)) {
    for (const block of group) {
      if (!block.exact || block.before < upper) return undefined;
      lists.push(idsBelow(block, upper));
      upper = block.from;
    }
  }
  const ids = lists.reverse().flat();
  return upper === firstBlock && ids.length === blocks.count ? { ids, before: blocks.before } : undefined;
}

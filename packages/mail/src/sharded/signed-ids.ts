import type { MailSearch } from "../mail.ts";
import type { MailCall } from "../mail-context.ts";
import { mergeSorted } from "../merge-sorted.ts";
import { foldCase } from "../search/fold-case.ts";
import { queryHashes } from "../search/signature.ts";
import type { Hour } from "./hours.ts";
import { hourPartition } from "./keys.ts";
import { liveHours } from "./live-hours.ts";
import { readPartition } from "./read-partition.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { idsThatMayMatch, joinPages, type SignaturePage, signaturePage } from "./signature-page.ts";

/** The ids of messages whose signatures say that they may match, newest first. */
export async function* signedIds(
  context: ShardedContext,
  { kind, query }: MailSearch,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<string, void, undefined> {
  const hashes = queryHashes(foldCase(query));
  const wanted = (page: SignaturePage) => {
    const ids = idsThatMayMatch(page, hashes, kind === "text");
    return before === undefined ? ids : ids.filter((id) => id < before);
  };
  for (const hour of await liveHours(context, before, call)) {
    const shards = Array.from({ length: hour.shards }, (_, shard) => shard);
    const sources = shards.map((shard) => matchingPages(context, hour, shard, wanted, call));
    yield* mergeSorted(sources, (one, other) => one > other);
  }
}

async function* matchingPages(
  context: ShardedContext,
  hour: Hour,
  shard: number,
  wanted: (page: SignaturePage) => string[],
  call: MailCall,
): AsyncGenerator<readonly string[], void, undefined> {
  const partition = hourPartition("s", { hour: hour.hour, shard });
  const known = context.signatures.get(partition, hour.generation);
  if (known !== undefined) {
    yield wanted(known);
    return;
  }
  const pages: SignaturePage[] = [];
  for await (const items of readPartition(context, partition, {}, call)) {
    const page = signaturePage(items);
    pages.push(page);
    yield wanted(page);
  }
  // Signatures come before their messages: of an hour that was over for all clocks before it was read, none is missing.
  if (hour.settled) context.signatures.put(partition, hour.generation, joinPages(pages));
}

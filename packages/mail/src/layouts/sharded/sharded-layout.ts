import { isLive, type MailCall, type MailContext } from "../../model/mail-context.ts";
import type { ChangeStore, MailLayout, NewestRange, RemovalCounter } from "../../model/mail-layout.ts";
import type { MailMessage, MailSummary } from "../../model/message.ts";
import { markMessages } from "./change/mark-messages.ts";
import { removeMessages } from "./change/remove-messages.ts";
import { eraSweeper } from "./change/sweep-eras.ts";
import { commitBatcher } from "./context/commit-batcher.ts";
import type { ShardedContext } from "./context/sharded-context.ts";
import { eraReader, inCurrentEra } from "./hours/eras.ts";
import { hourIds } from "./hours/hour-ids.ts";
import { hourDirectory } from "./hours/hours.ts";
import { bodySource, firstIdAt, idSource, originalId, parseId } from "./items/mail-keys.ts";
import type { SummaryRecord } from "./items/summary-item.ts";
import { changesSince, keptMs } from "./read/change-items.ts";
import { countHours, countMessages, knownCount, liveHours } from "./read/count-messages.ts";
import { loadMessage, loadMessages } from "./read/load-message.ts";
import { hourSummaries, recentReader, recordOf, recordsOf } from "./read/read-summaries.ts";
import { shardedIncoming } from "./receive/incoming-message.ts";
import { blockBuilder } from "./search/build-blocks.ts";
import { findCandidates } from "./search/find-candidates.ts";
import { idsForOffset } from "./search/offset-ids.ts";
import { searchIndex } from "./search/search-index.ts";
import { bytesOfBlock } from "./signatures/signature-blocks.ts";
import { indexCache, pageBytes } from "./signatures/signature-page.ts";
import { storedSignatures } from "./signatures/stored-signatures.ts";

const cacheBytes = 128 * 1024 * 1024;
const storedBytes = 64 * 1024 * 1024;

/** The number of ids that are kept in memory, about 50 bytes each. */
const maxIds = 500_000;

/** Our own layout: small summaries in partitions by hour and shard, bytes in chunks, and index items. */
export function shardedLayout(given: MailContext): MailLayout {
  const form = messageForm(given);
  const eras = eraReader(given);
  const ids = hourIds(maxIds, given.memory);
  const directory = hourDirectory(given, eras, { name: ids.writer, ...form });
  /** Whether this instance writes. One that only reads does not remove anything either. */
  let writes = false;
  const context: ShardedContext = {
    ...given,
    eras,
    ids,
    settledCounts: new Map(),
    hours: {
      enter(name, original) {
        writes = true;
        return directory.enter(name, original);
      },
      async read(call) {
        const found = await directory.read(call);
        if (writes && found.leftovers) sweeper.startIfIdle();
        return found;
      },
    },
    newId: idSource(given.clock, given.shards),
    ...form,
    ...indexCaches(given),
    stored: storedSignatures(ids.writer, storedBytes, given.memory),
    commitBatcher: commitBatcher(),
    onSignaturesRead: (hour, count) => builder.read(hour, count),
    onBlocksMissing: (hour) => builder.missing(hour),
    onCommitted(summary) {
      builder.stored();
      given.onCommitted(summary);
    },
  };
  const sweeper = eraSweeper(context);
  const builder = blockBuilder(context);
  const { records, expose } = exposedRecords();
  return {
    isId: (id) => parseId(id) !== undefined,
    idAt: firstIdAt,
    incoming: (envelope, options, original) => shardedIncoming(context, envelope, options, original),
    originalId,
    async summary(id, call) {
      const record = await recordOf(context, id, call);
      return record && expose(record);
    },
    async message(id, call) {
      const record = await recordOf(context, id, call);
      return record && loadMessage(context, record, call);
    },
    load: (summaries, call) => load(context, summaries, records, call),
    newest: (range, call) => newest(context, range, call, expose),
    candidates: (search, before, call) => findCandidates(context, search, before, call, expose),
    index: searchIndex(context, expose),
    recent: recentReader(context, expose),
    count: (call) => countMessages(context, call),
    remove: (ids, call, removed) => removeMessages(context, ids, call, removed),
    async removeAll(call, removed) {
      if (await endEra(context, call, removed)) sweeper.start();
    },
    timeOf: (id) => parseId(id)?.ms ?? 0,
    changes: changeStore(context, records, expose),
    reclaim: sweeper.run,
    close() {
      sweeper.stop();
      builder.stop();
    },
  };
}

/** Remembers the records of listed summaries: loading them does not read the summaries again. */
function exposedRecords() {
  const records = new WeakMap<MailSummary, SummaryRecord>();
  const expose = (record: SummaryRecord): MailSummary => {
    records.set(record.summary, record);
    return record.summary;
  };
  return { records, expose };
}

/**
 * On the embedded engine, a commit takes as long as the pages that it writes: bodies are stored next to each other, and addresses have
 * no separate items, which would be scattered. On DynamoDB these make a search for an address cheap, and bodies in one partition
 * would exceed its limit.
 */
function messageForm({ port }: MailContext): Pick<ShardedContext, "newBody" | "indexesAddresses"> {
  const embedded = port.atomicBatches === true;
  return { newBody: bodySource(embedded), indexesAddresses: !embedded };
}

function indexCaches({ memory }: MailContext): Pick<ShardedContext, "signatures" | "blocks"> {
  return {
    signatures: indexCache(cacheBytes, memory, pageBytes),
    blocks: indexCache(cacheBytes, memory, bytesOfBlock),
  };
}

function changeStore(
  context: ShardedContext,
  known: WeakMap<MailSummary, SummaryRecord>,
  expose: (record: SummaryRecord) => MailSummary,
): ChangeStore {
  const { eras } = context;
  return {
    mark: (ids, marks, call, onMarked) => markMessages(context, ids, marks, call, onMarked),
    since: (sinceMs, limit, call) => changesSince(context, sinceMs, { limit }, call),
    importsSince: (sinceMs, limit, call) =>
      changesSince(context, sinceMs, { limit, kinds: ["imported"] }, call),
    async summaries(ids, call) {
      const records = await inCurrentEra(eras, call, (era) => recordsOf(context, era, ids, call));
      return records.map((record) => record && expose(record));
    },
    get knownEra() {
      return eras.isKnown ? eras.known : "";
    },
    // Only messages of this era are announced when they are committed.
    eraOf: (summary) => known.get(summary)?.place.era ?? eras.known,
    keptMs,
  };
}

/** Loads listed messages with the locations from the list. */
async function load(
  context: ShardedContext,
  summaries: readonly MailSummary[],
  records: WeakMap<MailSummary, SummaryRecord>,
  call: MailCall,
): Promise<(MailMessage | undefined)[]> {
  const known = summaries.map((summary) => {
    const record = records.get(summary);
    // Missing chunks show that a message was deleted; a message without chunks, or one that expires, is read again.
    return record !== undefined && record.chunks > 0 && isLive(context, summary.expires) ? record : undefined;
  });
  const unknown = summaries.filter((_, at) => known[at] === undefined).map(({ id }) => id);
  const read = (era: string) => recordsOf(context, era, unknown, call);
  const found = (unknown.length === 0 ? [] : await inCurrentEra(context.eras, call, read)).values();
  const all = known.map((record) => record ?? found.next().value);
  const there = all.filter((record) => record !== undefined);
  const messages = (await loadMessages(context, there, call)).values();
  return all.map((record) => (record === undefined ? undefined : messages.next().value));
}

async function* newest(
  context: ShardedContext,
  { before, skip, want }: NewestRange,
  call: MailCall,
  expose: (record: SummaryRecord) => MailSummary,
): AsyncGenerator<MailSummary, void, undefined> {
  let left = skip;
  const { hours } = await context.hours.read(call);
  for (const hour of liveHours(hours, before)) {
    let bound = before;
    if (left > 0 && before === undefined) {
      const count = knownCount(hour);
      const ids =
        count !== undefined && count <= left ? undefined : await idsForOffset(context, hour, left, call);
      const skipped = ids?.length ?? count;
      if (skipped !== undefined && skipped <= left) {
        left -= skipped;
        continue;
      }
      if (ids !== undefined) {
        bound = ids[ids.length - left];
        left = 0;
      }
    }
    // Messages are spread evenly over the shards. Where they are not, more pages are read.
    const pageSize = Math.min(1000, Math.ceil((left + want) / hour.shards) + 8);
    for await (const record of hourSummaries(context, hour, { before: bound, pageSize }, call)) {
      if (left > 0) left--;
      else yield expose(record);
    }
  }
}
/** Deletes all messages by beginning another era. Returns whether there may have been any. */
async function endEra(context: ShardedContext, call: MailCall, removed: RemovalCounter): Promise<boolean> {
  const { era, hours } = await context.hours.read(call);
  const live = liveHours(hours, undefined);
  if (live.length === 0) return false;
  const count = await countHours(context, live, call);
  // If another instance has ended the era after it was read here, all messages are deleted, and it counts them.
  if (!(await context.eras.end(era, call))) return true;
  removed.addAll(count);
  return true;
}

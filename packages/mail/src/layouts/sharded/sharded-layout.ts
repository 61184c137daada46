import type { MailMessage, MailSummary } from "../../model/mail.ts";
import { isLive, type MailCall, type MailContext } from "../../model/mail-context.ts";
import type { MailLayout, NewestRange, RemovalCounter } from "../../model/mail-layout.ts";
import { commitBatcher } from "./commit-batcher.ts";
import { countMessages, knownCount, liveHours } from "./count-messages.ts";
import { findCandidates } from "./find-candidates.ts";
import { hourDirectory } from "./hours.ts";
import { shardedIncoming } from "./incoming-message.ts";
import { firstIdAt, idSource, placeOf } from "./keys.ts";
import { loadMessage, loadMessages } from "./load-message.ts";
import { hourSummaries, recentReader, recordOf, recordsOf } from "./read-summaries.ts";
import { removeMessages, removeRecords } from "./remove-messages.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { signatureCache } from "./signatures.ts";
import type { SummaryRecord } from "./summary-item.ts";

const cacheBytes = 96 * 1024 * 1024;

/** Messages per request of `removeAll`. */
const removedAtOnce = 990;

/** Our own layout: small summaries in partitions by hour and shard, bytes in chunks, and index items. */
export function shardedLayout(given: MailContext): MailLayout {
  const context: ShardedContext = {
    ...given,
    hours: hourDirectory(given),
    newId: idSource(given.clock, given.shards),
    signatures: signatureCache(cacheBytes),
    commitBatcher: commitBatcher(),
  };
  /** The records of listed summaries: loading them does not read the summaries again. */
  const records = new WeakMap<MailSummary, SummaryRecord>();
  const expose = (record: SummaryRecord): MailSummary => {
    records.set(record.summary, record);
    return record.summary;
  };
  return {
    isId: (id) => placeOf(id) !== undefined,
    idBefore: (id, ms) => firstIdAt((placeOf(id)?.ms ?? 0) - ms),
    incoming: (envelope, options) => shardedIncoming(context, envelope, options),
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
    recent: recentReader(context, expose),
    count: (call) => countMessages(context, call),
    remove: (ids, call, removed) => removeMessages(context, ids, call, removed),
    removeAll: (call, removed) => removeAll(context, call, removed),
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
  const found = (await recordsOf(context, unknown, call)).values();
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
  for (const hour of await liveHours(context, before, call)) {
    const known = before === undefined ? knownCount(hour) : undefined;
    if (known !== undefined && known <= left) {
      left -= known;
      continue;
    }
    const pageSize = Math.min(1000, left + want);
    for await (const record of hourSummaries(context, hour, { before, pageSize }, call)) {
      if (left > 0) left--;
      else yield expose(record);
    }
  }
}

async function removeAll(context: ShardedContext, call: MailCall, removed: RemovalCounter): Promise<void> {
  for (const hour of await liveHours(context, undefined, call)) {
    let batch: SummaryRecord[] = [];
    for await (const record of hourSummaries(context, hour, {}, call)) {
      batch.push(record);
      if (batch.length < removedAtOnce) continue;
      await removeRecords(context, batch, call, removed);
      batch = [];
    }
    await removeRecords(context, batch, call, removed);
  }
}

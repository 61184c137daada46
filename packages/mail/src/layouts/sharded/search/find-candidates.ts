import type { MailCall } from "../../../model/mail-context.ts";
import type { Candidate } from "../../../model/mail-layout.ts";
import type { MailSearch } from "../../../model/mail-search.ts";
import { foldCase, matchHeaders } from "../../../search/match-message.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import type { CurrentHours, Hour } from "../hours/hours.ts";
import { addressPartition } from "../items/mail-keys.ts";
import { mergeSorted } from "../items/merge-sorted.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { liveHours } from "../read/count-messages.ts";
import { hourSummaries, readPartition, recordsOf } from "../read/read-summaries.ts";
import { candidatePages } from "./candidate-pages.ts";

/** The number of summaries read in one request. */
const atOnce = 100;

/** Summaries in the first request: a few more than the usual page. */
const atOnceFirst = 60;

/** The public part of a record. */
export type Expose = (record: SummaryRecord) => Candidate["summary"];

/** Whether a record matches; undefined if that requires its message. */
type Judge = (record: SummaryRecord) => boolean | undefined;

/** At least the messages that match, newest first. */
export async function* findCandidates(
  context: ShardedContext,
  search: MailSearch,
  before: string | undefined,
  call: MailCall,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  const { kind, query } = search;
  const directory = await context.hours.read(call);
  const judge = judgeOf(search);
  const isAddress = kind === "sender" || kind === "recipient";
  const signed = isAddress ? directory.hours.filter(({ unaddressed }) => unaddressed) : directory.hours;
  // Signatures do not help with such short queries. Summaries are then read by pages, not one by one.
  if ((kind === "from" || kind === "to" || (isAddress && signed.length > 0)) && query.length < 3) {
    yield* judged(allRecords(context, directory, before, call), judge, expose);
    return;
  }
  const found = signedIds(context, liveHours(signed, before), search, before, call);
  const ids = isAddress ? withAddressed(found, addressIds(context, directory, search, before, call)) : found;
  yield* judged(existingRecords(context, directory.era, ids, call), judge, expose);
}

function judgeOf({ kind, query }: MailSearch): Judge {
  switch (kind) {
    case "from":
    case "to":
      return ({ summary, mailhogFrom, mailhogTo }) =>
        matchHeaders({ kind, query }, summary.envelope, kind === "from" ? mailhogFrom : mailhogTo);
    case "sender":
    case "recipient": {
      const wanted = query.toLowerCase();
      return ({ senders, recipients }) => (kind === "sender" ? senders : recipients).includes(wanted);
    }
    case "text": {
      const wanted = foldCase(query);
      // The subject is part of the decoded text, but not always of the bytes.
      return ({ summary }) => foldCase(summary.subject).includes(wanted) || undefined;
    }
    case "containing":
      return () => undefined;
  }
}

/** The candidates among records: those that match or may match. */
export function candidatesAmong(
  search: MailSearch,
  records: readonly SummaryRecord[],
  expose: Expose,
): Candidate[] {
  return judgedRecords(records, judgeOf(search), expose);
}

async function* judged(
  batches: AsyncIterable<readonly SummaryRecord[]>,
  judge: Judge,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  for await (const records of batches) yield judgedRecords(records, judge, expose);
}

function judgedRecords(records: readonly SummaryRecord[], judge: Judge, expose: Expose): Candidate[] {
  return records.flatMap((record) => {
    const matches = judge(record);
    return matches === false ? [] : { summary: expose(record), matches };
  });
}

async function* allRecords(
  context: ShardedContext,
  { hours }: CurrentHours,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<readonly SummaryRecord[], void, undefined> {
  for (const hour of liveHours(hours, before)) {
    let batch: SummaryRecord[] = [];
    for await (const record of hourSummaries(context, hour, { before }, call)) {
      batch.push(record);
      if (batch.length < atOnce) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}

/** Returns the candidates among ids from an index whose messages exist. */
async function* existingRecords(
  context: ShardedContext,
  era: string,
  ids: AsyncIterable<string>,
  call: MailCall,
): AsyncGenerator<readonly SummaryRecord[], void, undefined> {
  let batch: string[] = [];
  let most = atOnceFirst;
  const readBatch = async () => {
    most = atOnce;
    const records = await recordsOf(context, era, batch, call);
    batch = [];
    return records.filter((record) => record !== undefined);
  };
  for await (const id of ids) {
    batch.push(id);
    if (batch.length >= most) yield await readBatch();
  }
  if (batch.length > 0) yield await readBatch();
}

/** Returns the ids in the items of an address, newest first. */
async function* addressIds(
  context: ShardedContext,
  { era, hours }: CurrentHours,
  { kind, query }: MailSearch,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<string, void, undefined> {
  const role = kind === "sender" ? "sender" : "recipient";
  const shards = Math.max(0, ...hours.map((hour) => hour.shards));
  const address = query.toLowerCase();
  const sources = Array.from({ length: shards }, (_, shard) =>
    readPartition(context, addressPartition(role, address, { era, shard }), { before }, call),
  );
  const idOf = (item: { readonly sk?: { readonly S?: string } }) => item.sk?.S ?? "";
  for await (const row of mergeSorted(sources, (one, other) => idOf(one) > idOf(other))) yield idOf(row);
}

/** Merges the ids of messages that signatures find, and of those that index items find. Some may be both. */
async function* withAddressed(
  signed: AsyncGenerator<string, void, undefined>,
  addressed: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  let last: string | undefined;
  for await (const id of mergeSorted([inPages(signed), inPages(addressed)], (one, other) => one > other)) {
    if (id !== last) yield id;
    last = id;
  }
}

async function* inPages(
  ids: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const id of ids) yield [id];
}

/** Returns the ids of messages that may match according to their signatures, newest first. */
async function* signedIds(
  context: ShardedContext,
  hours: readonly Hour[],
  search: MailSearch,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<string, void, undefined> {
  for (const hour of hours) {
    const sources = candidatePages(context, hour, search, before, call);
    yield* mergeSorted(sources, (one, other) => one > other);
  }
}

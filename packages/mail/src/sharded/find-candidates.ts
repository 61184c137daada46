import type { MailSearch } from "../mail.ts";
import type { MailCall } from "../mail-context.ts";
import type { Candidate } from "../mail-layout.ts";
import { mergeSorted } from "../merge-sorted.ts";
import { matchHeaders } from "../search/match-headers.ts";
import { addressPartition } from "./keys.ts";
import { liveHours } from "./live-hours.ts";
import { readPartition } from "./read-partition.ts";
import { hourSummaries, recordsOf } from "./read-summaries.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { signedIds } from "./signed-ids.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** Messages looked up in one request. */
const atOnce = 100;

/** What the layout gives of a record. */
export type Expose = (record: SummaryRecord) => Candidate["summary"];

/** Whether a record matches; undefined if its message has to be read to tell. */
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
  if (kind === "from" || kind === "to") {
    const judge: Judge = ({ summary, mailhogFrom, mailhogTo }) =>
      matchHeaders({ kind, query }, summary.envelope, kind === "from" ? mailhogFrom : mailhogTo);
    // A signature cannot tell about so few characters: then summaries are read by pages, not one by one.
    if (query.length < 3) yield* judged(allRecords(context, before, call), judge, expose);
    else yield* judged(existing(context, signedIds(context, search, before, call), call), judge, expose);
  } else if (kind === "sender" || kind === "recipient") {
    const ids = addressIds(context, kind, query, before, call);
    yield* judged(existing(context, ids, call), () => true, expose);
  } else {
    const ids = signedIds(context, search, before, call);
    yield* judged(existing(context, ids, call), () => undefined, expose);
  }
}

async function* judged(
  batches: AsyncIterable<readonly SummaryRecord[]>,
  judge: Judge,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  for await (const records of batches) {
    yield records.flatMap((record) => {
      const matches = judge(record);
      return matches === false ? [] : { summary: expose(record), matches };
    });
  }
}

async function* allRecords(
  context: ShardedContext,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<readonly SummaryRecord[], void, undefined> {
  for (const hour of await liveHours(context, before, call)) {
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

/** Those of the ids that an index gave whose messages are there. */
async function* existing(
  context: ShardedContext,
  ids: AsyncIterable<string>,
  call: MailCall,
): AsyncGenerator<readonly SummaryRecord[], void, undefined> {
  let batch: string[] = [];
  const look = async () => {
    const records = await recordsOf(context, batch, call);
    batch = [];
    return records.filter((record) => record !== undefined);
  };
  for await (const id of ids) {
    batch.push(id);
    if (batch.length >= atOnce) yield await look();
  }
  if (batch.length > 0) yield await look();
}

/** The ids in the rows of an address, newest first. */
async function* addressIds(
  context: ShardedContext,
  role: "sender" | "recipient",
  query: string,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<string, void, undefined> {
  const hours = await context.hours.read(call);
  const shards = Math.max(0, ...hours.map((hour) => hour.shards));
  const address = query.toLowerCase();
  const sources = Array.from({ length: shards }, (_, shard) =>
    readPartition(context, addressPartition(role, address, shard), { before }, call),
  );
  const idOf = (item: { readonly sk?: { readonly S?: string } }) => item.sk?.S ?? "";
  for await (const row of mergeSorted(sources, (one, other) => idOf(one) > idOf(other))) yield idOf(row);
}

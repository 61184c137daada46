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

/** At least the messages that match, newest first. */
export async function* findCandidates(
  context: ShardedContext,
  search: MailSearch,
  before: string | undefined,
  call: MailCall,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  switch (search.kind) {
    case "from":
    case "to":
      yield* byHeaders(context, { ...search, kind: search.kind }, before, call, expose);
      return;
    case "sender":
    case "recipient":
      yield* existing(
        context,
        addressIds(context, search.kind, search.query, before, call),
        true,
        call,
        expose,
      );
      return;
    default:
      yield* existing(context, signedIds(context, search, before, call), undefined, call, expose);
  }
}

async function* byHeaders(
  context: ShardedContext,
  search: MailSearch & { readonly kind: "from" | "to" },
  before: string | undefined,
  call: MailCall,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  for (const hour of await liveHours(context, before, call)) {
    let batch: Candidate[] = [];
    for await (const record of hourSummaries(context, hour, { before }, call)) {
      const header = search.kind === "from" ? record.mailhogFrom : record.mailhogTo;
      const matches = matchHeaders(search, record.summary.envelope, header);
      if (matches === false) continue;
      batch.push({ summary: expose(record), matches });
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
  matches: true | undefined,
  call: MailCall,
  expose: Expose,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  let batch: string[] = [];
  const look = async () => {
    const records = await recordsOf(context, batch, call);
    batch = [];
    return records.flatMap((record) => (record === undefined ? [] : { summary: expose(record), matches }));
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

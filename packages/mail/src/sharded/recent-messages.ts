import type { MailSummary } from "../mail.ts";
import type { MailCall } from "../mail-context.ts";
import { settlingMs } from "./hours.ts";
import { firstIdAt, hourOf } from "./message-id.ts";
import { hourSummaries } from "./read-summaries.ts";
import type { ShardedContext } from "./sharded-context.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** How long the number of shards that others use is believed. */
const directoryMs = 30_000;

/** Reads the latest messages: one request a shard, and once in a while one more to learn how many shards there are. */
export function recentReader(
  context: ShardedContext,
  expose: (record: SummaryRecord) => MailSummary,
): (sinceMs: number, call: MailCall) => Promise<MailSummary[]> {
  const { clock } = context;
  let shards = context.shards;
  let learntAt = Number.NEGATIVE_INFINITY;
  return async (sinceMs, call) => {
    if (clock.monotonic() - learntAt > directoryMs) {
      const hours = await context.hours.read(call);
      const asked = hours.filter(({ hour }, at) => at < 2 || hour >= hourOf(sinceMs));
      shards = Math.max(context.shards, ...asked.map((hour) => hour.shards));
      learntAt = clock.monotonic();
    }
    const found: MailSummary[] = [];
    // A clock of another machine may be ahead.
    for (const hour of hoursBetween(sinceMs, clock.now() + settlingMs)) {
      const range = { from: firstIdAt(sinceMs), first: "oldest", consistent: false } as const;
      for await (const record of hourSummaries(context, { hour, shards }, range, call))
        found.push(expose(record));
    }
    return found;
  };
}

function hoursBetween(from: number, to: number): string[] {
  const hours: string[] = [];
  for (let ms = from; hourOf(ms) <= hourOf(to); ms += 3_600_000) hours.push(hourOf(ms));
  return hours;
}

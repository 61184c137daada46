import type { ChangeRecord } from "./change-source.ts";

/** A shard with a page of records, for merging. */
export interface PagedShard {
  readonly page: readonly ChangeRecord[];
  /** Whether all available records have been read. */
  readonly atEnd: boolean;
  /** Whether no page follows. */
  readonly ended: boolean;
  /** The time up to which everything has been read; undefined if unknown. */
  readonly seenUntil: number | undefined;
  take(count: number): readonly ChangeRecord[];
}

/**
 * Takes from the shards' pages the records up to a time that every shard has reached, and returns them by creation time. So no
 * shard runs more than one page ahead of the others. Records of one shard keep their order.
 */
export function takeLevel(shards: readonly PagedShard[]): ChangeRecord[] {
  const [only] = shards;
  // Most streams of the engine have one shard: its page is level with itself.
  if (only !== undefined && shards.length === 1) return [...only.take(only.page.length)];
  const bound = Math.min(...shards.map(reachedBy));
  const taken = shards.flatMap((shard) => {
    const beyond = shard.page.findIndex(({ createdAt }) => createdAt > bound);
    return withTimes(shard.take(beyond === -1 ? shard.page.length : beyond));
  });
  // Sorting is stable, and the times of one shard never fall.
  return taken.sort((one, two) => one.time - two.time).map(({ record }) => record);
}

/** The time up to which a shard is known. Shards that have nothing more at the moment do not hold up the others. */
function reachedBy({ page, atEnd, ended, seenUntil }: PagedShard): number {
  if (atEnd || ended) return Number.POSITIVE_INFINITY;
  if (page.length === 0) return seenUntil ?? 0;
  return page.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0);
}

function withTimes(records: readonly ChangeRecord[]): { record: ChangeRecord; time: number }[] {
  let time = 0;
  return records.map((record) => {
    time = Math.max(time, record.createdAt);
    return { record, time };
  });
}

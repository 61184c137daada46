import type { Item } from "@tablekeep/core";
import type { WriteRange } from "@tablekeep/journal/changes";
import { FeedError } from "../feed-error.ts";
import { BytesReader, BytesWriter } from "./page-bytes.ts";
import { mapIn, numberIn, requiredNumberIn, sequenceIn, textIn } from "./stored-attributes.ts";

/** A write in a feed. */
export interface FeedRef extends WriteRange {
  /** The tags of all its events. Undefined if unknown. */
  readonly tags?: readonly string[];
  /** Whether it may follow a later write of its id, because its record arrived after the window. */
  readonly late?: boolean;
}

/** A page of a slice: writes in order, whose events have consecutive offsets. */
export interface FeedPage {
  /** Its place in the slice, from 0. */
  readonly number: number;
  /** The offset of its first event in the slice. */
  readonly first: number;
  /** The number of its events, including those that have been deleted since. */
  readonly count: number;
  readonly refs: readonly FeedRef[];
  /** The highest sequence number of the stream in this page or any before, by shard. Shards below the checkpoint may be missing. */
  readonly hi: ReadonlyMap<string, bigint>;
  /** When it was written, in milliseconds. */
  readonly at: number;
  /** Identifies the put that wrote it. */
  readonly by: string;
  /** Identifies the put of the page before it. Undefined for the first page of a slice, and if unknown. */
  readonly after?: string;
  /** The generation that has followed: this page ends its slice, and none can be appended after it. Undefined for all other pages. */
  readonly followedBy?: number;
}

/** Returns a name for a write. Its sequence number alone is not enough: a purged id begins at 1 again. */
export function refName({
  persistenceId,
  first,
  mark,
}: Pick<FeedRef, "persistenceId" | "first" | "mark">): string {
  return `${first}.${mark}.${persistenceId}`;
}

/** Returns the number of events of a write. */
export function eventCount({ first, last }: Pick<FeedRef, "first" | "last">): number {
  return last - first + 1;
}

/** Returns the number of events of writes. */
export function countEvents(writes: readonly Pick<FeedRef, "first" | "last">[]): number {
  let count = 0;
  for (const write of writes) count += eventCount(write);
  return count;
}

const version = 1;
const flags = { late: 1, tags: 2 };

/** Returns the attributes of a page, except for its key. */
export function encodePage({ first, count, refs, hi, at, by, after, followedBy }: FeedPage): Item {
  const shards: Record<string, { S: string }> = {};
  for (const [shard, sequence] of hi) shards[shard] = { S: String(sequence) };
  return {
    first: { N: String(first) },
    count: { N: String(count) },
    refs: { B: encodeRefs(refs) },
    hi: { M: shards },
    at: { N: String(at) },
    by: { S: by },
    ...(after !== undefined && { after: { S: after } }),
    ...(followedBy !== undefined && { followed_by: { N: String(followedBy) } }),
  };
}

/** Reads a page. Throws `FEED_PAGE_CORRUPT` for an item in another format. */
export function decodePage(item: Item, slice: number, number: number): FeedPage {
  try {
    const refs = decodeRefs(item["refs"]?.B ?? new Uint8Array());
    const count = requiredNumberIn(item, "count");
    const found = countEvents(refs);
    if (count !== found) throw new RangeError(`it has ${found} events, not ${count}`);
    const marks = Object.entries(mapIn(item, "hi"));
    const hi = marks.map(([shard, value]) => [shard, sequenceIn(value, "hi")] as const);
    const followedBy = numberIn(item, "followed_by");
    const after = textIn(item, "after");
    return {
      number,
      first: requiredNumberIn(item, "first"),
      count,
      refs,
      hi: new Map(hi),
      at: requiredNumberIn(item, "at"),
      by: textIn(item, "by") ?? "",
      ...(after !== undefined && { after }),
      ...(followedBy !== undefined && { followedBy }),
    };
  } catch (error) {
    throw pageCorrupt(slice, number, error instanceof Error ? error.message : String(error), error);
  }
}

/** Returns the error for a page that no sequencer writes in this form. */
export function pageCorrupt(
  slice: number,
  page: number,
  reason: string,
  cause?: unknown,
): FeedError<"FEED_PAGE_CORRUPT"> {
  return new FeedError(
    "FEED_PAGE_CORRUPT",
    `page ${page} of slice ${slice} is corrupt: ${reason} (restore the item from a backup, or rebuild the feed)`,
    { slice, page, reason },
    { cause },
  );
}

/** Returns the approximate number of bytes of a write in a page. */
export function refBytes({ persistenceId, tags }: FeedRef): number {
  let bytes = persistenceId.length + 20;
  if (tags !== undefined) for (const tag of tags) bytes += tag.length + 2;
  return bytes;
}

function encodeRefs(refs: readonly FeedRef[]): Uint8Array {
  const names = [...new Set(refs.flatMap(({ tags = [] }) => tags))];
  const places = new Map(names.map((name, at) => [name, at]));
  const bytes = new BytesWriter();
  bytes.number(version);
  bytes.number(names.length);
  for (const name of names) bytes.text(name);
  for (const ref of refs) {
    bytes.text(ref.persistenceId);
    bytes.number(ref.first);
    bytes.number(eventCount(ref));
    bytes.number(ref.mark);
    bytes.number((ref.late === true ? flags.late : 0) + (ref.tags === undefined ? 0 : flags.tags));
    if (ref.tags === undefined) continue;
    bytes.number(ref.tags.length);
    for (const tag of ref.tags) bytes.number(places.get(tag) as number);
  }
  return bytes.take();
}

function decodeRefs(encoded: Uint8Array): FeedRef[] {
  const bytes = new BytesReader(encoded);
  const found = bytes.number();
  if (found !== version) throw new RangeError(`unknown version ${found}`);
  const names = Array.from({ length: bytes.number() }, () => bytes.text());
  const refs: FeedRef[] = [];
  while (!bytes.isAtEnd) {
    const persistenceId = bytes.text();
    const first = bytes.number();
    const last = first + bytes.number() - 1;
    const mark = bytes.number();
    const flag = bytes.number();
    const ref = { persistenceId, first, last, mark, ...(flag & flags.late && { late: true }) };
    if ((flag & flags.tags) === 0) refs.push(ref);
    else
      refs.push({ ...ref, tags: Array.from({ length: bytes.number() }, () => names[bytes.number()] ?? "") });
  }
  return refs;
}

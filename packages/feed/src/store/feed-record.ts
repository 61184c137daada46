import type { AttributeValue, Item } from "@tablekeep/core";
import { virtualSlices } from "../pages/slices.ts";
import {
  listIn,
  mapIn,
  numberIn,
  numberOf,
  requiredNumberIn,
  sequenceIn,
  textIn,
} from "../pages/stored-attributes.ts";

/** The stored state of a feed. */
export interface FeedRecord {
  /** Raised by every rebuild: positions of another generation are not valid. */
  readonly generation: number;
  readonly slices: number;
  /** The stream that the feed is made of. */
  readonly arn: string;
  /** `sweeping`: the journal is being compared with the feed, and missing events are added. `live`: the feed follows the stream. */
  readonly state: "sweeping" | "live";
  /** When the last sweep ended, in milliseconds. 0 if none has. */
  readonly sweptAt: number;
  /** Whether it is made of a stream without images: then each event counts as a separate write. Undefined while unknown. */
  readonly keysOnly?: boolean;
  /** Earlier generations whose pages have not been removed yet. @default none */
  readonly old?: readonly OldGeneration[];
  /** Items that the last sweep could not read. @default none */
  readonly unreadable?: UnreadableItems;
}

/** Items of a journal that do not show which writes they have: their events may be missing in the feed. */
export interface UnreadableItems {
  readonly count: number;
  /** The first of them, at most ten. `code`: the code of the error that reading the item throws. */
  readonly items: readonly {
    readonly persistenceId: string;
    readonly sequenceNr: number;
    readonly code: string;
  }[];
}

/** A generation that another has followed. */
export interface OldGeneration {
  readonly generation: number;
  readonly slices: number;
}

/** How much of a stream is in the feed. */
export interface Checkpoint {
  /** Raised with every change. 0 if nothing is stored. */
  readonly version: number;
  readonly arn: string;
  /** Every record up to this one is in pages, by shard. */
  readonly shards: ReadonlyMap<string, bigint>;
  /** The time up to which each shard was read when its mark was taken. */
  readonly times: ReadonlyMap<string, number>;
  /** The time up to which all shards were read, in milliseconds. */
  readonly seenUntil: number;
  /** The last known number of pages of each slice: where to look for the newest. */
  readonly tails: readonly number[];
}

/** Encodes a feed record, except for its key. */
export function encodeFeedRecord(record: FeedRecord): Item {
  const { generation, slices, arn, state, sweptAt, keysOnly, old = [], unreadable } = record;
  return {
    format: { N: "1" },
    generation: { N: String(generation) },
    slices: { N: String(slices) },
    arn: { S: arn },
    feed_state: { S: state },
    swept_at: { N: String(sweptAt) },
    ...(keysOnly !== undefined && { keys_only: { BOOL: keysOnly } }),
    ...(old.length > 0 && { old: { L: old.map(encodeOld) } }),
    ...(unreadable && { unreadable: encodeUnreadable(unreadable) }),
  };
}

function encodeUnreadable({ count, items }: UnreadableItems): AttributeValue {
  const encoded = items.map(({ persistenceId, sequenceNr, code }) => ({
    M: { id: { S: persistenceId }, number: { N: String(sequenceNr) }, code: { S: code } },
  }));
  return { M: { count: { N: String(count) }, items: { L: encoded } } };
}

function decodeUnreadable(item: Item): UnreadableItems {
  const items = listIn(item, "items").map(({ M = {} }) => ({
    persistenceId: textIn(M, "id") ?? "",
    sequenceNr: requiredNumberIn(M, "number"),
    code: textIn(M, "code") ?? "",
  }));
  return { count: requiredNumberIn(item, "count"), items };
}

function encodeOld({ generation, slices }: OldGeneration): AttributeValue {
  return { M: { generation: { N: String(generation) }, slices: { N: String(slices) } } };
}

function decodeOld({ M = {} }: AttributeValue): OldGeneration {
  return { generation: requiredNumberIn(M, "generation"), slices: slicesIn(M) };
}

function slicesIn(item: Item): number {
  const slices = requiredNumberIn(item, "slices");
  if (slices <= virtualSlices && Number.isInteger(Math.log2(slices))) return slices;
  throw new RangeError(`attribute slices is not a power of two from 1 to ${virtualSlices}`);
}

/** Reads a feed record. Throws RangeError for an item in another format. */
export function decodeFeedRecord(item: Item): FeedRecord {
  const keysOnly = item["keys_only"]?.BOOL;
  const old = listIn(item, "old");
  const unreadable = mapIn(item, "unreadable");
  return {
    generation: requiredNumberIn(item, "generation"),
    slices: slicesIn(item),
    arn: textIn(item, "arn") ?? "",
    state: textIn(item, "feed_state") === "live" ? "live" : "sweeping",
    sweptAt: numberIn(item, "swept_at") ?? 0,
    ...(keysOnly !== undefined && { keysOnly }),
    ...(old.length > 0 && { old: old.map(decodeOld) }),
    ...(Object.keys(unreadable).length > 0 && { unreadable: decodeUnreadable(unreadable) }),
  };
}

/** Encodes a checkpoint, except for its key. */
export function encodeCheckpoint({ version, arn, shards, times, seenUntil, tails }: Checkpoint): Item {
  const marks = [...shards].map(([shard, sequence]) => {
    const at = { N: String(times.get(shard) ?? 0) };
    return [shard, { M: { sequence: { S: String(sequence) }, at } }] as const;
  });
  return {
    version: { N: String(version) },
    arn: { S: arn },
    shards: { M: Object.fromEntries(marks) },
    seen_until: { N: String(seenUntil) },
    tails: { L: tails.map((tail) => ({ N: String(tail) })) },
  };
}

/** Reads a checkpoint. Throws RangeError for an item in another format: as 0, a mark would be one that all records are behind. */
export function decodeCheckpoint(item: Item): Checkpoint {
  const marks = Object.entries(mapIn(item, "shards"));
  return {
    version: requiredNumberIn(item, "version"),
    arn: textIn(item, "arn") ?? "",
    shards: new Map(marks.map(([shard, { M }]) => [shard, sequenceIn(M?.["sequence"], "shards")])),
    times: new Map(marks.map(([shard, { M = {} }]) => [shard, numberIn(M, "at") ?? 0])),
    seenUntil: numberIn(item, "seen_until") ?? 0,
    tails: listIn(item, "tails").map((tail) => numberOf(tail, "tails")),
  };
}

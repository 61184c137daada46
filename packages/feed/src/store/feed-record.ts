import type { AttributeValue, Item } from "@tablekeep/core";

/** What is stored about a feed. */
export interface FeedRecord {
  /** Raised by every rebuild: positions of another generation are not valid. */
  readonly generation: number;
  readonly slices: number;
  /** The stream that the feed is made of. */
  readonly arn: string;
  /** `sweeping`: what the journal has is being compared with the feed and added. `live`: the feed follows the stream. */
  readonly state: "sweeping" | "live";
  /** When the last sweep ended, in milliseconds. 0 if none has. */
  readonly sweptAt: number;
  /** Whether it is made of a stream without images: then each event counts as a separate write. Undefined until it is known. */
  readonly keysOnly?: boolean;
  /** Earlier generations whose pages have not been removed yet. @default none */
  readonly old?: readonly OldGeneration[];
}

/** A generation that another has followed. */
export interface OldGeneration {
  readonly generation: number;
  readonly slices: number;
}

/** How far a stream is in the feed. */
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
  /** The number of pages of each slice, as far as was known: where to look for the newest. */
  readonly tails: readonly number[];
}

/** Encodes a feed record, except for its key. */
export function encodeFeedRecord(record: FeedRecord): Item {
  const { generation, slices, arn, state, sweptAt, keysOnly, old = [] } = record;
  return {
    format: { N: "1" },
    generation: { N: String(generation) },
    slices: { N: String(slices) },
    arn: { S: arn },
    feed_state: { S: state },
    swept_at: { N: String(sweptAt) },
    ...(keysOnly !== undefined && { keys_only: { BOOL: keysOnly } }),
    ...(old.length > 0 && { old: { L: old.map(encodeOld) } }),
  };
}

function encodeOld({ generation, slices }: OldGeneration): AttributeValue {
  return { M: { generation: { N: String(generation) }, slices: { N: String(slices) } } };
}

function decodeOld({ M = {} }: AttributeValue): OldGeneration {
  return { generation: Number(M["generation"]?.N), slices: Number(M["slices"]?.N) };
}

/** Reads a feed record. */
export function decodeFeedRecord(item: Item): FeedRecord {
  const keysOnly = item["keys_only"]?.BOOL;
  const old = item["old"]?.L;
  return {
    generation: Number(item["generation"]?.N),
    slices: Number(item["slices"]?.N),
    arn: item["arn"]?.S ?? "",
    state: item["feed_state"]?.S === "live" ? "live" : "sweeping",
    sweptAt: Number(item["swept_at"]?.N ?? 0),
    ...(keysOnly !== undefined && { keysOnly }),
    ...(old !== undefined && { old: old.map(decodeOld) }),
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

/** Reads a checkpoint. */
export function decodeCheckpoint(item: Item): Checkpoint {
  const marks = Object.entries(item["shards"]?.M ?? {});
  return {
    version: Number(item["version"]?.N ?? 0),
    arn: item["arn"]?.S ?? "",
    shards: new Map(marks.map(([shard, { M }]) => [shard, BigInt(M?.["sequence"]?.S ?? "0")])),
    times: new Map(marks.map(([shard, { M }]) => [shard, Number(M?.["at"]?.N ?? 0)])),
    seenUntil: Number(item["seen_until"]?.N ?? 0),
    tails: (item["tails"]?.L ?? []).map(({ N }) => Number(N)),
  };
}

import type { CommittedChange } from "@tablekeep/core";
import { viewOfItem } from "../answer/item-answer.ts";
import { type StreamRecord, shardId } from "../catalog/stream-catalog.ts";
import type { Change } from "./change.ts";
import { sequenceNumber } from "./stream-records.ts";

/** Receives each change to a table with a stream, once it is durable. Must not throw. */
export type StreamListener = (change: CommittedChange) => void;

interface Watcher {
  readonly listener: StreamListener;
  readonly restored: (() => void) | undefined;
}

interface WatchedStream {
  readonly watchers: Set<Watcher>;
  readonly shard: string;
  /** The sequence number before the first record. */
  readonly base: bigint;
  readonly showsImages: boolean;
  readonly showsOldImages: boolean;
}

/** Reports the records of streams to listeners in this process, in the order of the commits. */
export class StreamWatchers {
  readonly #watched = new Map<string, WatchedStream>();

  /** Reports every record of a stream from now on, and restored states. Returns a function that stops it. */
  add(stream: StreamRecord, listener: StreamListener, restored?: () => void): () => void {
    const { id, viewType } = stream;
    const watched = this.#watched.get(id) ?? {
      watchers: new Set(),
      shard: shardId(stream),
      base: BigInt(sequenceNumber(stream, 0)),
      showsImages: viewType === "NEW_IMAGE" || viewType === "NEW_AND_OLD_IMAGES",
      showsOldImages: viewType === "OLD_IMAGE" || viewType === "NEW_AND_OLD_IMAGES",
    };
    this.#watched.set(id, watched);
    const watcher = { listener, restored };
    watched.watchers.add(watcher);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0) this.#watched.delete(id);
    };
  }

  /** Reports that the storage has returned to an earlier state. */
  reportRestore(): void {
    for (const { watchers } of this.#watched.values()) for (const { restored } of watchers) restored?.();
  }

  /** Returns what reports a record once it is committed, with its number in the stream; undefined if there are no listeners. */
  reporter(streamId: string, change: Change, now: number): ((count: number) => void) | undefined {
    const watched = this.#watched.get(streamId);
    return watched && ((count) => report(watched, count, change, now));
  }
}

function report(
  { watchers, shard, base, showsImages, showsOldImages }: WatchedStream,
  count: number,
  change: Change,
  now: number,
) {
  const { before, after } = change;
  const record: CommittedChange = {
    kind: before === undefined ? "insert" : after === undefined ? "remove" : "modify",
    sequence: base + BigInt(count),
    shard,
    createdAt: Math.floor(now / 1000) * 1000,
    image: () => (showsImages && after !== undefined ? viewOfItem(after.item) : undefined),
    before: () => (showsOldImages && before !== undefined ? viewOfItem(before.item) : undefined),
  };
  for (const { listener } of watchers) listener(record);
}

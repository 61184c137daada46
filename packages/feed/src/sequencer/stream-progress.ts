import type { Checkpoint } from "../store/feed-record.ts";
import type { ChangeBatch, ShardPosition } from "../stream/change-source.ts";
import type { PendingWrite } from "./write-order.ts";

/** The progress of reading the shards of a stream. */
export class StreamProgress {
  readonly #positions = new Map<string, ShardPosition>();
  readonly #gone = new Set<string>();

  add({ positions, gone = [] }: ChangeBatch): void {
    for (const [shard, position] of positions) this.#positions.set(shard, position);
    for (const shard of gone) {
      this.#positions.delete(shard);
      this.#gone.add(shard);
    }
  }

  /** The time up to which every shard has been read. */
  get seenUntil(): number {
    let earliest = Number.MAX_SAFE_INTEGER;
    for (const { seenUntil, closed } of this.#positions.values())
      if (!closed) earliest = Math.min(earliest, seenUntil);
    return this.#positions.size === 0 ? 0 : earliest;
  }

  /**
   * Returns the checkpoint raised to what is in pages: for each shard the last record before the first that waits. Marks are facts, so
   * they only rise, whichever process stores them.
   */
  raised(checkpoint: Checkpoint, waiting: Iterable<PendingWrite>, tails: readonly number[]): Checkpoint {
    const lowest = new Map<string, PendingWrite>();
    for (const write of waiting) {
      if (write.shard === undefined || write.sequence === undefined) continue;
      const before = lowest.get(write.shard)?.sequence;
      if (before === undefined || write.sequence < before) lowest.set(write.shard, write);
    }
    const shards = new Map(checkpoint.shards);
    const times = new Map(checkpoint.times);
    for (const [shard, { sequence, seenUntil }] of this.#positions) {
      const first = lowest.get(shard);
      const mark = first?.sequence === undefined ? sequence : first.sequence - 1n;
      if (mark !== undefined && mark >= (shards.get(shard) ?? 0n)) shards.set(shard, mark);
      // Times are whole seconds: those of the record itself may be of others before it.
      const time = first === undefined ? seenUntil : Math.min(seenUntil, first.createdAt - 1000);
      if (time > (times.get(shard) ?? 0) && shards.has(shard)) times.set(shard, time);
    }
    for (const shard of this.#gone) {
      shards.delete(shard);
      times.delete(shard);
    }
    // A stream that was disabled has no end that could be reached.
    const until = this.seenUntil === Number.MAX_SAFE_INTEGER ? checkpoint.seenUntil : this.seenUntil;
    const seenUntil = Math.max(checkpoint.seenUntil, until);
    return { ...checkpoint, shards, times, seenUntil, tails };
  }
}

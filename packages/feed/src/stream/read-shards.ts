import { sleep } from "@tablekeep/core";
import { requestSignal } from "../signals.ts";
import type { ChangeBatch, ReadChangesOptions } from "./change-source.ts";
import { currentStream, listShards } from "./list-shards.ts";
import { takeLevel } from "./merge-pages.ts";
import type { ShardReader } from "./shard-reader.ts";
import { ShardTree } from "./shard-tree.ts";
import { changedError } from "./stream-errors.ts";
import type { StreamSettings } from "./stream-options.ts";

/** The maximum number of concurrent requests. */
const concurrency = 16;

/** The wait before shards are listed again because the children of an ended shard are missing. */
const missingChildrenMs = 1000;

/**
 * Reads a stream from the given positions until the signal aborts: all open shards in turn, at most one page of each ahead of the
 * caller. Throws `FEED_STREAM_CHANGED` once a disabled stream has been read to its end.
 */
export async function* readShards(
  settings: StreamSettings,
  from: ReadonlyMap<string, bigint>,
  options: ReadChangesOptions,
): AsyncGenerator<ChangeBatch> {
  const signal = requestSignal(options.signal);
  const reading = new StreamReading(settings, new ShardTree(settings, from, options), signal);
  try {
    for (;;) {
      signal.throwIfAborted();
      const batch = await reading.nextBatch();
      if (batch !== undefined) yield batch;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The state of reading one stream. */
class StreamReading {
  readonly #settings: StreamSettings;
  readonly #tree: ShardTree;
  readonly #signal: AbortSignal;
  #listAt = Number.NEGATIVE_INFINITY;

  constructor(settings: StreamSettings, tree: ShardTree, signal: AbortSignal) {
    this.#settings = settings;
    this.#tree = tree;
    this.#signal = signal;
  }

  /** Reads the shards that are due, and returns what can be passed on; undefined if no position changed. */
  async nextBatch(): Promise<ChangeBatch | undefined> {
    const tree = this.#tree;
    const gone = await this.#listIfDue();
    const changed = new Set<ShardReader>(tree.advance());
    await this.#checkComplete();
    const now = this.#settings.clock.monotonic();
    const due = tree.open.filter(({ wantsRead, nextReadAt }) => wantsRead && nextReadAt <= now);
    for (let at = 0; at < due.length; at += concurrency) {
      await Promise.all(due.slice(at, at + concurrency).map((shard) => shard.read(this.#signal)));
    }
    if (due.some(({ ended, missing }) => ended || missing)) gone.push(...(await this.#list()));
    const records = takeLevel(tree.open);
    for (const shard of [...due, ...shardsOf(records, tree.open), ...tree.advance()]) changed.add(shard);
    if (changed.size > 0 || gone.length > 0) {
      const positions = new Map([...changed].map((shard) => [shard.id, shard.position]));
      return { records, positions, ...(gone.length > 0 && { gone }) };
    }
    await this.#sleepUntilDue();
    return undefined;
  }

  async #listIfDue(): Promise<string[]> {
    return this.#settings.clock.monotonic() < this.#listAt ? [] : this.#list();
  }

  async #list(): Promise<string[]> {
    const { clock, describeMs } = this.#settings;
    const startedAt = clock.monotonic();
    const pause = (ms: number) => sleep(clock, ms, this.#signal);
    const gone = this.#tree.update(await listShards(this.#settings, this.#signal, pause));
    const waitMs = this.#tree.lacksChildren ? Math.min(missingChildrenMs, describeMs) : describeMs;
    this.#listAt = startedAt + waitMs;
    return gone;
  }

  async #checkComplete(): Promise<void> {
    if (!this.#tree.isComplete) return;
    throw changedError(this.#settings.arn, await currentStream(this.#settings, this.#signal), true);
  }

  async #sleepUntilDue(): Promise<void> {
    const { clock } = this.#settings;
    const times = this.#tree.open.filter(({ wantsRead }) => wantsRead).map(({ nextReadAt }) => nextReadAt);
    const ms = Math.min(this.#listAt, ...times) - clock.monotonic();
    if (ms > 0) await sleep(clock, ms, this.#signal);
  }
}

function shardsOf(records: ChangeBatch["records"], shards: readonly ShardReader[]): ShardReader[] {
  const ids = new Set(records.map(({ shard }) => shard));
  return shards.filter(({ id }) => ids.has(id));
}

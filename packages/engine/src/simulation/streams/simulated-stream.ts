import { createHash } from "node:crypto";
import { streamSeries } from "../../catalog/storage-keys.ts";
import type { StreamRecord } from "../../catalog/stream-catalog.ts";
import { decodeChange, timeOfChange } from "../../change/change-record.ts";
import { scanSeries } from "../../storage/series.ts";
import type { Storage } from "../../storage/storage.ts";
import type { StreamBehavior } from "../behavior-options.ts";
import type { SimulatedChance } from "../simulated-chance.ts";
import { type HiddenRecord, SimulatedShard } from "./simulated-shard.ts";

/** AWS has a shard for each partition of a table; a test needs only a few. */
const maxOpenShards = 8;

/**
 * A stream whose records are spread over shards and shown late. It is computed from the stored records, which are in the order of
 * commits: the shard of a record by its keys and by the records before it, its delay by the seed.
 */
export class SimulatedStream {
  readonly #stream: StreamRecord;
  readonly #behavior: StreamBehavior;
  readonly #random: SimulatedChance;
  readonly #shards: SimulatedShard[] = [];
  #hidden: HiddenRecord[] = [];
  /** When the last record of an item is shown. */
  readonly #shownAt = new Map<string, number>();
  /** The last stored record that was read. */
  #count = 0;
  #sequence = 0;

  constructor(stream: StreamRecord, behavior: StreamBehavior, random: SimulatedChance) {
    this.#stream = stream;
    this.#behavior = behavior;
    this.#random = random;
    const { shards = 1 } = behavior;
    for (let at = 0; at < shards; at++) this.#open([at / shards, (at + 1) / shards], undefined);
  }

  /** The number of stored records that it contains. */
  get count(): number {
    return this.#count;
  }

  /** The shards, those that are listed no longer included. */
  get shards(): readonly SimulatedShard[] {
    return this.#shards;
  }

  /** Reads new records from the storage, shows those whose time has come, and trims old ones. */
  update(storage: Storage, now: number, closed: boolean): void {
    scanSeries(storage, streamSeries(this.#stream.id), this.#count + 1, (count, text) => {
      this.#add(count, text);
      return true;
    });
    if (closed) for (const shard of this.#shards) shard.full = true;
    this.show(now);
    const { retentionMs = 24 * 60 * 60 * 1000 } = this.#behavior;
    for (const shard of this.#shards) shard.trim(now - retentionMs);
  }

  /** Shows the records whose time has come. */
  show(now: number): void {
    const due = this.#hidden.filter(({ showAt }) => showAt <= now);
    if (due.length === 0) return;
    this.#hidden = this.#hidden.filter(({ showAt }) => showAt > now);
    due.sort((one, two) => one.showAt - two.showAt || one.count - two.count);
    for (const { shard, time, text } of due) shard.show({ sequence: ++this.#sequence, time, text });
  }

  #add(count: number, text: string): void {
    this.#count = count;
    const item = decodeChange(this.#stream, text).keys.toJson();
    const shard = this.#shardOf(item);
    shard.assigned++;
    const time = timeOfChange(text);
    const lag = this.#random.pick(`stream lag ${this.#stream.id}`, this.#behavior.lagMs ?? 0);
    const showAt = Math.max(time + lag, this.#shownAt.get(item) ?? 0);
    this.#shownAt.set(item, showAt);
    this.#hidden.push({ count, shard, showAt, time, text });
  }

  /** Returns the open shard of an item. Closes it first, and opens its children, if it is full. */
  #shardOf(item: string): SimulatedShard {
    const hash = createHash("sha256").update(item).digest().readUInt32BE(0) / 2 ** 32;
    const find = () => this.#shards.find((shard) => shard.covers(hash)) as SimulatedShard;
    const shard = find();
    if (shard.assigned < shard.limit) return shard;
    shard.full = true;
    const [from, to] = shard.range;
    const middle = (from + to) / 2;
    const open = this.#shards.filter(({ full }) => !full).length;
    const parts: [number, number][] =
      open + 2 > maxOpenShards
        ? [[from, to]]
        : [
            [from, middle],
            [middle, to],
          ];
    for (const part of parts) this.#open(part, shard);
    return find();
  }

  #open(range: readonly [number, number], parent: SimulatedShard | undefined): void {
    const { createdAt, id } = this.#stream;
    const index = this.#shards.length;
    const name = Buffer.from(id, "latin1").toString("hex") + index.toString(16).padStart(4, "0");
    const { shardRecords = Number.POSITIVE_INFINITY } = this.#behavior;
    this.#shards.push(
      new SimulatedShard({
        id: `shardId-${String(createdAt).padStart(20, "0")}-${name}`,
        index,
        parent,
        range,
        start: this.#sequence + 1,
        limit: this.#random.pick(`shard records ${id}`, shardRecords),
      }),
    );
  }
}

import type { SeededRandom } from "@tablekeep/testkit";
import type { ChangeBatch, ChangeRecord, ChangeSource, ShardPosition } from "../src/index.ts";

const shardCount = 3;
/** A record may be shown this many ticks late. */
const longestDelay = 8;
export const tickMs = 1000;

/**
 * A stream that shows the changes of a real one in any order that DynamoDB allows: only the changes to one item are in order, and the items of an
 * id are in different shards. Its time is counted in ticks.
 */
export class ReorderedStream implements ChangeSource {
  readonly arn: string;
  readonly #random: SeededRandom;
  readonly #start = Date.now() - 10_000_000;
  readonly #shards: ChangeRecord[][] = Array.from({ length: shardCount }, () => []);
  #flying: { readonly record: ChangeRecord; readonly arrives: number; readonly shard: number }[] = [];
  readonly #lastOf = new Map<string, number>();
  #tick = 0;
  #isOver = false;

  constructor(arn: string, random: SeededRandom) {
    this.arn = arn;
    this.#random = random;
  }

  /** Adds changes that are committed now. */
  add(records: readonly ChangeRecord[]): void {
    for (const record of records) {
      this.tick();
      const item = JSON.stringify(record.keys);
      const arrives = Math.max(this.#lastOf.get(item) ?? 0, this.#tick + this.#random.int(0, longestDelay));
      this.#lastOf.set(item, arrives);
      const shard =
        Array.from(item).reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1009, 7) % shardCount;
      this.#flying.push({ record: { ...record, createdAt: this.#time(this.#tick) }, arrives, shard });
    }
  }

  tick(): void {
    this.#tick++;
    const due = this.#flying.filter(({ arrives }) => arrives <= this.#tick);
    this.#flying = this.#flying.filter(({ arrives }) => arrives > this.#tick);
    for (const { record, shard } of due.sort((one, two) => one.arrives - two.arrives)) {
      const records = this.#shards[shard] ?? [];
      records.push({ ...record, shard: `s${shard}`, sequence: BigInt(records.length + 1) });
    }
  }

  /** Shows everything, and that nothing else comes. */
  end(): void {
    for (let tick = 0; tick <= longestDelay; tick++) this.tick();
    this.#isOver = true;
  }

  #time(tick: number): number {
    return this.#start + tick * tickMs;
  }

  async *read(
    from: ReadonlyMap<string, bigint>,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ChangeBatch> {
    const positions = new Map<string, ShardPosition>();
    for (let shard = 0; shard < shardCount; shard++)
      positions.set(`s${shard}`, {
        sequence: from.get(`s${shard}`),
        seenUntil: 0,
        closed: false,
        parents: [],
      });
    yield { records: [], positions: new Map(positions) };
    while (!signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      const shard = this.#random.int(0, shardCount - 1);
      const before = positions.get(`s${shard}`) as ShardPosition;
      const all = this.#shards[shard] ?? [];
      const start = Number(before.sequence ?? 0n);
      const records = all.slice(start, start + this.#random.int(1, 10));
      const newest = records.reduce((latest, { createdAt }) => Math.max(latest, createdAt), before.seenUntil);
      const isAtEnd = start + records.length === all.length;
      const end = this.#isOver ? Date.now() + 1_000_000 : this.#time(this.#tick - 1);
      const seenUntil = isAtEnd ? Math.max(newest, end) : newest;
      const sequence = records.at(-1)?.sequence ?? before.sequence;
      positions.set(`s${shard}`, { ...before, sequence, seenUntil });
      yield { records, positions: new Map([[`s${shard}`, { ...before, sequence, seenUntil }]]) };
    }
  }
}

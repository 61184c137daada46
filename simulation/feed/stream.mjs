/** How many ticks a record may take until it is in its shard, and how coarse the times of records are. */
export const longestDelay = 8;
export const granularity = 3;

const hashes = 16;

/**
 * A stream of changes. It promises the order of the changes to one item, and each record once; nothing else. Shards split at any
 * moment; the parent must be read to its end before its children.
 */
export class Stream {
  shards = [];
  #world;
  #flying = [];
  #lastOf = new Map();

  constructor(world) {
    this.#world = world;
    for (let at = 0; at < 2; at++) this.#open(at * (hashes / 2), (at + 1) * (hashes / 2), []);
  }

  #open(from, to, parents) {
    this.shards.push({ name: `s${this.shards.length}`, from, to, parents, records: [], closed: false });
  }

  /** Adds a change to an item that is committed now. `partition` decides its shard. */
  add(change, partition) {
    const { now } = this.#world;
    const after = this.#lastOf.get(change.key) ?? 0;
    const arrives = Math.max(after, now + this.#world.below(longestDelay + 1));
    this.#lastOf.set(change.key, arrives);
    const createdAt = now - (now % granularity);
    this.#flying.push({ ...change, createdAt, arrives, hash: hashOf(partition) });
  }

  get isQuiet() {
    return this.#flying.length === 0;
  }

  /** Time has passed: records arrive. */
  deliver() {
    const due = this.#flying.filter(({ arrives }) => arrives <= this.#world.now);
    this.#flying = this.#flying.filter(({ arrives }) => arrives > this.#world.now);
    // Of one item in order (the sort is stable), everything else in any.
    due.sort((one, other) => one.arrives - other.arrives);
    for (const record of due) {
      const shard = this.shards.find(
        ({ closed, from, to }) => !closed && record.hash >= from && record.hash < to,
      );
      shard.records.push({ ...record, shard: shard.name, sequence: shard.records.length + 1 });
    }
  }

  split() {
    const open = this.shards.filter(({ closed, from, to }) => !closed && to - from > 1);
    if (open.length === 0) return;
    const shard = this.#world.pick(open);
    shard.closed = true;
    const middle = (shard.from + shard.to) / 2;
    this.#open(shard.from, middle, [shard.name]);
    this.#open(middle, shard.to, [shard.name]);
    this.#world.say(shard.name, "splits");
  }

  /** The request that lists shards. */
  list() {
    return this.shards.map(({ name, parents }) => ({ name, parents }));
  }

  /** The request that reads a shard after a sequence number. */
  read(name, after, limit) {
    const { records, closed } = this.shards.find((shard) => shard.name === name);
    const found = records.slice(after, after + limit);
    const isAtEnd = after + found.length === records.length;
    return { records: found, isAtEnd, isFinished: isAtEnd && closed };
  }
}

function hashOf(text) {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.codePointAt(0)) % 1009;
  return hash % hashes;
}

import { granularity } from "./stream.mjs";

const ids = ["a", "b", "c", "d", "e"];

/**
 * A journal as a stream shows it: writes of one item, of several, and staged ones; compactions, deletions and purges. Every id has one writer
 * at a time. A `mark` names a write: of two lives of an id it tells events with the same number apart.
 */
export class Journal {
  /** Every write that was ever committed, in order. */
  committed = [];
  #world;
  #stream;
  #bucket;
  #ids = new Map();

  constructor(world, stream) {
    this.#world = world;
    this.#stream = stream;
    // How many numbers a partition has: the buckets of an id are in different shards.
    this.#bucket = world.pick([2, 3, 1000]);
    for (const id of ids) this.#ids.set(id, { id, life: 1, next: 1, items: new Map(), staged: undefined });
  }

  /** Whether changes are in the stream. Before it was switched on they are not. */
  isStreaming = false;

  get ids() {
    return [...this.#ids.keys()];
  }

  /** Something happens to some id. */
  change() {
    const one = this.#ids.get(this.#world.pick(ids));
    const dice = this.#world.random();
    if (one.staged !== undefined) return this.#endStage(one);
    if (dice < 0.5) return this.#append(one, 1);
    if (dice < 0.7) return this.#append(one, 2);
    if (dice < 0.8) return this.#stage(one);
    if (dice < 0.88) return this.#compact(one);
    if (dice < 0.96) return this.#delete(one);
    return this.#purge(one);
  }

  /** The request that reads all writes of an id that are there, whole and in order. */
  writesOf(id) {
    const writes = new Map();
    for (const { rows } of this.#liveItems(this.#ids.get(id)))
      for (const write of rows) writes.set(write.mark, write);
    return [...writes.values()].sort((one, other) => one.first - other.first);
  }

  /**
   * The request that reads the write before a number: its mark, and when it was written. Undefined if it is deleted. Staged ones are
   * committed much later than they say.
   */
  writeBefore(id, first) {
    const write = this.writesOf(id).find(({ last }) => last === first - 1);
    return write && { mark: write.mark, time: write.wasStaged ? Number.POSITIVE_INFINITY : write.time };
  }

  isThere(write) {
    return this.writesOf(write.id).some(({ mark }) => mark === write.mark);
  }

  #liveItems({ items }) {
    return [...items.values()].filter(({ tombstone, staged }) => !tombstone && !staged);
  }

  #newWrite(one, count) {
    const { id, life, next } = one;
    const mark = this.#world.newId("w");
    // A life has one writer after the other, and no two lives have the same.
    if (next === 1 || this.#world.chance(0.3)) one.writer = mark;
    const { writer } = one;
    return { id, life, first: next, last: next + count - 1, mark, writer, time: this.#world.now };
  }

  #set(one, number, item) {
    const isNew = !one.items.has(number);
    one.items.set(number, item);
    this.#show(one, number, isNew ? "insert" : "modify", item);
  }

  /** Puts an item of a write. One that takes the place of a dead staged item says so. */
  #put(one, number, item) {
    this.#set(one, number, one.items.has(number) ? { ...item, over: true } : item);
  }

  #show(one, number, kind, image) {
    if (!this.isStreaming) return;
    const partition = `${one.id}${number < 0 ? "commit" : Math.floor(number / this.#bucket)}`;
    this.#stream.add({ kind, key: `${one.id}#${number}`, id: one.id, number, image }, partition);
  }

  #remove(one, number) {
    one.items.delete(number);
    this.#show(one, number, "remove");
  }

  #commit(one, write) {
    one.next = write.last + 1;
    one.at = this.#world.now;
    this.committed.push({ ...write, streamed: this.isStreaming });
    this.#world.say("commit", write.id, `${write.first}..${write.last}`, write.mark, `life ${write.life}`);
  }

  /** One item with several events, or one transaction of several items. */
  #append(one, items) {
    const write = this.#newWrite(one, items + this.#world.below(3));
    const cut = items === 1 ? write.last + 1 : write.first + 1;
    this.#put(one, write.first, { rows: [write], before: 0, last: cut - 1 });
    if (items > 1) this.#put(one, cut, { rows: [write], before: cut - write.first, last: write.last });
    this.#commit(one, write);
  }

  #stage(one) {
    const write = { ...this.#newWrite(one, 3), wasStaged: true };
    one.staged = write;
    for (const number of [write.first + 1, write.last])
      this.#set(one, number, {
        rows: [write],
        before: number - write.first,
        last: number,
        staged: true,
      });
  }

  /** Its commit record makes all of it count; or it is given up, and its items go, or are left dead. */
  #endStage(one) {
    const write = one.staged;
    one.staged = undefined;
    if (this.#world.chance(0.3)) return;
    if (this.#world.chance(0.3)) {
      for (const number of [write.first + 1, write.last]) this.#remove(one, number);
      return;
    }
    // Readers count staged items by the record; here they simply become ordinary ones, which no stream shows.
    for (const number of [write.first + 1, write.last])
      one.items.set(number, { ...one.items.get(number), staged: false });
    const kind = one.items.has(write.first) ? "modify" : "insert";
    one.items.set(write.first, { rows: [write], before: 0, last: write.first });
    this.#show(one, write.first, kind, { ...one.items.get(write.first), staged: true });
    this.#set(one, -write.first, { commits: write, tombstone: true });
    this.#commit(one, write);
  }

  #compact(one) {
    const items = this.#liveItems(one).sort((left, right) => left.rows[0].first - right.rows[0].first);
    if (items.length < 2) return;
    const [first, ...others] = [...one.items].filter(([, item]) => items.includes(item)).slice(0, 3);
    const rows = [...new Set([first, ...others].flatMap(([, item]) => item.rows))];
    this.#set(one, first[0], { ...first[1], rows, over: undefined });
    for (const [number] of others) this.#set(one, number, { rows: [], tombstone: true });
  }

  #delete(one) {
    const live = [...one.items].filter(([, item]) => !item.tombstone && !item.staged);
    if (live.length < 3) return;
    for (const [number] of live.slice(0, 2)) this.#set(one, number, { rows: [], tombstone: true });
  }

  /** Long enough after the last append that records of two lives never have the same time. */
  #purge(one) {
    if (one.at + granularity > this.#world.now) return;
    for (const number of [...one.items.keys()]) this.#remove(one, number);
    one.life++;
    one.next = 1;
    this.#world.say("purge", one.id);
  }
}

import { append, pageOf, tailOf } from "./pages.mjs";
import { granularity, longestDelay } from "./stream.mjs";
import { lost } from "./world.mjs";

export const slices = 2;
/** How long a record may be late, in ticks, without the order within an id suffering. */
const window = longestDelay + granularity + 1;

function sliceOf(id) {
  return id.codePointAt(0) % slices;
}

/** What names a write. Its number alone does not: a purged id begins at 1 again. */
function nameOf({ id, first, mark }, fault) {
  return fault === "identity-without-write" ? `${id}:${first}` : `${id}:${first}:${mark}`;
}

function isSweeping(record) {
  return record.state === "sweeping";
}

/** What a change says about writes; undefined if nothing. */
function writeOf({ kind, image }, fault) {
  if (kind === "remove") return undefined;
  if (kind === "modify" && fault !== "modify-is-event" && !(image.over && fault !== "modify-never-event"))
    return undefined;
  if (image.commits !== undefined) return fault === "staged-rows" ? undefined : image.commits;
  if (image.tombstone) return undefined;
  if (image.staged) return fault === "staged-rows" && image.before > 1 ? image.rows[0] : undefined;
  return image.before === 0 || fault === "every-item-is-write" ? image.rows[0] : undefined;
}

/** Whether a held write of the same id comes before another. By time, and by number where the times are the same. */
function precedes(other, { id, first, createdAt }) {
  if (other.id !== id || other.createdAt > createdAt) return false;
  return other.first < first || (first === 1 && other.createdAt < createdAt);
}

/** Whether a write follows what is fed of its id. The number alone does not say it: it may be that of the next life. */
function isNext(known, { first, writer, before }) {
  if (known === undefined || known.last + 1 !== first) return false;
  return known.writer === writer || (before !== undefined && before.mark === known.mark);
}

/**
 * A sequencer: reads changes by shards, and appends what they say to the pages of slices. Any number may run at the same time, and each
 * may end between any two requests. Every `yield` is one request.
 */
export class Sequencer {
  constructor(world, { stream, journal }, { fault } = {}) {
    Object.assign(this, { world, stream, journal, fault });
    this.name = world.newId("q");
    this.window = fault === "small-window" || fault === "drop-late" ? 2 : window;
    /** Writes in pages whose records have not been read. */
    this.seen = new Set();
    /** The last number that is in the feed or about to be, by id, with the time of its record. Lower bounds. */
    this.fed = new Map();
    this.held = [];
    this.buffers = Array.from({ length: slices }, () => []);
    this.tails = Array(slices).fill(0);
    this.ends = Array(slices).fill(0);
    this.hi = Array.from({ length: slices }, () => ({}));
    this.shards = new Map();
  }

  /** Whether there is something to read, or something that was read is not in the feed. */
  get isBusy() {
    const isRead = ({ name, at }) => this.stream.read(name, at, 1).records.length === 0;
    const isKnown = this.shards.size === this.stream.shards.length;
    const isWaiting = this.held.length > 0 || this.buffers.some(({ length }) => length > 0);
    return isWaiting || !isKnown || ![...this.shards.values()].every(isRead);
  }

  *run() {
    yield* this.start();
    while (this.isSweeping) yield* this.sweep();
    for (;;) yield* this.work();
  }

  *work() {
    const dice = this.world.random();
    if (dice < 0.06) yield* this.listShards();
    else if (dice < 0.6) yield* this.readShard();
    else if (dice < 0.85) yield* this.flush(this.world.below(slices));
    else if (dice < 0.97) yield* this.raiseCheckpoint();
    else this.forget();
    // A turn without a request would never end.
    yield { call: () => {} };
  }

  *start() {
    let record;
    while (record === undefined) {
      yield {
        write: [{ key: "record", when: (item) => item === undefined, to: () => ({ state: "sweeping" }) }],
      };
      record = yield { get: "record" };
    }
    this.isSweeping = record.state === "sweeping";
    const checkpoint = yield { get: "checkpoint" };
    this.checkpoint = checkpoint ?? { version: 0, shards: {}, seenUntil: Number.NEGATIVE_INFINITY };
    // The stream may yet show what a sweep has fed.
    const isSwept = record.state === "live" && this.checkpoint.seenUntil > record.sweptAt + window;
    const isWhole = !isSwept && this.fault !== "sweep-forgotten";
    for (let slice = 0; slice < slices; slice++) yield* this.readBack(slice, isWhole);
    yield* this.listShards();
  }

  /** Reads pages from the newest back to those whose records are all below the checkpoint. */
  *readBack(slice, isWhole) {
    this.tails[slice] = yield* tailOf(this.world, slice);
    for (let at = this.tails[slice] - 1; at >= 0; at--) {
      const page = yield* pageOf(slice, at);
      if (at === this.tails[slice] - 1) {
        this.ends[slice] = page.first + page.count;
        this.hi[slice] = { ...page.hi };
        if (this.fault === "skip-by-newest-page") this.skip = { ...this.skip, [slice]: page.hi };
      }
      const hi = this.fault === "hi-of-page-only" ? page.own : page.hi;
      const isBelow = Object.entries(hi).every(([shard, at]) => at <= (this.checkpoint.shards[shard] ?? 0));
      // By how far the stream was read: with a backlog the clock is far ahead.
      const isOld = page.at + 2 * this.window < this.checkpoint.seenUntil;
      if (!isBelow || isWhole) for (const ref of page.refs) this.seen.add(nameOf(ref, this.fault));
      if (!isOld || isWhole) for (const ref of page.refs.toReversed()) this.warm(ref, page.at);
      if (isBelow && isOld && !isWhole) break;
    }
    if (this.fault === "skip-by-newest-page") this.seen.clear();
  }

  /** Pages are read from the newest back: the first ref of an id that is met is its newest. */
  warm({ id, last, mark }, at) {
    if (!this.fed.has(id)) this.fed.set(id, { last, mark, at });
  }

  /** Writes refs of everything that the journal has. What is appended meanwhile is in the stream too. */
  *sweep() {
    if (this.fault === "stream-after-sweep") this.skipShards = true;
    for (const id of this.journal.ids) {
      // Read after every page that is known: after a conflict it is read again.
      for (let isDone = false; !isDone; ) isDone = yield* this.sweepId(id);
      if (!this.isSweeping) return;
    }
    const sweptAt = this.world.now;
    const to = () => ({ state: "live", sweptAt });
    yield { write: [{ key: "record", when: isSweeping, to }] };
    this.isSweeping = isSweeping(yield { get: "record" });
  }

  *sweepId(id) {
    const slice = sliceOf(id);
    const writes = yield { call: () => this.journal.writesOf(id) };
    this.buffers[slice] = writes
      .filter((write) => !this.seen.has(nameOf(write, this.fault)))
      .map((write) => ({ ...write, swept: true }));
    while (this.buffers[slice].length > 0) {
      if (yield* this.flush(slice)) continue;
      this.buffers[slice] = [];
      this.isSweeping = isSweeping(yield { get: "record" });
      return !this.isSweeping;
    }
    return true;
  }

  *listShards() {
    const list = yield { call: () => this.stream.list() };
    if (list === lost) return;
    for (const { name, parents } of list) {
      if (this.shards.has(name)) continue;
      const start = this.checkpoint.shards[name] ?? 0;
      const at = this.skipShards ? this.stream.shards.find((one) => one.name === name).records.length : start;
      // Everything before the children is in the parents, and is read first.
      const times = parents.map((parent) => this.shards.get(parent)?.time ?? Number.NEGATIVE_INFINITY);
      this.shards.set(name, { name, parents, at, time: Math.min(...times, Number.POSITIVE_INFINITY) });
      if (parents.length === 0) this.shards.get(name).time = Number.NEGATIVE_INFINITY;
    }
    this.skipShards = false;
  }

  *readShard() {
    const ready = [...this.shards.values()].filter(
      ({ isFinished, parents }) =>
        !isFinished &&
        (this.fault === "children-first" || parents.every((parent) => this.shards.get(parent)?.isFinished)),
    );
    if (ready.length === 0) return;
    const shard = this.world.pick(ready);
    const asked = this.world.now;
    const limit = 1 + this.world.below(4);
    const answer = yield { call: () => this.stream.read(shard.name, shard.at, limit) };
    if (answer === lost) return;
    for (const record of answer.records) {
      // First the write, then the position: a crash between the two reads it again.
      yield* this.take(record);
      shard.at = record.sequence;
      shard.time = Math.max(shard.time, record.createdAt);
    }
    if (answer.isAtEnd && !answer.isFinished) shard.time = Math.max(shard.time, asked - 1);
    shard.isFinished = answer.isFinished;
    this.settle();
  }

  /** The time up to which every shard has been read. A finished shard counts until its children are known. */
  get seenUntil() {
    if (this.fault === "wall-clock") return this.world.now;
    const parents = new Set([...this.shards.values()].flatMap((shard) => shard.parents));
    const counted = [...this.shards.values()].filter(
      ({ name, isFinished }) =>
        !isFinished || (!parents.has(name) && this.fault !== "closed-shard-forgotten"),
    );
    return Math.min(...counted.map(({ time }) => time));
  }

  *take(record) {
    const write = writeOf(record, this.fault);
    if (write === undefined) return;
    const entry = { ...write, shard: record.shard, sequence: record.sequence, createdAt: record.createdAt };
    const skip = this.skip?.[sliceOf(write.id)]?.[record.shard];
    if (skip !== undefined && record.sequence <= skip) return;
    if (this.seen.delete(nameOf(write, this.fault))) {
      if (write.last > (this.fed.get(write.id)?.last ?? 0)) this.note(entry);
      return;
    }
    const known = this.fed.get(write.id);
    if (write.first === 1 ? known !== undefined : !isNext(known, entry)) {
      entry.before = yield { call: () => this.journal.writeBefore(write.id, write.first) };
      // Perhaps of a life that has ended, and that another has followed.
      entry.late = !(yield { call: () => this.journal.isThere(write) });
    }
    this.place(entry);
  }

  place(entry) {
    const verdict = this.judge(entry);
    if (verdict === "hold") this.held.push(entry);
    else if (verdict !== "drop") this.emit({ ...entry, late: entry.late || verdict === "late" });
  }

  /** Whether a write may follow now, or must wait for the records of those before it. */
  judge(entry) {
    const { id, first, before, createdAt } = entry;
    const known = this.fed.get(id);
    const hasPassed = createdAt + this.window < this.seenUntil;
    if (this.fault !== "held-unread" && this.held.some((other) => precedes(other, entry))) return "hold";
    // Where an id begins again, all of its earlier life must have come.
    const isAhead = createdAt > this.seenUntil + this.window;
    if (first === 1) return (known === undefined && !isAhead) || hasPassed ? "emit" : "hold";
    if (known !== undefined) {
      if (isNext(known, entry)) return "emit";
      // Late, or of a life whose beginning is on its way.
      if (first <= known.last) return hasPassed ? (this.fault === "drop-late" ? "drop" : "late") : "hold";
      if (this.fault === "exact-fed") return "hold";
    }
    // One that is deleted says nothing about its record.
    const isOld = before !== undefined && before.time + this.window < this.seenUntil;
    return isOld || hasPassed ? "emit" : "hold";
  }

  emit(entry) {
    this.buffers[sliceOf(entry.id)].push(entry);
    this.note(entry);
  }

  /** Number 1 begins a life of an id. */
  note({ id, first, last, mark, writer, late, createdAt = this.world.now }) {
    const known = this.fed.get(id);
    const at = Math.max(createdAt, known?.at ?? createdAt);
    const isNewest = known === undefined || (first === 1 && !late) || last > known.last;
    this.fed.set(id, isNewest ? { last, mark, writer, at } : { ...known, at });
  }

  /** Places what no longer needs to be held, lowest first. */
  settle() {
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      this.held.sort((one, other) => one.createdAt - other.createdAt || one.first - other.first);
      for (const entry of [...this.held]) {
        this.held.splice(this.held.indexOf(entry), 1);
        const count = this.held.length;
        this.place(entry);
        if (this.held.length === count) isChanged = true;
      }
    }
  }

  *flush(slice) {
    const buffer = this.buffers[slice];
    if (buffer.length === 0) return;
    const refs = buffer.slice(0, 1 + this.world.below(4));
    const page = this.newPage(slice, refs);
    const isSwept = refs.some(({ swept }) => swept);
    const outcome = yield* append(this, slice, page, isSwept);
    if (outcome !== "mine") {
      yield* this.absorb(slice);
      return false;
    }
    buffer.splice(0, refs.length);
    this.world.say(
      this.name,
      "page",
      refs.map(({ id, first, last, late }) => `${id}${first}..${last}${late ? "!" : ""}`),
    );
    this.tails[slice]++;
    this.ends[slice] = page.first + page.count;
    this.hi[slice] = page.hi;
    // The stream will show what was swept.
    for (const ref of refs.filter(({ swept }) => swept)) {
      this.seen.add(nameOf(ref, this.fault));
      this.note(ref);
    }
    return true;
  }

  newPage(slice, refs) {
    const own = {};
    for (const { shard, sequence } of refs)
      if (shard !== undefined) own[shard] = Math.max(own[shard] ?? 0, sequence);
    const hi = { ...this.hi[slice] };
    for (const [shard, at] of Object.entries(own)) hi[shard] = Math.max(hi[shard] ?? 0, at);
    const count = refs.reduce((total, { first, last }) => total + last - first + 1, 0);
    return {
      first: this.ends[slice],
      count,
      refs: refs.map(({ id, first, last, mark, life, late }) => ({ id, first, last, mark, life, late })),
      hi,
      own,
      at: this.world.now,
      by: this.world.newId("p"),
    };
  }

  /** Another sequencer was first: what is in its pages is not written again. */
  *absorb(slice) {
    for (;;) {
      const page = yield* pageOf(slice, this.tails[slice]);
      if (page === undefined) break;
      this.tails[slice]++;
      this.ends[slice] = page.first + page.count;
      this.hi[slice] = { ...page.hi };
      if (this.fault === "absorb-ignored") continue;
      for (const ref of page.refs) this.absorbRef(slice, ref);
    }
    this.settle();
  }

  absorbRef(slice, ref) {
    const isSame = (entry) => nameOf(entry, this.fault) === nameOf(ref, this.fault);
    const buffered = this.buffers[slice].findIndex(isSame);
    const held = this.held.findIndex(isSame);
    const entry = buffered >= 0 ? this.buffers[slice][buffered] : this.held[held];
    if (buffered >= 0) this.buffers[slice].splice(buffered, 1);
    else if (held >= 0) this.held.splice(held, 1);
    if (entry === undefined || entry.swept) this.seen.add(nameOf(ref, this.fault));
    this.note(ref);
    // What is fed after a later one, or after the beginning of the next life, is flagged.
    const earlier = buffered >= 0 ? this.buffers[slice].slice(0, buffered) : this.buffers[slice];
    const begins = ref.first === 1 ? [...earlier, ...this.held] : [];
    for (const other of [...begins, ...this.buffers[slice].filter(({ first }) => first <= ref.last)])
      if (other.id === ref.id && other.first !== 1) other.late = true;
  }

  /** A low-water mark: everything up to it is in pages. It only ever rises. */
  *raiseCheckpoint() {
    const shards = { ...this.checkpoint.shards };
    const waiting = [...this.held, ...this.buffers.flat()];
    for (const { name, at } of this.shards.values()) {
      const low = waiting.filter(({ shard }) => shard === name).map(({ sequence }) => sequence - 1);
      const mark = this.fault === "reading-position-checkpoint" ? at : Math.min(at, ...low);
      shards[name] = Math.max(shards[name] ?? 0, mark);
    }
    const { version } = this.checkpoint;
    const seenUntil = Math.max(this.checkpoint.seenUntil, this.seenUntil);
    const to = () => ({ version: version + 1, shards, seenUntil });
    yield { write: [{ key: "checkpoint", when: (item) => (item?.version ?? 0) === version, to }] };
    // Whichever sequencer wrote it: marks are facts, and are merged by their maximum.
    const stored = yield { get: "checkpoint" };
    if (stored !== undefined && stored !== lost) this.checkpoint = stored;
  }

  /** Forgets the ids that have not been seen for longer than the window. */
  forget() {
    for (const [id, { at }] of this.fed)
      if (at + 2 * this.window < this.seenUntil && !this.held.some((entry) => entry.id === id))
        this.fed.delete(id);
  }
}

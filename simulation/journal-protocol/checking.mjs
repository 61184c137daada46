import { deletedByOriginal, originalHighest } from "./original.mjs";
import { Violation } from "./world.mjs";

/** Every event is there once, in order. */
function checkOnce(rows) {
  const places = new Map();
  for (const [at, { seq, writeId, origin = writeId, index = 0 }] of rows.entries()) {
    if (at > 0 && rows[at - 1].seq >= seq)
      throw new Violation(`number ${seq} is replayed after ${rows[at - 1].seq}`);
    const event = `${origin}, ${index}`;
    if (writeId !== undefined && places.has(event))
      throw new Violation(`${event} is replayed at ${places.get(event)} and at ${seq}`);
    places.set(event, seq);
  }
}

/** The results reported to the clients of a walk so far, and what must follow from them. */
export class Truth {
  /** The write id at each sequence number, once a client has seen it there. */
  #history = new Map();
  #acked = [];
  /** Writes that were reported as not stored. */
  #refused = new Set();
  /** Writes that the original failed to complete, by the last number that each lacks. */
  #halfBatches = new Map();
  #highest = 0;
  /** Under strict fencing: the epoch in which each writer took the id over, and the highest number that it found. */
  #takenOver = new Map();
  /** Counts the lives of the id: it gets a new one when it is purged, and when its journal is restored. */
  #life = 1;
  #stops = 0;
  /** Ids of writes that belong to no event of this life: spans of their numbers. */
  #former = [];
  /** Whether the journal was purged or restored without its snapshots. */
  #mayBeAhead = false;
  /** All that {@link seenByOriginal} depends on, at its last look. */
  #lastSeen = [];

  get life() {
    return this.#life;
  }

  /** What is known now: a replay that begins now must show it. */
  known() {
    return {
      acked: [...this.#acked],
      highest: this.#highest,
      life: this.#life,
      stops: this.#stops,
      mayBeAhead: this.#mayBeAhead,
    };
  }

  /** Whether the id was purged or restored since then, or that was begun: what reads meanwhile may see parts of both lives. */
  isOver({ life, stops }) {
    return life !== this.#life || stops !== this.#stops;
  }

  /** All writers are stopped, for a purge or a restore. Those that come later begin with an epoch that may be lower. */
  stopped() {
    this.#stops++;
    this.#takenOver.clear();
  }

  /** The id is purged. Nothing of it is left, and nothing of what was written before comes back. */
  purged({ left, lastId }) {
    if (left.length > 0) throw new Violation(`a purge leaves ${left.join(", ")}`);
    this.#begin({ history: new Map(), acked: [], halfBatches: new Map(), highest: 0 });
    this.#former = [{ from: 0, to: lastId }];
  }

  /** A backup to restore later. */
  backup(lastId) {
    return {
      history: new Map(this.#history),
      acked: [...this.#acked],
      halfBatches: new Map(this.#halfBatches),
      highest: this.#highest,
      former: [...this.#former],
      lastId,
    };
  }

  /** The journal is as it was: what was written since is lost. */
  restored(backup, lastId) {
    this.#begin(backup);
    this.#former = [...backup.former, { from: backup.lastId + 1, to: lastId }];
  }

  /** Whether snapshots may be ahead of the journal from now on. */
  snapshotsLeft(mayBeAhead) {
    this.#mayBeAhead = mayBeAhead;
  }

  #begin({ history, acked, halfBatches, highest }) {
    this.#life++;
    this.#history = new Map(history);
    this.#acked = [...acked];
    this.#halfBatches = new Map(halfBatches);
    this.#highest = highest;
    this.#takenOver.clear();
  }

  /** Checks a state that was loaded or rejected by a client which began when `known` was known. */
  served({ refused, state, highest }, known) {
    if (this.isOver(known)) return;
    if (refused === "snapshot ahead" && !known.mayBeAhead && !this.#mayBeAhead)
      throw new Violation("a snapshot is ahead of a journal that was neither purged nor restored without it");
    if (refused !== undefined) return;
    for (const [number, writeId] of state) {
      this.#checkLife(number, writeId);
      if (number > highest)
        throw new Violation(`a state has number ${number}, and the journal ends at ${highest}`);
      if (this.#refused.has(writeId))
        throw new Violation(`${writeId} was refused, and is in a state at ${number}`);
      if (!this.#halfBatches.has(writeId)) this.#note(number, writeId);
    }
    for (const { writeId, first, last } of known.acked) {
      for (let number = first; number <= last; number++)
        if (state.get(number) !== writeId)
          throw new Violation(`${writeId} was acknowledged, and is not in a state at ${number}`);
    }
  }

  #checkLife(number, writeId) {
    const id = Number(writeId.slice(1));
    if (this.#former.some(({ from, to }) => from <= id && id <= to))
      throw new Violation(`${writeId} at ${number} is of an earlier life`);
  }

  /** What the original acknowledged before anybody else came, and what it failed to write. */
  inherited({ acknowledged, failed }) {
    for (const { originalId, first, last } of acknowledged)
      this.#acked.push({ writeId: originalId, first, last });
    for (const { originalId, lastMissing } of failed) this.#halfBatches.set(originalId, lastMissing);
  }

  /** A writer has taken the id over, and has the next sequence number. */
  takenOver({ uuid, epoch, next }) {
    this.#takenOver.set(uuid, { epoch, highest: next - 1 });
  }

  /** A replay that began when `known` was known has ended. */
  replayed({ rows, highest, lowest }, known) {
    if (this.isOver(known)) return;
    const writes = new Map(rows.map((row) => [row.seq, row.writeId ?? row.originalId]));
    const at = (number) => writes.get(number);
    checkOnce(rows);
    for (const { seq, uuid } of rows) {
      const writeId = at(seq);
      this.#checkLife(seq, writeId);
      if (!this.#halfBatches.has(writeId)) this.#note(seq, writeId);
      this.#checkInTime(seq, uuid);
      if (this.#refused.has(writeId))
        throw new Violation(`${writeId} was refused, and is replayed at ${seq}`);
      // Once the numbers that it lacks are deleted, it is indistinguishable from a whole one.
      if (lowest <= (this.#halfBatches.get(writeId) ?? 0))
        throw new Violation(`the half batch ${writeId} is replayed at ${seq}`);
    }
    for (const { writeId, first, last } of known.acked) {
      for (let number = Math.max(first, lowest); number <= last; number++) {
        if (at(number) !== writeId)
          throw new Violation(`${writeId} was acknowledged, and is not replayed at ${number}`);
      }
    }
    for (const { seq, index, lastIndex } of rows) {
      if (lastIndex === undefined) continue;
      const writeId = at(seq);
      for (let number = Math.max(lowest, seq - index); number <= seq - index + lastIndex; number++) {
        if (at(number) !== writeId) throw new Violation(`the batch ${writeId} is torn at ${number}`);
      }
    }
    this.lookedUp(highest, known);
  }

  /** Checks a highest sequence number that was reported to a client which began when `known` was known. */
  lookedUp(highest, known) {
    if (this.isOver(known)) return;
    if (highest < known.highest)
      throw new Violation(`the highest number falls from ${known.highest} to ${highest}`);
    this.#highest = Math.max(this.#highest, highest);
  }

  /**
   * The original may take the id over at any moment, and continues after the highest number that it finds. Looks only if
   * something has changed since the last look.
   */
  seenByOriginal({ items, changes }) {
    const state = [items, changes, this.#acked, this.#acked.length];
    if (state.every((part, at) => part === this.#lastSeen[at])) return;
    this.#lastSeen = state;
    const highest = originalHighest(items);
    const acked = Math.max(0, ...this.#acked.map(({ last }) => last));
    if (highest < acked) throw new Violation(`the original finds ${highest}, and ${acked} was acknowledged`);
    const afterDelete = originalHighest(deletedByOriginal(items));
    if (afterDelete < highest)
      throw new Violation(
        `after a delete of the original's it finds ${afterDelete}, and ${highest} before it`,
      );
  }

  /** An append by a writer that had seen `seen` has ended. */
  appended({ outcome, writeId, first, last }, { seen, lowest }) {
    if (outcome === "conflict" || outcome === "rejected") this.#refused.add(writeId);
    if (outcome !== "ok") return;
    for (let number = first; number <= last; number++) this.#note(number, writeId);
    for (const [number, wrote] of seen) {
      const now = this.#history.get(number);
      if (now !== undefined && now !== wrote) {
        throw new Violation(`${writeId} is by a writer that saw ${wrote} at ${number}, where ${now} is`);
      }
    }
    for (let number = lowest; number < first; number++) {
      if (!seen.has(number) && this.#history.has(number)) {
        throw new Violation(`${writeId} is by a writer that had not seen number ${number}`);
      }
    }
    this.#acked.push({ writeId, first, last });
  }

  /** What a writer wrote may not appear above the highest number that a later writer has found. */
  #checkInTime(number, uuid) {
    const { epoch } = this.#takenOver.get(uuid) ?? {};
    for (const [other, later] of this.#takenOver) {
      if (later.epoch > epoch && number > later.highest)
        throw new Violation(`${number} by ${uuid} appears after ${other} took over`);
    }
  }

  #note(number, writeId) {
    const before = this.#history.get(number);
    if (before !== undefined && before !== writeId)
      throw new Violation(`number ${number} was ${before}, now ${writeId}`);
    this.#history.set(number, writeId);
  }
}

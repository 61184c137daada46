import { lost } from "../feed/world.mjs";
import { keys, slices, versions } from "./truth.mjs";

const leaseTicks = 20;

/** A process that runs both versions. It takes slices over whenever it likes. */
export class Runner {
  constructor(world, truth, { fault }) {
    this.world = world;
    this.truth = truth;
    this.fault = fault;
    this.me = world.newId("r");
    this.onPoison = { 1: "park", 2: "stop" };
  }

  *run() {
    for (;;) {
      const at = { v: this.world.pick(versions), s: this.world.below(slices) };
      const early = this.fault === "parked-read-before-claim" ? yield* this.readParked(at) : undefined;
      const claimed = yield* this.claim(at);
      if (claimed === undefined) {
        yield { call: () => {} };
        continue;
      }
      const rows = early ?? (yield* this.readParked(at));
      const { paused } = yield { get: keys.version(at.v) };
      if (paused && this.fault !== "pause-unread") continue;
      const hold = { ...at, ...claimed, rows };
      if (yield* this.removeLeftovers(hold)) yield* this.work(hold);
    }
  }

  *claim({ v, s }) {
    const key = keys.slice(v, s);
    const seen = yield { get: key };
    const isMine = (slice) => slice.owner === this.me;
    if (seen.failed !== undefined || (seen.owner !== undefined && !isMine(seen) && this.world.chance(0.7)))
      return undefined;
    const epoch = seen.epoch + 1;
    const by = this.world.newId("c");
    const when = (slice) => slice.epoch === seen.epoch;
    // What control calls recognize their own change by stays.
    const named = this.fault === "skip-twice" ? { by, claimedBy: by } : { claimedBy: by };
    const to = (slice) => ({ ...slice, owner: this.me, epoch, ...named });
    yield { write: [{ key, when, to }], loses: true };
    const slice = yield { get: key, stale: this.fault === "stale-position" };
    if (slice.claimedBy !== by || slice.failed !== undefined) return undefined;
    return { offset: slice.offset, epoch, until: this.world.now + leaseTicks };
  }

  *readParked({ v, s }) {
    const rows = [];
    for (let offset = 0; offset < this.truth.feed[s].length; offset++) {
      const row = this.world.items.get(keys.parked(v, s, offset));
      if (row !== undefined) rows.push(row);
    }
    yield { call: () => {} };
    return rows;
  }

  /** The condition on the slice. */
  fence({ epoch, offset }) {
    const { me, fault } = this;
    if (fault === "fence-without-offset" || fault === "lost-is-done-unfenced")
      return (slice) => slice.owner === me && slice.epoch === epoch;
    if (fault === "fence-without-epoch") return (slice) => slice.owner === me && slice.offset === offset;
    return (slice) => slice.owner === me && slice.epoch === epoch && slice.offset === offset;
  }

  /** What is parked after the position was parked before a rewind: its events come again. */
  *removeLeftovers(hold) {
    const { v, s, offset, rows } = hold;
    if (this.fault === "rewind-keeps-parked") return true;
    for (const row of rows.filter((each) => each.offset >= offset)) {
      const check = { key: keys.slice(v, s), when: this.fence(hold), to: (slice) => slice };
      const removal = { key: keys.parked(v, s, row.offset), to: () => undefined };
      const answer = yield { write: this.fault === "leftovers-unfenced" ? [removal] : [check, removal] };
      if (answer.refused) return false;
    }
    hold.rows = rows.filter((each) => each.offset < offset);
    return true;
  }

  *work(hold) {
    for (let group = this.world.below(4); group >= 0; group--) {
      if (this.fault === "lease-by-time" && this.world.now > hold.until) return;
      if (!(yield* this.replay(hold))) return;
      const events = this.truth.feed[hold.s].slice(hold.offset, hold.offset + 1 + this.world.below(5));
      yield { call: () => {} };
      if (events.length === 0) return;
      if (!(yield* this.applyGroup(hold, events))) return;
    }
  }

  /** Applies the first parked event of each id that is to be tried again. */
  *replay(hold) {
    for (const row of [...hold.rows]) {
      const first = hold.rows.find(({ id }) => id === row.id);
      if ((first !== row && this.fault !== "replay-out-of-order") || !row.retry) continue;
      if (!(yield* this.replayRow(hold, row))) return false;
    }
    return true;
  }

  *replayRow(hold, row) {
    const { v, s } = hold;
    const key = keys.parked(v, s, row.offset);
    const fails = this.truth.fails(this.truth.feed[s][row.offset]);
    const isUnfenced = this.fault === "replay-unfenced";
    const check = {
      key: keys.slice(v, s),
      when: isUnfenced ? undefined : this.fence(hold),
      to: (slice) => slice,
    };
    const when = isUnfenced ? undefined : (stored) => stored !== undefined;
    const change = fails
      ? [{ key, when, to: (stored) => ({ ...stored, retry: false }) }]
      : [
          { key, when, to: () => undefined },
          { key: keys.state(v, s), to: (state = []) => [...state, row.offset] },
        ];
    const answer = yield { write: [check, ...change], loses: true };
    // The claim is given up: the next one reads what happened.
    if (answer === lost || answer.refused) return false;
    if (fails) row.retry = false;
    else hold.rows = hold.rows.filter((each) => each !== row);
    return true;
  }

  /** The events that fit: a group ends before an event that fails, unless it begins with that. */
  *applyGroup(hold, events) {
    const done = [];
    const parked = [];
    const isParked = ({ id }) =>
      this.fault !== "park-one-event" && [...hold.rows, ...parked].some((row) => row.id === id);
    for (const event of events) {
      if (isParked(event)) parked.push({ id: event.id, offset: event.offset, retry: true });
      else if (!this.truth.fails(event)) done.push(event);
      else if (done.length + parked.length > 0) break;
      else if (this.onPoison[hold.v] === "stop") return yield* this.stop(hold, event);
      else {
        parked.push({ id: event.id, offset: event.offset, retry: false });
        break;
      }
    }
    const next = hold.offset + done.length + parked.length;
    return yield* this.commit(hold, { done, parked, next });
  }

  *stop(hold, event) {
    const key = keys.slice(hold.v, hold.s);
    const when = this.fault === "stop-unfenced" ? undefined : this.fence(hold);
    // The epoch is raised: a group of this runner that is still under way must not be carried out after it.
    const isFreed = this.fault !== "stop-keeps-epoch";
    const to = (slice) => ({
      ...slice,
      failed: event.offset,
      ...(isFreed && { owner: undefined, epoch: slice.epoch + 1 }),
      ...(when === undefined && { offset: event.offset }),
    });
    yield { write: [{ key, when, to }], loses: true };
    return false;
  }

  *commit(hold, group) {
    const { v, s } = hold;
    const { done, parked, next } = group;
    const isUnfenced = this.fault === "position-unfenced" || this.fault === "lease-by-time";
    const when = isUnfenced ? undefined : this.fence(hold);
    const position = { key: keys.slice(v, s), when, to: (slice) => ({ ...slice, offset: next }) };
    const state = { key: keys.state(v, s), to: (old = []) => [...old, ...done.map(({ offset }) => offset)] };
    const rows = parked.map((row) => ({ key: keys.parked(v, s, row.offset), to: () => row }));
    const check = { ...position, to: (slice) => slice };
    if (this.fault === "position-first") return yield* this.inTwo(hold, group, [position], [state, ...rows]);
    if (this.fault === "position-last")
      return yield* this.inTwo(hold, group, [check, state, ...rows], [position]);
    if (this.fault === "park-after-position") return yield* this.inTwo(hold, group, [position, state], rows);
    return yield* this.send(hold, group, [position, state, ...rows]);
  }

  *inTwo(hold, group, first, second) {
    const answer = yield { write: first, unchecked: true };
    if (answer.refused) return false;
    yield { write: second };
    return this.moved(hold, group);
  }

  *send(hold, group, write) {
    for (;;) {
      const answer = yield { write, loses: true };
      if (answer !== lost) return answer.refused ? false : this.moved(hold, group);
      if (this.fault === "lost-is-done" || this.fault === "lost-is-done-unfenced")
        return this.moved(hold, group);
      if (this.fault === "lost-is-failed" || this.fault === "stop-keeps-epoch") return true;
      // Settled by reading. The request may still be under way: then one of the two is refused.
      const slice = yield { get: keys.slice(hold.v, hold.s) };
      if (slice.owner !== this.me || slice.epoch !== hold.epoch) return false;
      if (slice.offset === group.next) return this.moved(hold, group);
    }
  }

  moved(hold, { parked, next }) {
    hold.offset = next;
    hold.rows = [...hold.rows, ...parked];
    return true;
  }
}

import { lost, Violation } from "../feed/world.mjs";
import { keys, slices, versions } from "./truth.mjs";

/** Somebody who controls projections. Every change of a slice raises its epoch and frees it. */
export class Control {
  constructor(world, truth, { fault }) {
    this.world = world;
    this.truth = truth;
    this.fault = fault;
  }

  *run() {
    for (;;) {
      for (let wait = this.world.below(30); wait > 0; wait--) yield { call: () => {} };
      const v = this.world.pick(versions);
      const s = this.world.below(slices);
      const action = this.world.pick(["pause", "skip", "skip", "rewind", "retry", "retry", "drop", "switch"]);
      this.world.say("control", action, v, s);
      if (action === "pause") yield* this.pauseAndResume(v);
      else if (action === "switch") yield* this.switchVersion();
      else yield* this[action](v, s);
    }
  }

  /** Changes a slice unless `change` returns undefined. Returns whether it was changed. `done` is called whenever that happens. */
  *changeSlice(v, s, change, more = () => [], done = () => {}) {
    const key = keys.slice(v, s);
    const by = this.world.newId("x");
    let isInDoubt = false;
    for (;;) {
      const seen = yield { get: key };
      if (seen.by === by) return true;
      const changed = change(seen, isInDoubt);
      if (changed === undefined) return false;
      const isFenced = !(this.fault === "skip-unfenced" && changed.isSkip);
      const when = isFenced ? (slice) => slice.epoch === seen.epoch : undefined;
      const { isSkip, ...rest } = changed;
      const to = (slice) => ({ ...slice, ...rest, owner: undefined, epoch: slice.epoch + 1, by });
      const answer = yield { write: [{ key, when, to }, ...more(seen)], loses: true, done };
      if (answer !== lost && answer.ok) return true;
      if (answer !== lost) continue;
      isInDoubt = true;
      // Until the deadline of the request.
      for (let wait = isSkip ? this.world.below(60) : 0; wait > 0; wait--) yield { call: () => {} };
    }
  }

  *setPaused(v, paused) {
    const key = keys.version(v);
    for (;;) {
      const seen = yield { get: key };
      const isOrdered = this.fault !== "pause-unordered";
      const when = isOrdered ? (version) => version.revision === seen.revision : undefined;
      const to = () => ({ paused, revision: seen.revision + 1 });
      const answer = yield { write: [{ key, when, to }], loses: true };
      if (answer !== lost && answer.ok) return;
    }
  }

  *pauseAndResume(v) {
    yield* this.setPaused(v, true);
    if (this.fault !== "pause-by-flag")
      for (let s = 0; s < slices; s++) yield* this.changeSlice(v, s, () => ({}));
    this.truth.paused.add(v);
    for (let wait = this.world.below(20); wait > 0; wait--) yield { call: () => {} };
    yield* this.resume(v);
  }

  *resume(v) {
    this.truth.paused.delete(v);
    for (let s = 0; s < slices; s++)
      yield* this.changeSlice(v, s, ({ failed }) =>
        failed === undefined ? undefined : { failed: undefined },
      );
    yield* this.setPaused(v, false);
  }

  *skip(v, s) {
    const isAny = this.fault === "skip-any";
    let wanted;
    let count = 0;
    yield* this.changeSlice(
      v,
      s,
      ({ failed, offset }, isInDoubt) => {
        const end = this.truth.feed[s].length;
        // What became of the first attempt is not known: another event is not skipped.
        if (isInDoubt && failed !== wanted && this.fault !== "skip-twice") return undefined;
        wanted = failed;
        if (isAny ? offset === end : failed === undefined) return undefined;
        return { failed: undefined, offset: offset + 1, isSkip: true };
      },
      ({ failed = -1 }) => [{ key: keys.gone(v, s), to: (gone = []) => [...gone, failed] }],
      () => {
        if (++count > 1) throw new Violation("one skip has passed two events");
      },
    );
  }

  /** What is parked after the position is left of a rewind, and comes again. */
  goes(v, s, offset) {
    const isPassed = () => offset < this.world.items.get(keys.slice(v, s)).offset;
    return { key: keys.gone(v, s), to: (gone = []) => (isPassed() ? [...gone, offset] : gone) };
  }

  /** To the start; what the projection wrote is cleared with it. */
  *rewind(v, s) {
    this.truth.rewinds++;
    yield* this.changeSlice(
      v,
      s,
      () => ({ offset: 0, failed: undefined }),
      () => [
        { key: keys.state(v, s), to: () => [] },
        { key: keys.gone(v, s), to: () => [] },
      ],
    );
  }

  *heads(v, s) {
    yield { call: () => {} };
    const end = this.world.items.get(keys.slice(v, s)).offset;
    const rows = this.truth.rowsOf(v, s).filter(({ offset }) => offset < end);
    return rows.filter((row, at) => rows.findIndex(({ id }) => id === row.id) === at);
  }

  *retry(v, s) {
    const heads = yield* this.heads(v, s);
    const marks = heads.map(({ offset }) => ({
      key: keys.parked(v, s, offset),
      to: (row) => (row === undefined ? undefined : { ...row, retry: true }),
    }));
    yield* this.changeSlice(
      v,
      s,
      () => ({}),
      () => marks,
    );
  }

  *drop(v, s) {
    const [head] = yield* this.heads(v, s);
    if (head === undefined) return;
    const key = keys.parked(v, s, head.offset);
    const isThere = () => this.world.items.get(key) !== undefined;
    yield* this.changeSlice(
      v,
      s,
      () => (isThere() ? {} : undefined),
      () => [{ key, when: (row) => row !== undefined, to: () => undefined }, this.goes(v, s, head.offset)],
    );
  }

  /** The new version is read before the current one: positions only rise. */
  *switchVersion() {
    const { current } = yield { get: "registry" };
    const next = current === 1 ? 2 : 1;
    const offsets = function* (v) {
      const found = [];
      for (let s = 0; s < slices; s++) found.push((yield { get: keys.slice(v, s) }).offset);
      return found;
    };
    const now = (v) =>
      Array.from({ length: slices }, (_unused, s) => this.world.items.get(keys.slice(v, s)).offset);
    const { rewinds } = this.truth;
    const after = yield* offsets(next);
    const before = yield* offsets(current);
    if (this.fault !== "switch-unchecked" && before.some((offset, s) => offset > after[s])) return;
    const when = (registry) => registry.current === current;
    const done = () => {
      const isBehind = before.some((offset, s) => offset > now(next)[s]);
      if (isBehind && rewinds === this.truth.rewinds)
        throw new Violation("readers see less than before the switch");
    };
    yield { write: [{ key: "registry", when, to: () => ({ current: next }) }], done };
  }
}

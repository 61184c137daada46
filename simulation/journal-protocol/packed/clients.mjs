import { batchSizes as bucketedSizes, isOver, writerActions } from "../clients.mjs";
import { takeOver } from "../recovering.mjs";
import { Violation } from "../world.mjs";
import { append, begin, recover } from "./appending.mjs";
import { compact } from "./compacting.mjs";
import { deleteTo } from "./deleting.mjs";
import { readPosition, replay } from "./reading.mjs";
import { deleteBelowOldest, deleteCovered, load, loadEntity, saveSnapshot } from "./snapshots.mjs";

const batchSizes = [...bucketedSizes, 4, 8];

export function* idle(turns) {
  for (let turn = 0; turn < turns; turn++) yield { idle: true };
}

/** A writer, which now and then deletes, compacts, or saves something as a snapshot. */
export function* writer(me, truth, options) {
  const { world } = me;
  yield* recovery(me, truth, options);
  for (let action = 0; action < writerActions; action++) {
    if (world.chance(0.3)) yield* idle(40);
    const choice = world.random();
    me.busy = true;
    if (choice < 0.1) yield* deleteTo(options, me.next - 1 - world.below(3));
    else if (choice < 0.2) yield* compact(options);
    else if (choice < 0.27) yield* recovery(me, truth, options);
    else if (choice < 0.35) yield* saveSnapshot({ next: me.next, state: me.seen });
    else if (isOver(yield* appending(me, truth, world.pick(batchSizes), options)))
      yield* recovery(me, truth, options);
    me.busy = false;
  }
}

export function* recovery(me, truth, options) {
  me.busy = true;
  const known = truth.known();
  const rows = yield* recover(me, options);
  truth.replayed({ rows, highest: me.next - 1, lowest: me.lowest }, known);
  if (options.strict) truth.takenOver(me);
  me.busy = false;
}

export function* appending(me, truth, count, options) {
  const view = { seen: new Map(me.seen), lowest: me.lowest };
  const result = yield* append(me, count, options);
  me.world.say(me.name, result.writeId, `${result.first} to ${result.last}:`, result.outcome);
  truth.appended(result, view);
  if (result.outcome === "ok") {
    for (let number = result.first; number <= result.last; number++) {
      me.seen.set(number, result.writeId);
      me.state?.set(number, result.writeId);
    }
    me.next = result.last + 1;
    me.viewedAt = me.world.time;
  }
  return result.outcome;
}

/**
 * Appends without a writer. It reads the events, and later appends after the last of them or another, if that is the last then, or after
 * whatever is. Where the id ends is always read: the next number may lie inside another's item.
 */
export function* caller(me, truth, options) {
  const { world } = me;
  for (let action = 0; action < 4; action++) {
    const choice = world.random();
    const known = truth.known();
    const found = yield* replay(options);
    truth.replayed(found, known);
    yield* idle(world.below(30));
    const expected = choice < 0.6 ? found.highest : world.below(found.highest + 1);
    const count = world.pick(batchSizes);
    if (choice < 0.3) yield* appendAfterAny(me, truth, count, options);
    else yield* appendAfter(me, truth, { ...found, expected, count }, options);
  }
}

function* appendAfter(me, truth, { expected, count, rows, lowest }, options) {
  const view = yield* viewOfEnd(me);
  const end = options.fault === "expected-unread" ? expected : (yield* readPosition(options)).highest;
  if (end !== expected) return;
  begin(me, { ...view, next: end + 1, lowest, seen: rows.filter(({ seq }) => seq <= expected) });
  yield* appending(me, truth, count, options);
}

/**
 * After a conflict, and only then, no part of the write can still arrive, and its events may be sent again with other numbers. Each
 * attempt has its own write id: what an earlier one has staged may still be being removed.
 */
function* appendAfterAny(me, truth, count, options) {
  const { world } = options;
  const origin = world.newId("o");
  for (let attempt = 0; attempt < 3; attempt++) {
    const view = yield* viewOfEnd(me);
    const next = (yield* readPosition(options)).highest + 1;
    begin(me, { ...view, next, lowest: next, seen: [] });
    const result = yield* append(me, count, options, origin);
    world.say(me.name, result.writeId, `${result.first} to ${result.last}:`, result.outcome);
    truth.appended(result, me);
    if (result.outcome !== "conflict") return;
  }
}

/** It supersedes no writer: the epoch stays, and counts for its write. */
function* viewOfEnd(me) {
  return { epoch: yield* takeOver(false), viewedAt: me.world.time };
}

/** Reads events, from the first or from any number, and where the id ends. */
export function* reader(truth, options) {
  for (let count = 0; count < 4; count++) {
    const known = truth.known();
    truth.replayed(yield* replay(options, 1 + options.world.below(known.highest + 1)), known);
    truth.replayed(yield* replay(options), known);
    const before = truth.known();
    truth.lookedUp((yield* readPosition(options)).highest, before);
    yield* idle(10);
  }
}

/** Deletes or compacts, again and again. */
export function* keeper(options) {
  const { world } = options;
  for (let count = 0; count < 5; count++) {
    yield* idle(world.below(30));
    if (world.chance(0.7)) yield* compact(options);
    else yield* deleteTo(options, (yield* readPosition(options)).highest - world.below(4));
  }
}

/** An entity in a host: loads its state, appends, saves snapshots, deletes the events that they contain, and compacts. */
export function* entity(me, truth, options) {
  const { world } = me;
  for (let action = 0; action < writerActions; action++) {
    if (world.chance(0.3)) yield* idle(40);
    me.busy = true;
    if (me.state === undefined || world.chance(0.1)) yield* loading(me, truth, options);
    if (me.state === undefined) yield* idle(20);
    else if (world.chance(0.35)) yield* saving(me, options);
    else if (world.chance(0.1)) yield* compact(options);
    else if (isOver(yield* appending(me, truth, world.pick(batchSizes), options))) me.state = undefined;
    me.busy = false;
  }
}

export function* loading(me, truth, options) {
  const known = truth.known();
  const loaded = yield* loadEntity(me, options);
  check(loaded, truth, known);
  if (options.strict) truth.takenOver(me);
  me.state = loaded.state;
  me.world.say(me.name, loaded.refused ?? `loads ${loaded.state.size} events up to ${loaded.highest}`);
  return loaded;
}

function check(loaded, truth, known) {
  if (truth.isOver(known)) return;
  if (loaded.refused !== undefined && !known.mayBeAhead)
    throw new Violation(`a load ends with ${loaded.refused}, and the id was not purged`);
  truth.replayed(loaded, known);
  truth.served(loaded, known);
}

function* saving(me, options) {
  yield* saveSnapshot(me);
  me.world.say(me.name, `saves a snapshot at ${me.next - 1}`);
  if (me.world.chance(0.4)) yield* deleteCovered(options);
}

/** Reads states and events. What begins before a new life and ends after it may fail, and proves nothing. */
export function* stateReader(truth, options) {
  for (let count = 0; count < 12; count++) {
    const known = truth.known();
    try {
      if (count % 3 === 0) truth.replayed(yield* replay(options), known);
      else check(yield* load(options), truth, known);
    } catch (error) {
      if (!(error instanceof Violation) || !truth.isOver(known)) throw error;
    }
    yield* idle(10);
  }
}

/** Deletes events that a snapshot contains, and compacts what is left. */
export function* trimmer(options) {
  const { world } = options;
  for (let count = 0; count < 6; count++) {
    yield* idle(world.below(30));
    if (world.chance(0.6)) yield* compact(options);
    else yield* deleteBelowOldest(options);
  }
}

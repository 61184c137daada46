import { append } from "./appending.mjs";
import { deleteTo } from "./deleting.mjs";
import { bucketOf, bucketSize } from "./layout.mjs";
import { readPosition, replay, replayAhead } from "./reading.mjs";
import { recover } from "./recovering.mjs";

/** How many things a writer does. */
export const writerActions = 6;
export const batchSizes = [1, 1, 1, 2, 3, 5, 6];

export function* writer(me, truth, options) {
  const { world } = me;
  yield* recovery(me, truth, options);
  for (let action = 0; action < writerActions; action++) {
    if (world.chance(0.3)) for (let turn = 0; turn < 40; turn++) yield { idle: true };
    const choice = world.random();
    me.busy = true;
    if (choice < 0.12) yield* deleteTo(world, me.next - 1 - world.below(3), options);
    else if (choice < 0.2) yield* recovery(me, truth, options);
    else if (isOver(yield* appending(me, truth, world.pick(batchSizes), options)))
      yield* recovery(me, truth, options);
    me.busy = false;
  }
}

/** A writer continues after a write that was certainly not stored, without interference of another. */
export function isOver(outcome) {
  return outcome === "conflict" || outcome === "unknown";
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
    me.endsInHole = false;
    me.high = Math.max(me.high, bucketOf(result.last) * bucketSize);
    me.viewedAt = me.world.time;
  }
  return result.outcome;
}

export function* reader(truth, options) {
  for (let count = 0; count < 3; count++) {
    const known = truth.known();
    truth.replayed(yield* options.readAhead ? replayAhead(options) : replay(options), known);
    for (let looks = 0; looks < 4; looks++) {
      const before = truth.known();
      truth.lookedUp((yield* readPosition(options)).highest, before);
    }
  }
}

/** Deletes all there is, or nearly, again and again. */
export function* deleter(world, options) {
  for (let count = 0; count < 4; count++) {
    for (let turns = world.below(60); turns > 0; turns--) yield { idle: true };
    const { highest } = yield* readPosition(options);
    yield* deleteTo(world, highest - world.below(2), options);
  }
}

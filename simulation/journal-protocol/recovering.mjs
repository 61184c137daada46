import { eventKey, writerKey } from "./layout.mjs";
import { isTaken, replay } from "./reading.mjs";
import { read, sure, write } from "./world.mjs";

/** Takes the id over: clears a recorded stage, raises the epoch if fencing is strict, reads the position. */
export function* recover(me, options) {
  const { strict, fault } = options;
  const epoch = yield* takeOver(strict);
  const viewedAt = me.world.time;
  const { rows, highest, high, lowest, endsInHole } = yield* strict && fault !== "no-last-look"
    ? lastOnes(options)
    : replay(options);
  const seen = new Map(rows.map((row) => [row.seq, row.writeId ?? row.originalId]));
  const fresh = { uuid: me.world.newId("w"), abandoned: undefined };
  Object.assign(me, { epoch, next: highest + 1, high, lowest, endsInHole, seen, viewedAt, ...fresh });
  return rows;
}

/** A write that was in time, before the epoch rose, may be on its way: nothing may appear once the id is taken over. */
function* lastOnes(options) {
  for (;;) {
    const found = yield* replay(options);
    if (!(yield* isTaken(found.highest + 1))) return found;
  }
}

/** What is left of a stage that was cleared is remembered until its rows are gone. */
export function* takeOver(strict) {
  for (;;) {
    const item = yield* read(writerKey);
    if (item?.left !== undefined) {
      yield* clearLeft(item.left);
      continue;
    }
    if (!strict && item?.stage === undefined) return item?.epoch ?? 0;
    const answer = yield raiseEpoch(item);
    if (!answer.ok) continue;
    if (item?.stage !== undefined) yield* clearLeft(item.stage);
    return (item?.epoch ?? 0) + 1;
  }
}

/** Clears the stage of a writer item that is still as it was read. */
export function raiseEpoch(item, by) {
  const epoch = item?.epoch ?? 0;
  return write({
    key: writerKey,
    when: (now) =>
      (now?.epoch ?? 0) === epoch && now?.stage?.writeId === item?.stage?.writeId && now?.left === undefined,
    to: (now) => ({ ...now, stage: undefined, epoch: epoch + 1, left: item?.stage && { ...item.stage, by } }),
  });
}

/** Removes the rows of a stage that was surely cleared, in two steps, and then the note of it. */
export function* clearLeft(stage) {
  const { first, last } = stage;
  const middle = Math.floor((first + last) / 2);
  yield* removeRows({ ...stage, first: middle + 1 });
  yield* note(stage, ({ left, ...rest }) => ({ ...rest, left: { ...left, last: middle } }));
  yield* removeRows({ ...stage, last: middle });
  yield* note(stage, ({ left, ...rest }) => rest);
}

/** Changes the note of a stage that was cleared. */
function note({ writeId }, to) {
  return sure(write({ key: writerKey, when: (now) => now?.left?.writeId === writeId, to }));
}

/** Removes the rows of a stage that does not count, and never will. */
export function* removeRows({ writeId, first, last }) {
  for (let number = first; number <= last; number++) {
    yield* sure(
      write({
        key: eventKey(number),
        when: (row) => row?.writeId === writeId && row.staged === true,
        to: () => undefined,
      }),
    );
  }
}

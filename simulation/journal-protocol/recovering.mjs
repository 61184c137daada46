import { eventKey, writerKey } from "./layout.mjs";
import { commitState, replay } from "./reading.mjs";
import { read, write } from "./world.mjs";

/** Takes the id over: clears a recorded stage, raises the epoch if fencing is strict, reads where the id stands. */
export function* recover(me, { strict, fault }) {
  const epoch = yield* takeOver(strict, fault);
  const viewedAt = me.world.time;
  const { rows, highest, lowest } = yield* replay(fault);
  const seen = new Map(rows.map((row) => [row.seq, row.writeId]));
  Object.assign(me, { epoch, next: highest + 1, lowest, seen, viewedAt, uuid: me.world.newId("w") });
  return rows;
}

function* takeOver(strict, fault) {
  const doubtful = new Map();
  for (;;) {
    const item = yield* read(writerKey);
    const epoch = item?.epoch ?? 0;
    const cleared = strict || item?.stage !== undefined;
    const answer = cleared
      ? yield write({
          key: writerKey,
          when: (now) => (now?.epoch ?? 0) === epoch && now?.stage?.writeId === item?.stage?.writeId,
          to: () => ({ epoch: epoch + 1 }),
        })
      : { ok: true };
    if (answer.ok) {
      if (item?.stage !== undefined) yield* removeRows(item.stage);
      doubtful.delete(item?.stage?.writeId);
      for (const stage of doubtful.values()) yield* removeIfDead(stage, fault);
      return cleared ? epoch + 1 : epoch;
    }
    // It may be cleared all the same, by the request whose answer was lost.
    if (item?.stage !== undefined) doubtful.set(item.stage.writeId, item.stage);
  }
}

/** Removes the rows of a stage that may have been cleared, unless it is still recorded or was committed. */
export function* removeIfDead(stage, fault) {
  if (fault !== "remove-unproven") {
    const { staged, committed } = yield* commitState(stage.first, fault);
    if (staged === stage.writeId || committed === stage.writeId) return;
  }
  yield* removeRows(stage);
}

/** Removes the rows of a stage that was surely cleared. Best effort: what is left is dead. */
export function* removeRows({ writeId, first, last }) {
  for (let number = first; number <= last; number++) {
    yield write({
      key: eventKey(number),
      when: (row) => row?.writeId === writeId && row.staged === true,
      to: () => undefined,
    });
  }
}

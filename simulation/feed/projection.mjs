import { pageOf, tailOf } from "./pages.mjs";
import { slices } from "./sequencer.mjs";
import { lost } from "./world.mjs";

/**
 * A runner of a projection: claims slices, and applies groups of events to a state, which is stored with the position in one
 * transaction. Two run at the same time; claims are taken over at any moment.
 */
export function* projection(world, truth, { fault }) {
  const me = world.newId("r");
  for (;;) {
    const slice = world.below(slices);
    const offset = yield* claim(world, me, slice);
    if (offset === undefined) continue;
    let { pos } = offset;
    for (let group = 0; group < 3; group++) {
      const events = yield* eventsAfter(world, truth, slice, pos);
      if (events.length === 0) break;
      const next = yield* apply({ slice, pos, events, me, epoch: offset.epoch }, truth, fault);
      if (next === undefined) break;
      pos = next;
    }
    yield { call: () => {} };
  }

  function* claim(world, me, slice) {
    const key = `offset-${slice}`;
    const taken = world.newId("e");
    const to = (item) => ({ pos: item?.pos ?? 0, owner: me, epoch: taken });
    // Also what a claim whose answer was lost has left.
    yield { write: [{ key, to }], loses: true };
    const offset = yield { get: key, stale: fault === "stale-offset" || fault === "stale-offset-fenced" };
    return offset === undefined || offset === lost || offset.owner !== me ? undefined : offset;
  }
}

/** The events after a position, from the pages. */
function* eventsAfter(world, truth, slice, pos) {
  const tail = yield* tailOf(world, slice);
  for (let number = 0; number < tail; number++) {
    const page = world.items.get(`page-${slice}-${number}`);
    if (page.first + page.count <= pos) continue;
    yield* pageOf(slice, number);
    return truth.eventsOf(page).slice(pos - page.first);
  }
  return [];
}

function* apply({ slice, pos, events, me, epoch }, truth, fault) {
  const next = pos + events.length;
  const key = `offset-${slice}`;
  const isMine = (offset) => offset?.owner === me && offset.epoch === epoch;
  const conditions = {
    "unfenced-offset": undefined,
    "stale-offset": isMine,
  };
  const when = fault in conditions ? conditions[fault] : (offset) => isMine(offset) && offset.pos === pos;
  const writes = [
    { key, when, to: (offset) => ({ ...offset, pos: next }) },
    { key: `state-${slice}`, to: (state = []) => [...state, ...events] },
  ];
  for (;;) {
    const answer = yield { write: writes, loses: true, done: () => truth.projected(slice) };
    if (answer !== lost) return answer.ok ? next : undefined;
    // Settled by reading, never guessed.
    const offset = yield { get: key };
    if (offset === lost) continue;
    if (!isMine(offset) || offset.pos !== pos) return isMine(offset) ? offset.pos : undefined;
  }
}

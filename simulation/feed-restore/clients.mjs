import { lost } from "../feed/world.mjs";
import { cursorAfter, follows, isKnown, renamed } from "./positions.mjs";
import { pageKey, slices } from "./truth.mjs";

/** Writes the events of the journal that are in no page to pages of one to three events. */
export function* sequencer({ world, fault }, { name }) {
  for (;;) {
    const slice = world.below(slices);
    let number = 0;
    let first = 0;
    let after;
    for (let page; ; number++, first += page.events.length, after = page.by) {
      page = yield { get: pageKey(slice, number) };
      if (page === undefined) break;
    }
    const journal = yield { get: `journal-${slice}` };
    const events = journal.slice(first, first + 1 + world.below(3));
    if (events.length === 0) continue;
    const put = world.newId("p");
    const names = {
      "identity-of-place": `${number}-${first}-${events.length}`,
      "identity-of-sequencer": name,
    };
    const page = { first, events, put, by: names[fault] ?? put, after };
    const write = [{ key: pageKey(slice, number), when: (item) => item === undefined, to: () => page }];
    yield { write, loses: true };
  }
}

/**
 * Reads the page that a cursor is in, or is before. `known` is false once the feed does not have what the cursor has passed. A page that does not follow it
 * says so, and while there is none, what was passed is read now and then.
 */
function* nextPage({ world, truth, fault }, slice, cursor, events) {
  const read = yield { call: () => truth.read(slice, cursor.page, events) };
  const isIdle = read.page === undefined;
  if (isIdle && (fault === "idle-unchecked" || !world.chance(0.1))) return { known: true };
  if (!isIdle && follows(read.page, cursor, fault)) return { known: true, ...read };
  return { known: yield* isKnown(slice, cursor, fault) };
}

/** Reads all slices, and stores its position with what it has returned. Begins again once the position is rejected. */
export function* reader({ world, truth, fault }, { name }) {
  const key = `reader-${name}`;
  const start = Array.from({ length: slices }, () => ({ page: 0, skip: 0, offset: 0 }));
  for (;;) {
    const stored = (yield { get: key }) ?? { cursors: start, seen: start.map(() => []) };
    let known = true;
    const cursors = [...stored.cursors];
    for (const [slice, cursor] of cursors.entries())
      if (fault === "one-slice" && slice > 0) cursors[slice] = yield* renamed(slice, cursor);
      else known &&= yield* isKnown(slice, cursor, fault);
    const seen = [...stored.seen];
    while (known) {
      const slice = world.below(slices);
      const next = yield* nextPage({ world, truth, fault }, slice, cursors[slice], seen[slice]);
      known = next.known;
      const { page } = next;
      const { page: number, skip } = cursors[slice];
      if (!known || page === undefined || page.events.length <= skip) continue;
      truth.goesOn(key, slice, seen[slice], next);
      const upTo = skip + 1 + world.below(page.events.length - skip);
      seen[slice] = [...seen[slice], ...page.events.slice(skip, upTo)];
      cursors[slice] = yield* named(slice, cursorAfter(page, { slice, number }, upTo, fault), fault);
      const now = { cursors: [...cursors], seen: [...seen] };
      yield { write: [{ key, to: () => now }] };
    }
    truth.rejects(key, cursors);
    yield { write: [{ key, to: () => undefined }] };
  }
}

function* named(slice, cursor, fault) {
  if (fault !== "next-page-named" || cursor.skip > 0) return cursor;
  const next = yield { get: pageKey(slice, cursor.page) };
  return { ...cursor, ...(next && { next: next.by }) };
}

/** Applies events of a slice to the state of a projection, in one fenced write with its position. */
export function* runner({ world, truth, fault }, { name }) {
  for (;;) {
    const slice = world.below(slices);
    const key = `slice-${slice}`;
    const claim = world.newId("c");
    const to = (item = { cursor: { page: 0, skip: 0, offset: 0 }, state: [] }) => ({ ...item, claim });
    yield { write: [{ key, to }], loses: true };
    const held = yield { get: key };
    if (held?.claim !== claim) continue;
    if (yield* isKnown(slice, held.cursor, fault)) yield* apply(key, claim, slice, held);
    else yield* stop(key, claim, held);
  }

  /** Somebody rebuilds it later: its state and its position begin again. */
  function* stop(key, claim, { cursor }) {
    truth.rejects(`projection of ${name}`, [cursor]);
    const isMine = (item) => item?.claim === claim;
    yield { write: [{ key, when: isMine, to: () => undefined }] };
  }

  function* apply(key, claim, slice, held) {
    let { cursor, state } = held;
    for (let groups = world.below(20); groups >= 0; groups--) {
      const read = yield* nextPage({ world, truth, fault }, slice, cursor, state);
      if (!read.known) return yield* stop(key, claim, { cursor });
      const { page } = read;
      const { skip, offset } = cursor;
      if (page === undefined || page.events.length <= skip) continue;
      const upTo = skip + 1 + world.below(page.events.length - skip);
      const events = page.events.slice(skip, upTo);
      const next = yield* named(slice, cursorAfter(page, { slice, number: cursor.page }, upTo, fault), fault);
      const when = (item) => item?.claim === claim && item.cursor.offset === offset;
      const change = (item) => {
        truth.goesOn("the projection", slice, item.state, read);
        return { ...item, cursor: next, state: [...item.state, ...events] };
      };
      const answer = yield { write: [{ key, when, to: change }], loses: true };
      // The next claim reads what happened.
      if (answer === lost || answer.refused) return;
      cursor = next;
      state = [...state, ...events];
    }
  }
}

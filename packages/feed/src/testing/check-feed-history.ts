import type {
  FeedHistory,
  FeedReaderHistory,
  FeedViolation,
  ProjectedState,
  SeenFeedEvent,
} from "./feed-history.ts";

type ReaderRule = (reader: FeedReaderHistory, history: FeedHistory) => Iterable<string>;

const readerRules: Readonly<Record<string, ReaderRule>> = {
  F1: acknowledgedAreSeen,
  F2: noneIsTwice,
  F3: idsAreInOrder,
  F4: offsetsAreDense,
  F5: nothingIsMissed,
};

/**
 * Returns the violations of the rules F1 to F7 in a history of a feed; empty if there are none.
 *
 * - F1 a reader that has read to the end has every acknowledged event; F2 none of them twice;
 * - F3 those of an id in order and without a gap, unless they are flagged as late;
 * - F4 the offsets of a slice have no gap within a reading; F5 a reader that resumes continues right after the position it resumes from;
 * - F6 all readers get the same event at the same place;
 * - F7 a projection has applied the events up to its position, each once, those of an id in order, and nothing else.
 *
 * @example
 * expect(checkFeedHistory({ acknowledged, readers })).toEqual([]);
 */
export function checkFeedHistory(history: FeedHistory): FeedViolation[] {
  const { readers, projections = [] } = history;
  const found: FeedViolation[] = [];
  for (const reader of readers)
    for (const [rule, check] of Object.entries(readerRules))
      for (const message of check(reader, history)) found.push({ rule, actor: reader.reader, message });
  const places = new Map<string, SeenFeedEvent>();
  for (const reader of readers)
    for (const message of placesAgree(reader, places))
      found.push({ rule: "F6", actor: reader.reader, message });
  for (const state of projections)
    for (const message of stateIsFold(state, [...places.values()]))
      found.push({ rule: "F7", actor: state.projection, message });
  return found;
}

function* eventsOf({ readings }: FeedReaderHistory): Generator<SeenFeedEvent> {
  for (const { events } of readings) yield* events;
}

function shown({ persistenceId, sequenceNr, slice, offset, text }: SeenFeedEvent): string {
  return `${text} (${persistenceId} ${sequenceNr}, slice ${slice}, offset ${offset})`;
}

function* acknowledgedAreSeen(reader: FeedReaderHistory, { acknowledged }: FeedHistory): Generator<string> {
  if (!reader.isComplete) return;
  const idOf = new Map<string, string>();
  for (const { text, persistenceId } of eventsOf(reader)) idOf.set(text, persistenceId);
  for (const { text, persistenceId } of acknowledged) {
    const seen = idOf.get(text);
    if (seen === undefined) yield `${text} of ${persistenceId} was acknowledged, and is not in the feed`;
    else if (seen !== persistenceId) yield `${text} of ${persistenceId} is in the feed as one of ${seen}`;
  }
}

function* noneIsTwice(reader: FeedReaderHistory): Generator<string> {
  const seen = new Set<string>();
  for (const event of eventsOf(reader)) {
    if (seen.has(event.text)) yield `${shown(event)} is seen twice`;
    seen.add(event.text);
  }
}

function* idsAreInOrder(reader: FeedReaderHistory): Generator<string> {
  const last = new Map<string, number>();
  for (const event of eventsOf(reader)) {
    const { persistenceId, sequenceNr, late } = event;
    const before = last.get(persistenceId) ?? 0;
    if (!late && sequenceNr !== before + 1) yield `${shown(event)} follows number ${before}`;
    last.set(persistenceId, Math.max(before, sequenceNr));
  }
}

function* offsetsAreDense({ readings }: FeedReaderHistory): Generator<string> {
  for (const { from, events } of readings) {
    const next = new Map<number, number>();
    for (const event of events) {
      const expected = next.get(event.slice) ?? (from === "start" ? 0 : event.offset);
      if (event.offset !== expected) yield `${shown(event)} does not have offset ${expected}`;
      next.set(event.slice, event.offset + 1);
    }
  }
}

function* nothingIsMissed({ readings }: FeedReaderHistory): Generator<string> {
  /** The offsets that follow each position, by slice. */
  const after = new Map<string, ReadonlyMap<number, number>>();
  const next = new Map<number, number>();
  const wanted = new Set(readings.map(({ from }) => from));
  for (const { from, events } of readings) {
    const expected = from === "start" ? new Map<number, number>() : after.get(from);
    if (expected === undefined) {
      yield `a read begins at ${from}, where the reader has not been`;
      continue;
    }
    next.clear();
    for (const [slice, offset] of expected) next.set(slice, offset);
    const begun = new Set<number>();
    for (const event of events) {
      const due = expected.get(event.slice) ?? 0;
      if (!begun.has(event.slice) && event.offset !== due)
        yield `${shown(event)} is the first after ${from}, where offset ${due} follows`;
      begun.add(event.slice);
      next.set(event.slice, event.offset + 1);
      if (wanted.has(event.position)) after.set(event.position, new Map(next));
    }
  }
}

function* placesAgree(reader: FeedReaderHistory, places: Map<string, SeenFeedEvent>): Generator<string> {
  for (const event of eventsOf(reader)) {
    const place = `${event.slice}:${event.offset}`;
    const known = places.get(place) ?? event;
    if (known.text !== event.text) yield `${shown(event)} is ${known.text} in another read`;
    places.set(place, known);
  }
}

function* stateIsFold({ offsets, applied }: ProjectedState, events: SeenFeedEvent[]): Generator<string> {
  const expected = new Map<string, number[]>();
  for (const { persistenceId, sequenceNr, slice, offset } of events.toSorted((a, b) => a.offset - b.offset)) {
    if (offset >= (offsets.get(slice) ?? 0)) continue;
    const numbers = expected.get(persistenceId) ?? [];
    expected.set(persistenceId, numbers);
    numbers.push(sequenceNr);
  }
  for (const id of new Set([...expected.keys(), ...applied.keys()])) {
    const [due, found] = [expected.get(id) ?? [], applied.get(id) ?? []].map((numbers) => numbers.join(" "));
    if (due !== found) yield `${id} has the events [${found}] applied instead of [${due}]`;
  }
}

import { ackedNumbers } from "./acked-rules.ts";
import { deletedTo, type IdHistory, type SeenReplay } from "./id-history.ts";

/** Whether a number is known to be taken by a row that never counted. */
export type IsTaken = (persistenceId: string, sequenceNr: number) => boolean;

/** J2: a replay has no gaps, and begins where it was asked to, or where deletions end. */
export function* noGaps(history: IdHistory, isTaken: IsTaken): Generator<string> {
  for (const { operation, events, ended } of history.replays) {
    let due = Math.max(1, operation.from ?? 1);
    const deleted = deletedTo(history, ended);
    for (const { sequenceNr } of events) {
      for (; due < sequenceNr; due++) {
        const begins = sequenceNr === events[0]?.sequenceNr;
        if (isTaken(history.persistenceId, due) || (begins && due <= deleted)) continue;
        yield `a replay continues with number ${sequenceNr}, and number ${due} is missing`;
        break;
      }
      due = sequenceNr + 1;
    }
  }
}

/** J3: an atomic write is seen whole, or, where a replay begins or deletion ends inside it, from there on. */
export function* wholeOrNothing(history: IdHistory): Generator<string> {
  for (const { operation, events, ended } of history.replays) {
    const at = new Map(events.map((event) => [event.sequenceNr, event.text]));
    const from = Math.max(operation.from ?? 1, deletedTo(history, ended) + 1);
    for (const { text, sequenceNr } of events) {
      const place = history.placeOf.get(text);
      if (place === undefined) continue;
      const { batch, index } = place;
      const first = sequenceNr - index;
      const torn = batch.texts.findIndex(
        (other, each) => (each > index || first + each >= from) && at.get(first + each) !== other,
      );
      if (torn >= 0)
        yield `${text} is replayed as number ${sequenceNr} without ${batch.texts[torn]} of the same write`;
    }
  }
}

/** J4: once a later writer has written, no earlier one has; a writer's events are contiguous. */
export function* writersFollowEachOther(history: IdHistory): Generator<string> {
  const recoveryOf = new Map(history.recoveries.map((recovery) => [recovery.writerUuid, recovery]));
  for (const events of sequencesOf(history)) {
    const before = new Set<string>();
    let current: string | undefined;
    for (const { sequenceNr, writerUuid } of events) {
      if (writerUuid === current) continue;
      if (before.has(writerUuid))
        yield `number ${sequenceNr} is by writer ${writerUuid}, which another had superseded`;
      const mine = recoveryOf.get(writerUuid);
      const theirs = current === undefined ? undefined : recoveryOf.get(current);
      if (mine && theirs && mine.ended < theirs.invoked) {
        yield `number ${sequenceNr} is by writer ${writerUuid}, and the one before by ${current}, which recovered later`;
      }
      if (current !== undefined) before.add(current);
      current = writerUuid;
    }
  }
}

/** J4 where fencing is strict: what a recovery has not seen of earlier writers never shows. */
export function* deposedStayAway(history: IdHistory): Generator<string> {
  const recoveryOf = new Map(history.recoveries.map((recovery) => [recovery.writerUuid, recovery]));
  for (const events of sequencesOf(history)) {
    for (const { sequenceNr, writerUuid } of events) {
      const own = recoveryOf.get(writerUuid);
      if (own === undefined) continue;
      const later = history.recoveries.find(
        ({ invoked, highest }) => own.ended < invoked && highest < sequenceNr,
      );
      if (later)
        yield `number ${sequenceNr} is by writer ${writerUuid}; ${later.writerUuid} had taken over at ${later.highest}`;
    }
  }
}

/** Every replay, and all that was acknowledged. */
function* sequencesOf(history: IdHistory): Generator<readonly { sequenceNr: number; writerUuid: string }[]> {
  for (const { events } of history.replays) yield events;
  yield history.batches
    .flatMap((batch) =>
      ackedNumbers(batch).map(([, sequenceNr]) => ({ sequenceNr, writerUuid: batch.writerUuid })),
    )
    .sort((one, other) => one.sequenceNr - other.sequenceNr);
}

/** J7: all reads see the same events, and later ones no fewer. */
export function* replaysAgree(history: IdHistory): Generator<string> {
  const textAt = new Map<number, string>(
    history.batches.flatMap((batch) => ackedNumbers(batch).map(([text, number]) => [number, text] as const)),
  );
  for (const { events } of history.replays) {
    for (const { sequenceNr, text } of events) {
      const other = textAt.get(sequenceNr) ?? text;
      textAt.set(sequenceNr, other);
      if (other !== text) yield `number ${sequenceNr} is ${other} to one and ${text} to another`;
    }
  }
  yield* shrunk(history);
}

/** A replay shows at least what one that had ended before showed, as far as its bounds reach. */
function* shrunk(history: IdHistory): Generator<string> {
  const byEnd = [...history.replays].sort((one, other) => one.ended - other.ended);
  const byBegin = [...history.replays].sort((one, other) => one.invoked - other.invoked);
  /** The last number of the write at each number that some replay showed. */
  const shown = new Map<number, number>();
  let highest = 0;
  let next = 0;
  for (const replay of byBegin) {
    for (; (byEnd[next]?.ended ?? Number.POSITIVE_INFINITY) < replay.invoked; next++) {
      for (const { sequenceNr, text } of (byEnd[next] as SeenReplay).events) {
        const { batch, index = 0 } = history.placeOf.get(text) ?? {};
        shown.set(sequenceNr, sequenceNr - index + (batch?.texts.length ?? 1) - 1);
        highest = Math.max(highest, sequenceNr);
      }
    }
    const due = dueEnd(replay, shown, highest);
    const last = Math.max(lastOf(replay), deletedTo(history, replay.ended));
    if (last < due && (replay.operation.from ?? 1) <= due)
      yield `a replay ends at ${last}; an earlier one showed ${due}`;
  }
}

/** The highest number that was shown before and that the bounds of a replay leave no reason to leave out. */
function dueEnd(
  { operation, events }: SeenReplay,
  shown: ReadonlyMap<number, number>,
  highest: number,
): number {
  const { from = 1, to = Number.POSITIVE_INFINITY, max = Number.POSITIVE_INFINITY } = operation;
  const next = Math.max(events[events.length - 1]?.sequenceNr ?? 0, from - 1) + 1;
  const end = shown.get(next);
  // Only the next write shows whether its sequence number was free.
  if (max !== Number.POSITIVE_INFINITY)
    return end !== undefined && end <= to && events.length + end - next + 1 <= max ? end : 0;
  let due = Math.min(highest, to);
  while (due > 0 && (shown.get(due) ?? Number.POSITIVE_INFINITY) > to) due--;
  return due;
}

function lastOf({ events }: SeenReplay): number {
  return events[events.length - 1]?.sequenceNr ?? 0;
}

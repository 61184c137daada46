import { deletedTo, type IdHistory, type SeenReplay, type WrittenBatch } from "./id-history.ts";

/** J1: every acknowledged event is in every replay that began later, at its number, unless it was deleted. */
export function* ackedAreReplayed(history: IdHistory): Generator<string> {
  for (const replay of history.replays) {
    const at = new Map(replay.events.map((event) => [event.sequenceNr, event]));
    const [from, to] = covered(history, replay);
    for (const batch of history.batches) {
      if (batch.seen.kind !== "ok" || batch.ended > replay.invoked) continue;
      const { first } = batch.seen;
      for (const [index, text] of batch.texts.entries()) {
        const number = first + index;
        if (number < from || number > to || at.get(number)?.text === text) continue;
        yield `${text} was acknowledged as number ${number}; a later replay has ${at.get(number)?.text ?? "nothing"} there`;
      }
    }
  }
}

/** The numbers that a replay must show in full: above what may be deleted, up to where its bounds surely end it. */
function covered(history: IdHistory, replay: SeenReplay): [from: number, to: number] {
  const { operation, ended } = replay;
  const from = Math.max(operation.from ?? 1, deletedTo(history, ended) + 1);
  // A batch that a bound cuts is left out: what is sure are the batches that end within it.
  const to = operation.to === undefined ? Number.POSITIVE_INFINITY : lastWhole(history, operation.to);
  return [from, operation.max === undefined ? to : Math.min(to, endByMax(history, replay, operation.max))];
}

/** How far a replay with `max` must go: to the write after its last event too, if that one still fits. */
function endByMax(
  history: IdHistory,
  { operation, events, invoked, ended }: SeenReplay,
  max: number,
): number {
  const lastGiven = events[events.length - 1]?.sequenceNr ?? 0;
  const next = Math.max(lastGiven + 1, operation.from ?? 1);
  // What was deleted meanwhile may have been a write that did not fit.
  if (next <= deletedTo(history, ended)) return lastGiven;
  for (const { seen, ended: acked } of history.batches) {
    if (seen.kind !== "ok" || acked > invoked || next < seen.first || next > seen.last) continue;
    return events.length + seen.last - next + 1 <= max ? seen.last : lastGiven;
  }
  return lastGiven;
}

function lastWhole({ batches }: IdHistory, to: number): number {
  const cut = batches.find(({ seen }) => seen.kind === "ok" && seen.first <= to && seen.last > to);
  return cut?.seen.kind === "ok" ? cut.seen.first - 1 : to;
}

/** J5: nothing of a write that was rejected or lost to another is ever seen. */
export function* refusedAreNotSeen({ replays, placeOf }: IdHistory): Generator<string> {
  for (const { events } of replays) {
    for (const { text, sequenceNr } of events) {
      const kind = placeOf.get(text)?.batch.seen.kind;
      if (kind === "rejected" || kind === "conflict") {
        yield `${text} was reported as ${kind}, and is replayed as number ${sequenceNr}`;
      }
    }
  }
}

/** J6: no event is stored twice. */
export function* noneIsTwice({ replays, batches }: IdHistory): Generator<string> {
  const numberOf = new Map<string, number>();
  const note = (text: string, number: number) => {
    const before = numberOf.get(text) ?? number;
    numberOf.set(text, before);
    return before === number ? [] : [`${text} is number ${before} and number ${number}`];
  };
  for (const batch of batches) {
    if (batch.seen.kind === "ok") yield* ackedNumbers(batch).flatMap(([text, number]) => note(text, number));
  }
  for (const { events } of replays) {
    for (const { text, sequenceNr } of events) yield* note(text, sequenceNr);
    const repeated = events.find(({ sequenceNr }, at) => sequenceNr <= (events[at - 1]?.sequenceNr ?? 0));
    if (repeated) yield `a replay returns number ${repeated.sequenceNr} after one that is not lower`;
  }
}

/** J10: an append without a writer that expects a highest number is stored right after it. */
export function* expectedHolds({ batches }: IdHistory): Generator<string> {
  for (const { expected, seen, texts } of batches) {
    if (expected === undefined || expected === "any" || seen.kind !== "ok") continue;
    const due = (expected === "none" ? 0 : expected) + 1;
    if (seen.first !== due)
      yield `${texts[0]} should be number ${due}, and was acknowledged as ${seen.first}`;
  }
}

/** The numbers that an acknowledged batch got. */
export function ackedNumbers({ seen, texts }: WrittenBatch): [text: string, number: number][] {
  return seen.kind === "ok" ? texts.map((text, index) => [text, seen.first + index]) : [];
}

import type { Journal, JournalEvent } from "../context/journal.ts";

/** Which events to read. */
export interface EventRange {
  /** The first sequence number. */
  readonly from: number;
  /** The last sequence number; may be infinite. */
  readonly to: number;
  /** The maximum number of events; may be infinite. */
  readonly max: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns the events of a range, including a part of an atomic write if the range ends within it. A replay ends before such a write.
 * For adapters of event stores whose ranges know nothing of atomic writes.
 *
 * @example
 * for await (const { sequenceNr } of eventsInRange(journal, "cart-1", { from: 1, to: 3, max: Infinity })) console.log(sequenceNr);
 */
export async function* eventsInRange(
  journal: Pick<Journal, "replay" | "highestSequenceNr">,
  persistenceId: string,
  { from, to, max, signal }: EventRange,
): AsyncGenerator<JournalEvent, void, undefined> {
  let next = from;
  let left = max;
  if (next > to || left <= 0) return;
  const isBounded = Number.isFinite(to) || Number.isFinite(max);
  for await (const event of journal.replay(persistenceId, { from, ...(isBounded && { to, max }), signal })) {
    yield event;
    next = event.sequenceNr + 1;
    if (--left <= 0) return;
  }
  if (!isBounded || next > to) return;
  if (next > (await journal.highestSequenceNr(persistenceId, { signal }))) return;
  // The replay ended before a write that the range divides.
  for await (const event of journal.replay(persistenceId, { from: next, signal })) {
    if (event.sequenceNr > to) return;
    yield event;
    if (--left <= 0) return;
  }
}

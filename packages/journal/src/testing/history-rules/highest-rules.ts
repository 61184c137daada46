import type { IdHistory } from "./id-history.ts";

/** J8: the highest sequence number is never below an event that was acknowledged or seen before. */
export function* highestCoversAcked(history: IdHistory): Generator<string> {
  const known = [
    ...history.batches.flatMap(({ seen, ended }) =>
      seen.kind === "ok" ? [{ number: seen.last, ended }] : [],
    ),
    ...history.replays.map(({ events, ended }) => ({
      number: events[events.length - 1]?.sequenceNr ?? 0,
      ended,
    })),
  ];
  for (const { highest, least } of answers(history, known)) {
    if (highest < least)
      yield `the highest number is reported as ${highest}, after number ${least} had been seen`;
  }
}

/** J9: the highest number never goes down. */
export function* highestNeverFalls(history: IdHistory): Generator<string> {
  const known = history.highest.map(({ highest, ended }) => ({ number: highest, ended }));
  for (const { highest, least } of answers(history, known)) {
    if (highest < least) yield `the highest number falls from ${least} to ${highest}`;
  }
}

/** Every answer, with the most that was known before it was asked for. */
function* answers(
  { highest }: IdHistory,
  known: readonly { readonly number: number; readonly ended: number }[],
): Generator<{ highest: number; least: number }> {
  const byEnd = [...known].sort((one, other) => one.ended - other.ended);
  const byStart = [...highest].sort((one, other) => one.invoked - other.invoked);
  let least = 0;
  let next = 0;
  for (const answer of byStart) {
    for (; (byEnd[next]?.ended ?? Number.POSITIVE_INFINITY) < answer.invoked; next++) {
      least = Math.max(least, byEnd[next]?.number ?? 0);
    }
    yield { highest: answer.highest, least };
  }
}

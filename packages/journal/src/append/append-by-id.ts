import { waitWithin } from "@tablekeep/client";
import { isTablekeepError, type Outcome, type TablekeepError } from "@tablekeep/core";
import { pauseBeforeRetry } from "../context/calls.ts";
import type { AppendByIdOptions, AtomicWrite, WrittenRange } from "../context/journal.ts";
import { type Call, callOptions, type JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import { settledPosition } from "../protocol/position.ts";
import { writerBusy } from "../protocol/write-errors.ts";
import { journalWriter, maxWaitingAppends } from "./journal-writer.ts";
import { recoverWriter } from "./recover.ts";

/** The maximum number of retries after another writer was first, while the expectation still holds. */
const maxAttempts = 6;

type Append = (
  persistenceId: string,
  events: AtomicWrite,
  options: AppendByIdOptions,
) => Promise<Outcome<WrittenRange>>;

/** The running and waiting appends of one id, and the end of the last of them. */
interface Turns {
  count: number;
  last: Promise<unknown>;
}

/**
 * Appends without a writer. Appends to one id run one after the other, so that they do not conflict with each other.
 */
export function appendById(context: JournalContext): Append {
  const byId = new Map<string, Turns>();
  return async (persistenceId, events, options) => {
    const call = callOptions(context, options);
    const turns = byId.get(persistenceId) ?? { count: 0, last: Promise.resolve() };
    if (turns.count >= maxWaitingAppends)
      return { kind: "rejected", error: writerBusy(persistenceId, turns.count) };
    const { last: before, count } = turns;
    const begin = () => appendOnce(context, persistenceId, events, options, call);
    const run =
      count === 0
        ? begin()
        : waitWithin({ clock: context.clock, ...call }, before).then(
            begin,
            (error: TablekeepError): Outcome<WrittenRange> => ({ kind: "rejected", error }),
          );
    byId.set(persistenceId, turns);
    turns.count++;
    // An aborted append keeps its place, so that the queue stays bounded.
    turns.last = Promise.allSettled([before, run]).then(() => {
      if (--turns.count === 0) byId.delete(persistenceId);
    });
    return run;
  };
}

/** Recovers, checks the expectation, and appends. */
async function appendOnce(
  context: JournalContext,
  persistenceId: string,
  events: AtomicWrite,
  { expected = "any", alsoWrite }: AppendByIdOptions,
  call: Call,
): Promise<Outcome<WrittenRange>> {
  const count = Array.isArray(events) ? events.length : 1;
  const highestExpected = expected === "none" ? 0 : expected;
  try {
    for (let attempt = 1; ; attempt++) {
      // A recovery would supersede another writer, although this append is rejected.
      if (context.fencing === "strict" && highestExpected !== "any") {
        const { highest } = await settledPosition(context, persistenceId, call);
        if (highest !== highestExpected) return unexpected(persistenceId, highestExpected, highest, count);
      }
      const writer = journalWriter(context, await recoverWriter(context, persistenceId, call));
      const highest = writer.highestSequenceNr;
      if (highestExpected !== "any" && highest !== highestExpected)
        return unexpected(persistenceId, highestExpected, highest, count);
      const { signal, deadlineMs } = call;
      const outcome = await writer.append(events, { signal, deadlineMs, alsoWrite });
      // The events of the other writer decide whether this append may still follow.
      if (outcome.kind !== "conflict" || attempt >= maxAttempts) return outcome;
      await pauseBeforeRetry(context, attempt - 1, call);
    }
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    return { kind: "rejected", error: error.ambiguous ? notAppended(persistenceId, error) : error };
  }
}

function unexpected(
  persistenceId: string,
  expected: number,
  highest: number,
  count: number,
): Outcome<WrittenRange> {
  const error = new JournalError(
    "JOURNAL_CONFLICT",
    `${persistenceId}: the highest sequence number is ${highest}, expected ${expected}: read the events up to ${highest} and decide again`,
    { persistenceId, first: expected + 1, last: expected + count, highest },
  );
  return { kind: "conflict", error };
}

/** The error for an append that failed before its events were sent: at most, the outcome of the recovery is unknown. */
function notAppended(persistenceId: string, cause: TablekeepError): JournalError {
  return new JournalError(
    "JOURNAL_NOT_WRITTEN",
    `${persistenceId}: the events were not stored: append them again (${cause.message})`,
    { persistenceId, first: 0, last: 0 },
    { cause },
  );
}

import { waitWithin } from "@tablekeep/client";
import type { Outcome, TablekeepError } from "@tablekeep/core";
import { appendChecks } from "../context/call-checks.ts";
import { deadlineExceeded } from "../context/calls.ts";
import type { AppendOptions, AtomicWrite, JournalWriter, WrittenRange } from "../context/journal.ts";
import { type Call, callOptions, type JournalContext } from "../context/journal-context.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { writerBusy } from "../protocol/refusals.ts";
import { appendOne } from "./append-one.ts";
import type { WriterSession } from "./writer-session.ts";

/** Appends that may wait for one writer. */
const maxWaiting = 1000;

/** The writer of a session. Its appends run one after the other. */
export function journalWriter(context: JournalContext, session: WriterSession): JournalWriter {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    persistenceId: session.persistenceId,
    writerUuid: session.writerUuid,
    get highestSequenceNr() {
      return session.next - 1;
    },
    get lowestSequenceNr() {
      return session.lowest;
    },
    async append(writes, options = {}) {
      checkAppend(writes, options);
      if (waiting >= maxWaiting) {
        const error = writerBusy(session.persistenceId, waiting);
        return writes.map(() => ({ kind: "rejected", error }));
      }
      waiting++;
      // The time that it waits for its turn counts.
      const call = callOptions(context, options);
      const before = last;
      const isNext = waiting === 1;
      const run = (isNext ? before : waitWithin({ clock: context.clock, ...call }, before)).then(
        () => appendAll(context, session, writes, options.alsoWrite ?? [], call),
        // It gave up before its turn, which will never come: nothing of it is written.
        (error: TablekeepError) => writes.map(() => ({ kind: "rejected" as const, error })),
      );
      const leave = () => waiting--;
      // One that gave up keeps its place in the queue, which is how that stays bounded.
      last = (isNext ? run : before.then(() => run)).then(leave, leave);
      context.writesUnderWay.add(session.persistenceId, run);
      return run;
    },
  };
}

/**
 * Items of the caller go with exactly one write: beside several they would be missing where the last one is not stored and
 * others are, and beside none they would not be written at all.
 */
function checkAppend(writes: readonly AtomicWrite[], options: AppendOptions): void {
  checkOptions(options, appendChecks);
  if ((options.alsoWrite ?? []).length > 0 && writes.length !== 1)
    throw optionInvalid(
      "alsoWrite",
      `needs exactly one write, got ${writes.length}: append several events as one atomic write, [[first, second]]`,
    );
}

/** Writes in order. A write that cannot be stored as it is leaves the others alone; after any other failure they are not sent. */
async function appendAll(
  context: JournalContext,
  session: WriterSession,
  writes: readonly AtomicWrite[],
  alsoWrite: NonNullable<AppendOptions["alsoWrite"]>,
  call: Call,
): Promise<Outcome<WrittenRange>[]> {
  const outcomes: Outcome<WrittenRange>[] = [];
  let refusal: Extract<Outcome, { kind: "rejected" }> | undefined;
  for (const [at, write] of writes.entries()) {
    if (at > 0 && call.isOver) refusal ??= { kind: "rejected", error: deadlineExceeded(0) };
    if (refusal !== undefined) {
      outcomes.push(refusal);
      continue;
    }
    const along = at === writes.length - 1 ? alsoWrite : [];
    const { outcome, stop } = await appendOne(context, session, write, along, call);
    outcomes.push(outcome);
    if (stop && outcome.kind === "rejected") refusal = outcome;
  }
  return outcomes;
}

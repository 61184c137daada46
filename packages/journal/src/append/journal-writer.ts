import { waitWithin } from "@tablekeep/client";
import {
  type CallOptions,
  callChecks,
  type Outcome,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import { appendChecks } from "../context/call-checks.ts";
import { deadlineExceeded } from "../context/calls.ts";
import type {
  AppendOptions,
  AtomicWrite,
  JournalWriter,
  Outcomes,
  WrittenRange,
} from "../context/journal.ts";
import { type Call, callOptions, type JournalContext } from "../context/journal-context.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { writerBusy } from "../protocol/write-errors.ts";
import { appendOne } from "./append-one.ts";
import type { WriterSession } from "./writer-session.ts";

/** The maximum number of appends that wait for one writer. */
export const maxWaitingAppends = 1000;

/** The writer of a session. Its appends run one after the other. */
export function journalWriter(context: JournalContext, session: WriterSession): JournalWriter {
  const { persistenceId, writerUuid } = session;
  const count = context.compaction?.counter(persistenceId);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async (
    writes: readonly AtomicWrite[],
    { alsoWrite = [], ...options }: AppendOptions,
  ): Promise<Outcome<WrittenRange>[]> => {
    if (waiting >= maxWaitingAppends) {
      const error = writerBusy(persistenceId, waiting);
      return writes.map(() => ({ kind: "rejected", error }));
    }
    waiting++;
    // The time in the queue counts.
    const call = callOptions(context, options);
    const before = last;
    const isNext = waiting === 1;
    const run = (isNext ? before : waitWithin({ clock: context.clock, ...call }, before)).then(
      () => appendAll(context, session, writes, alsoWrite, call),
      // It was aborted in the queue: nothing of it is ever written.
      (error: TablekeepError) => writes.map(() => ({ kind: "rejected" as const, error })),
    );
    const leave = () => waiting--;
    // An aborted append keeps its place in the queue, so that the queue stays bounded.
    last = (isNext ? run : before.then(() => run)).then(leave, leave);
    context.writesUnderWay.add(persistenceId, run);
    if (count !== undefined) void run.then(count, () => {});
    return run;
  };
  return {
    persistenceId,
    writerUuid,
    get highestSequenceNr() {
      return session.next - 1;
    },
    get lowestSequenceNr() {
      return session.lowest;
    },
    async append(events, options = {}) {
      checkOptions(options, appendChecks);
      const [outcome] = await inTurn([events], options);
      return outcome as Outcome<WrittenRange>;
    },
    async appendEach<const Writes extends readonly AtomicWrite[]>(
      writes: Writes,
      options: CallOptions = {},
    ): Promise<Outcomes<Writes>> {
      checkOptions(options, callChecks);
      if (!Array.isArray(writes)) throw optionInvalid("writes", "must be an array of writes");
      return (await inTurn(writes, options)) as Outcomes<Writes>;
    },
  };
}

/** Writes in order; `alsoWrite` is given only with a single write. A write that cannot be stored does not affect the others; after any other failure they are not sent. */
async function appendAll(
  context: JournalContext,
  session: WriterSession,
  writes: readonly AtomicWrite[],
  alsoWrite: readonly TransactWriteItem[],
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
    const { outcome, stop } = await appendOne(context, session, write, alsoWrite, call);
    outcomes.push(outcome);
    if (stop && outcome.kind === "rejected") refusal = outcome;
  }
  return outcomes;
}

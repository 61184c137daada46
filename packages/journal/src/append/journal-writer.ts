import { itemSize, maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import { type CallOptions, isTablekeepError, type Outcome } from "@tablekeep/core";
import type { AppendOptions, AtomicWrite, JournalWriter, WrittenRange } from "../journal.ts";
import { callOptions, type JournalContext } from "../journal-context.ts";
import { conflict, outcomeUnknown, writerBusy, writerEnded } from "../journal-refusals.ts";
import { readPosition } from "../position/read-position.ts";
import { extraActions } from "./extra-actions.ts";
import { prepareWrite } from "./prepare-write.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { sendSingle } from "./send-single.ts";
import { sendStaged } from "./send-staged.ts";
import { sendTransaction } from "./send-transaction.ts";
import type { Settled } from "./settle.ts";
import type { WriterSession } from "./writer-session.ts";

/** Tombstones live for 24 hours; a view older than half of that is read anew before the next append. */
const viewLifeMs = 12 * 3600 * 1000;

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
    append(writes, options = {}) {
      if (waiting >= maxWaiting) {
        const error = writerBusy(session.persistenceId, waiting);
        return Promise.resolve(writes.map(() => ({ kind: "rejected", error })));
      }
      waiting++;
      const run = last.then(() => appendAll(context, session, writes, options));
      last = run.catch(() => undefined).finally(() => waiting--);
      return run;
    },
  };
}

async function appendAll(
  context: JournalContext,
  session: WriterSession,
  writes: readonly AtomicWrite[],
  options: AppendOptions,
): Promise<Outcome<WrittenRange>[]> {
  const outcomes: Outcome<WrittenRange>[] = [];
  for (const [at, write] of writes.entries()) {
    const alsoWrite = at === writes.length - 1 ? (options.alsoWrite ?? []) : [];
    outcomes.push(await appendOne(context, session, write, { ...options, alsoWrite }));
  }
  return outcomes;
}

async function appendOne(
  context: JournalContext,
  session: WriterSession,
  write: AtomicWrite,
  options: AppendOptions,
): Promise<Outcome<WrittenRange>> {
  if (session.ended) return { kind: "rejected", error: writerEnded(session.persistenceId) };
  const call = callOptions(context, {
    signal: options.signal,
    deadlineMs: options.deadlineMs ?? context.deadlineMs,
  });
  let prepared: PreparedWrite;
  try {
    prepared = prepareWrite(context, session, write, options.alsoWrite ?? []);
    await refreshView(context, session, call);
  } catch (error) {
    if (isTablekeepError(error)) return { kind: "rejected", error };
    throw error;
  }
  if (prepared.first !== session.next) {
    session.ended = true;
    return { kind: "conflict", error: conflict(prepared, writerEnded(session.persistenceId)) };
  }
  return outcomeOf(context, session, prepared, await send(context, session, prepared, call));
}

function outcomeOf(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  settled: Settled,
): Outcome<WrittenRange> {
  const { first, last } = write;
  switch (settled.kind) {
    case "ok":
      session.next = last + 1;
      session.registered = true;
      session.viewedAt = context.clock.monotonic();
      return { kind: "ok", value: { first, last } };
    case "rejected":
      return { kind: "rejected", error: settled.error };
    case "conflict":
      session.ended = true;
      return { kind: "conflict", error: conflict(write, settled.error) };
    case "unknown":
      session.ended = true;
      return { kind: "unknown", error: outcomeUnknown(write, settled.error) };
  }
}

/** A writer that idled across a delete must not put an event into a number that was written and deleted meanwhile. */
async function refreshView(
  context: JournalContext,
  session: WriterSession,
  call: CallOptions,
): Promise<void> {
  if (context.clock.monotonic() - session.viewedAt < viewLifeMs) return;
  const { highest } = await readPosition(context, session.persistenceId, call);
  if (highest === session.next - 1) session.viewedAt = context.clock.monotonic();
  else session.next = highest + 1;
}

/** One put where that is enough, one transaction where that is needed, a staged batch where none is large enough. */
function send(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  call: CallOptions,
): Promise<Settled> {
  const extras = extraActions(context, session, write, 0).length;
  if (write.rows.length === 1 && extras === 0) return sendSingle(context, write, 0, false, call);
  if (write.rows.length + extras <= maxTransactActions && bytesOf(write) <= maxTransactBytes) {
    return sendTransaction(context, session, write, call);
  }
  return sendStaged(context, session, write, call);
}

function bytesOf(write: PreparedWrite): number {
  // Keys and conditions go along; 4 KB an item is more than they ever take.
  return write.attributes.reduce((total, item) => total + itemSize(item), 0) + write.rows.length * 512;
}

import { maxTransactActions } from "@tablekeep/client";
import {
  type CallOptions,
  isTablekeepError,
  type Outcome,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import type { AtomicWrite, WrittenRange } from "../context/journal.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import { readPosition } from "../protocol/position.ts";
import { conflict, notWritten, outcomeUnknown, writerEnded, writeTooLarge } from "../protocol/refusals.ts";
import type { Settled } from "../protocol/settle.ts";
import { checkedWrite } from "./checked-write.ts";
import { type PreparedWrite, prepareWrite } from "./prepare-write.ts";
import { sendSingle } from "./send-row.ts";
import { clearAbandoned, sendStaged } from "./send-staged.ts";
import { sendTransaction } from "./send-transaction.ts";
import { commitActions, extraActions, fenceActions, rowsThatFit } from "./transaction-plan.ts";
import { isOutdated, viewTime, type WriterSession } from "./writer-session.ts";

/** One put where that is enough, one transaction where that is needed, a staged batch where none is large enough. */
export function sendWrite(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  call: Call,
): Promise<Settled> {
  const extras = extraActions(context, session, write, 0);
  const beside = [...extras, ...fenceActions(context, session, write)];
  if (write.items.length === 1 && beside.length === 0) return sendSingle(context, write, 0, false, call);
  if (rowsThatFit(write, beside) === write.items.length) {
    return sendTransaction(context, session, write, call);
  }
  const lowest = rowsThatFit(write, [...extras, ...commitActions(context, session, write)]);
  return sendStaged(context, session, write, lowest, call);
}

/** How one write of an append ended, and whether the table, not the write itself, was the reason. */
export interface AppendResult {
  readonly outcome: Outcome<WrittenRange>;
  /** The writes that follow would fail too, or would occupy the place of this one. */
  readonly stop: boolean;
}

/** Writes one atomic write at the next number. */
export async function appendOne(
  context: JournalContext,
  session: WriterSession,
  write: AtomicWrite,
  alsoWrite: readonly TransactWriteItem[],
  call: Call,
): Promise<AppendResult> {
  if (session.ended) return rejected(writerEnded(session.persistenceId), true);
  let prepared: PreparedWrite;
  try {
    prepared = prepareWrite(context, session, checkedWrite(context, write), alsoWrite);
    checkRoom(context, session, prepared);
  } catch (error) {
    // Nothing was sent; and the outcomes of the writes before this one must be returned.
    return rejected(isTablekeepError(error) ? error : eventRefused(error), false);
  }
  try {
    if (session.abandoned !== undefined) await clearAbandoned(context, session, call);
    await refreshView(context, session, call);
  } catch (error) {
    if (isTablekeepError(error)) return rejected(notWritten(prepared, error), true);
    throw error;
  }
  if (prepared.first !== session.next) {
    session.ended = true;
    const error = conflict(prepared, writerEnded(session.persistenceId));
    return { outcome: { kind: "conflict", error }, stop: true };
  }
  const settled = await sendWrite(context, session, prepared, call);
  return { outcome: outcomeOf(context, session, prepared, settled), stop: settled.kind !== "ok" };
}

/** The error for an event that could not be turned into an item, because of a fault in a codec or in the event. */
function eventRefused(cause: unknown): JournalError<"JOURNAL_EVENT_INVALID"> {
  const reason = `it could not be encoded: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new JournalError(
    "JOURNAL_EVENT_INVALID",
    `payload: ${reason}`,
    { field: "payload", reason },
    { cause },
  );
}

function rejected(error: TablekeepError, stop: boolean): AppendResult {
  return { outcome: { kind: "rejected", error }, stop };
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
      session.aboveHole = false;
      session.highMark = Math.max(session.highMark, write.mark?.value ?? 0);
      session.registered = true;
      session.viewedAt = viewTime(context.clock);
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
  if (!isOutdated(session.viewedAt, context.clock)) return;
  const viewedAt = viewTime(context.clock);
  const { highest } = await readPosition(context, session.persistenceId, call);
  if (highest === session.next - 1) session.viewedAt = viewedAt;
  else session.next = highest + 1;
}

/** Whatever the caller adds, all rows must fit into one transaction beside it, or one row and what commits a staged batch. */
function checkRoom(context: JournalContext, session: WriterSession, write: PreparedWrite): void {
  if (write.alsoWrite.length === 0) return;
  const extras = extraActions(context, session, write, 0);
  const plain = [...extras, ...fenceActions(context, session, write)];
  if (rowsThatFit(write, plain) === write.items.length) return;
  const staged = [...extras, ...commitActions(context, session, write)];
  if (write.items.length > 1 && rowsThatFit(write, staged) > 0) return;
  const needed = write.items.length === 1 ? plain : staged;
  throw writeTooLarge(write, needed.length + 1, maxTransactActions);
}

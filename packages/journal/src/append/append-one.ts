import { waitWithin } from "@tablekeep/client";
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
import type { Settled } from "../protocol/settle.ts";
import { conflict, notWritten, outcomeUnknown, writerEnded } from "../protocol/write-errors.ts";
import { checkedWrite } from "./checked-write.ts";
import { type PreparedWrite, prepareWrite } from "./prepare-write.ts";
import { sendSingle } from "./send-row.ts";
import { clearAbandoned, sendStaged } from "./send-staged.ts";
import { sendTransaction } from "./send-transaction.ts";
import { planWrite, type WritePlan } from "./transaction-plan.ts";
import { isOutdated, viewTime, type WriterSession } from "./writer-session.ts";

/** Sends a write as planned. */
export function sendWrite(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  plan: WritePlan,
  call: Call,
): Promise<Settled> {
  switch (plan.how) {
    case "put":
      return sendSingle(context, write, 0, false, call);
    case "transaction":
      return sendTransaction(context, write, plan.extras, call);
    case "staged":
      return sendStaged(context, session, write, plan, call);
  }
}

/** The outcome of one write of an append, and whether the table, not the write itself, was the cause. */
export interface AppendResult {
  readonly outcome: Outcome<WrittenRange>;
  /** The following writes would fail too, or would use the sequence numbers of this one. */
  readonly stop: boolean;
}

/** Sends one atomic write at the next sequence number. */
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
    const encoding = prepareWrite(context, session, checkedWrite(context, write), alsoWrite);
    prepared =
      encoding instanceof Promise ? await waitWithin({ clock: context.clock, ...call }, encoding) : encoding;
  } catch (error) {
    // Nothing was sent, and the outcomes of the earlier writes must be returned.
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
  let plan: WritePlan;
  try {
    plan = planWrite(context, session, prepared);
  } catch (error) {
    if (isTablekeepError(error)) return rejected(error, false);
    throw error;
  }
  const settled = await sendWrite(context, session, prepared, plan, call);
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

/**
 * A writer that was idle during a delete must not put an event at a sequence number that was written and deleted
 * meanwhile.
 */
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

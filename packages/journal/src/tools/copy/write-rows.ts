import { maxItemBytes, newWriteId } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";
import { sendWrite } from "../../append/append-one.ts";
import { itemsOf, type PreparedWrite, sendable, stagedBytes } from "../../append/prepare-write.ts";
import { planWrite } from "../../append/transaction-plan.ts";
import type { WriterSession } from "../../append/writer-session.ts";
import type { JournalContext } from "../../context/journal-context.ts";
import { JournalError } from "../../errors/journal-error.ts";
import { conflict, outcomeUnknown } from "../../protocol/write-errors.ts";
import type { EventRow } from "../../rows/event-row.ts";
import { formatFor } from "./placeholder.ts";

/**
 * Writes rows that follow each other, all or none, with the marks and the registry row that go with them. The deadline is that
 * of each request: a long atomic write is slow, especially at a bounded rate.
 */
export async function writeRows(
  context: JournalContext,
  session: WriterSession,
  rows: readonly EventRow[],
  call: CallOptions,
): Promise<void> {
  const write = prepare(context, session, rows);
  const settled = await sendWrite(context, session, write, planWrite(context, session, write), call);
  if (settled.kind === "conflict") throw conflict(write, settled.error);
  if (settled.kind === "unknown") throw outcomeUnknown(write, settled.error);
  if (settled.kind === "rejected") throw settled.error;
  session.next = write.last + 1;
  session.highMark = Math.max(session.highMark, write.mark?.value ?? 0);
  session.registered = true;
}

function prepare(
  context: JournalContext,
  { persistenceId, highMark }: WriterSession,
  rows: readonly EventRow[],
): PreparedWrite {
  const writeId = newWriteId();
  const own = rows.map((row) => ({ ...row, writeId, staged: false }));
  const items = itemsOf(context, own, (row) => formatFor(row, context.format));
  for (const { row, size } of items) {
    const actual = size + stagedBytes;
    if (actual > maxItemBytes) throw tooLarge(row, actual);
  }
  const first = own[0]?.sequenceNr ?? 0;
  const last = first + own.length - 1;
  return {
    persistenceId,
    writeId,
    first,
    last,
    ...sendable(items),
    mark: context.layout.highMark(persistenceId, highMark, last),
    alsoWrite: [],
  };
}

function tooLarge({ persistenceId, sequenceNr }: EventRow, actual: number): JournalError {
  const message = `${persistenceId}: event ${sequenceNr} would have ${actual} bytes here, more than DynamoDB stores: use an item format or a journal name that takes less`;
  return new JournalError("JOURNAL_EVENT_TOO_LARGE", message, { actual, maximum: maxItemBytes });
}

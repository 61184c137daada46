import { recoverWriter } from "../../append/recover.ts";
import type { WriterSession } from "../../append/writer-session.ts";
import { checkId } from "../../context/journal-context.ts";
import { deleteTo } from "../../delete/delete-to.ts";
import { claimLife } from "../../delete/life.ts";
import { finishDelete, raiseLowMark } from "../../delete/low-mark-updates.ts";
import { raiseHighMark, readMarks } from "../../protocol/marks.ts";
import { registerId } from "../../protocol/registry.ts";
import type { EventRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { copyDiffers, copyRefused } from "./copy-errors.ts";
import { KnownRows } from "./known-rows.ts";
import { liveWrites } from "./live-writes.ts";
import { placeholder, RowDigest, RowGroup } from "./placeholder.ts";
import { writeRows } from "./write-rows.ts";

/** Takes over the id in the target, and makes it begin where the source begins. Returns its low mark. */
async function prepareTarget(
  target: Tool,
  { persistenceId, lowest }: Pick<CopySource, "persistenceId" | "lowest">,
  { followDeletes }: Pick<CopyOptions, "followDeletes">,
): Promise<{ readonly session: WriterSession; readonly low: number }> {
  const { context, call } = target;
  // Keys may be longer in the target: another layout, another journal name.
  checkId(context, persistenceId);
  const session = await recoverWriter(context, persistenceId, call);
  const there = session.next - 1;
  // First of all: an id whose events are all deleted gets no row that would register it.
  await registerId(context, persistenceId, call);
  session.registered = true;
  if (session.lowest >= lowest) {
    // An earlier run may have ended between the marks.
    await publishLowMark(target, persistenceId);
    await raiseHighMarkOf(target, session, Math.max(there, session.lowest - 1));
    return { session, low: session.lowest };
  }
  if (there > 0) {
    if (there >= lowest - 1 && followDeletes !== "always") return { session, low: lowest };
    if (followDeletes === "never") {
      const reason = `the target ends at ${there}, and the source begins at ${lowest}`;
      throw copyRefused(persistenceId, there, reason);
    }
    await deleteTo(context, persistenceId, lowest - 1, call);
  }
  if (there < lowest - 1) {
    await raiseMarks(target, session, lowest);
    session.next = lowest;
  }
  return { session: { ...session, lowest }, low: lowest };
}

/**
 * Marks sequence numbers below the lowest as used and deleted. Also writes the high mark, without which the original
 * finds nothing.
 */
async function raiseMarks(target: Tool, session: WriterSession, lowest: number): Promise<void> {
  const { context, call } = target;
  const { persistenceId } = session;
  const life = await claimLife(context, persistenceId, call);
  const { lowMark } = await readMarks(context, persistenceId, call);
  const none = { rowsFrom: lowest, tombsFrom: lowMark.lowest === 0 ? lowest : lowMark.tombsFrom };
  const mark = { ...lowMark, lowest, ...none };
  await raiseLowMark(context, persistenceId, mark, { life }, call);
  await finishDelete(context, persistenceId, mark, { life }, call);
  await raiseHighMarkOf(target, session, lowest - 1);
}

async function publishLowMark({ context, call }: Tool, persistenceId: string): Promise<void> {
  const { low, publishedLow } = await readMarks(context, persistenceId, call);
  if (publishedLow >= low) return;
  const life = await claimLife(context, persistenceId, call);
  const { lowMark } = await readMarks(context, persistenceId, call);
  await finishDelete(context, persistenceId, lowMark, { life }, call);
}

async function raiseHighMarkOf(
  { context, call }: Tool,
  session: WriterSession,
  reached: number,
): Promise<void> {
  const { persistenceId, highMark: known } = session;
  await raiseHighMark(context, persistenceId, { known, reached }, call);
  session.highMark = Math.max(known, context.layout.highMark(persistenceId, known, reached)?.value ?? 0);
}

/** The source of a copy of one id. */
export interface CopySource {
  readonly persistenceId: string;
  /** The lowest sequence number that is not deleted. */
  readonly lowest: number;
  /** Its atomic writes from there up, each whole. */
  readonly writes: AsyncIterable<readonly EventRow[]>;
  /** Returns the highest sequence number, after the last write. Undefined if more follows. */
  readonly highest: () => number | undefined;
}

/** The result for one id. */
export interface CopiedId {
  readonly persistenceId: string;
  /** Events of the source. */
  readonly events: number;
  /** How many of them were written now; the others were there. */
  readonly written: number;
}

export interface CopyOptions {
  /** Whether events that the source has deleted are deleted in the target too: always, or if the target lacks the rest of them too. */
  readonly followDeletes: "always" | "gaps" | "never";
  readonly onRows: (count: number) => void;
}

/**
 * Updates one id of the target from its source: compares existing events, writes missing ones, each atomic
 * write as a whole, and reads them back. If interrupted, it continues when called again.
 */
export async function copyId(target: Tool, source: CopySource, options: CopyOptions): Promise<CopiedId> {
  const { persistenceId } = source;
  const { session, low } = await prepareTarget(target, source, options);
  const there = session.next - 1;
  const known = new KnownRows(target, persistenceId, { from: low, to: there, low });
  const written = new RowDigest();
  const group = new RowGroup();
  const add = async (write: readonly EventRow[]) => {
    for (const row of write) written.add(row);
    await flush(target, session, group.add(write));
  };
  let due = Math.max(session.next, source.lowest);
  let events = 0;
  for await (const write of source.writes) {
    const first = write[0]?.sequenceNr ?? 0;
    const last = first + write.length - 1;
    options.onRows(write.length);
    events += write.length;
    if (last < low) continue;
    if (first <= there) await known.compare(write);
    if (last <= there) continue;
    if (first <= there)
      throw copyRefused(persistenceId, first, `the target has only a part of the events ${first} to ${last}`);
    for (; due < first; due++) await add([placeholder(persistenceId, due)]);
    await add(write);
    due = last + 1;
  }
  for (const end = source.highest() ?? 0; due <= end; due++) await add([placeholder(persistenceId, due)]);
  await flush(target, session, group.take());
  await known.close();
  await readBack(target, persistenceId, { from: there + 1, to: session.next - 1, low }, written);
  return { persistenceId, events, written: written.count };
}

async function flush(target: Tool, session: WriterSession, rows: readonly EventRow[]): Promise<void> {
  if (rows.length > 0) await writeRows(target.context, session, rows, target.call);
}

/** Reads back what was written and compares it. */
async function readBack(
  { context, call }: Tool,
  persistenceId: string,
  range: { readonly from: number; readonly to: number; readonly low: number },
  written: RowDigest,
): Promise<void> {
  const found = new RowDigest();
  for await (const write of liveWrites(context, persistenceId, range, { ...call, filter: "off" })) {
    for (const row of write) found.add(row);
  }
  if (found.digest() !== written.digest()) throw copyDiffers(persistenceId, written.count, found.count);
}

import type { WriterSession } from "../../append/writer-session.ts";
import type { EventRow } from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import { copyDiffers, copyRefused } from "./copy-refusals.ts";
import { KnownRows } from "./known-rows.ts";
import { liveWrites } from "./live-writes.ts";
import { placeholder } from "./placeholder.ts";
import { prepareTarget } from "./prepare-target.ts";
import { RowDigest } from "./row-digest.ts";
import { RowGroup } from "./row-groups.ts";
import { writeRows } from "./write-rows.ts";

/** One id as it is to be copied. */
export interface CopySource {
  readonly persistenceId: string;
  /** The lowest number that is not deleted. */
  readonly lowest: number;
  /** Its atomic writes from there up, each whole. */
  readonly writes: AsyncIterable<readonly EventRow[]>;
  /** The highest number; asked when the writes have ended. Undefined if more is to come. */
  readonly highest: () => number | undefined;
}

/** What was done for one id. */
export interface CopiedId {
  readonly persistenceId: string;
  /** Events of the source. */
  readonly events: number;
  /** How many of them were written now; the others were there. */
  readonly written: number;
}

export interface CopyOptions {
  /** Whether events that the source has deleted are deleted in the target too. */
  readonly followDeletes: boolean;
  readonly onRows: (count: number) => void;
}

/**
 * Brings one id of the target up to its source: what is there is compared, what is missing is written, each atomic write
 * whole, and then read back. Cut short anywhere, it goes on from there when it is called again.
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
    if (first <= there) throw copyRefused(persistenceId, first, `${first} to ${last} are there in part`);
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

/** Reads what was written, and holds it against what was to be. */
async function readBack(
  { context, call }: Tool,
  persistenceId: string,
  range: { readonly from: number; readonly to: number; readonly low: number },
  written: RowDigest,
): Promise<void> {
  const found = new RowDigest();
  for await (const write of liveWrites(context, "off", persistenceId, range, call)) {
    for (const row of write) found.add(row);
  }
  if (found.digest() !== written.digest()) throw copyDiffers(persistenceId, written.count, found.count);
}

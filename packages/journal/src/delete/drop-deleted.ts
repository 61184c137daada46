import { type BatchWriteEntry, batchWriteStream } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";
import type { JournalCall, JournalContext } from "../journal-context.ts";
import type { LowMark } from "../position/low-mark.ts";
import { pageSettings } from "../replay/read-rows.ts";
import { decodeTombstone, encodeTombstone } from "../rows/tombstone.ts";
import { committedFirst } from "./committed-first.ts";
import { noteProgress } from "./low-mark-updates.ts";
import { settledItems } from "./settled-items.ts";

/** How long a deleted number stays taken, in seconds: longer than any writer trusts its view. */
const tombstoneLifeSeconds = 24 * 3600;

/** Replaces rows below the low mark by tombstones, and removes tombstones whose time is over. */
export async function dropDeleted(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: JournalCall,
): Promise<void> {
  const now = Math.floor(context.clock.now() / 1000);
  const sweeps = mark.tombsFrom < mark.rowsFrom && mark.tombsDue <= now;
  if (mark.rowsFrom >= mark.lowest && !sweeps) return;
  const swept = sweeps ? await sweepTombstones(context, persistenceId, mark, now, options) : mark;
  const expiresAt = now + tombstoneLifeSeconds;
  await writeAll(context, tombstones(context, persistenceId, mark, expiresAt, options), options);
  const none = swept.tombsFrom >= mark.rowsFrom;
  const tombsDue = none ? expiresAt : swept.tombsDue;
  await noteProgress(context, persistenceId, { ...swept, rowsFrom: mark.lowest, tombsDue }, options);
}

async function* tombstones(
  context: JournalContext,
  persistenceId: string,
  { rowsFrom, lowest }: LowMark,
  expiresAt: number,
  options: JournalCall,
): AsyncGenerator<BatchWriteEntry> {
  const { table, layout, port } = context;
  const below = { from: rowsFrom, to: lowest - 1 };
  for await (const item of settledItems(context, persistenceId, below, below.to, options)) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    if (decodeTombstone(item, { persistenceId, sequenceNr }) !== undefined) continue;
    const writeId = item["wid"]?.S;
    const commitOf = committedFirst(item, sequenceNr);
    if (commitOf !== undefined && writeId !== undefined) {
      // Before the row that tells of it goes. Not at once: a reader may hold a row of the batch and look for its record.
      const Item = {
        ...layout.commitKey(persistenceId, commitOf),
        wid: { S: writeId },
        last: { N: String(sequenceNr) },
        ttl: { N: String(expiresAt) },
      };
      await port.putItem({ TableName: table, Item }, options);
    }
    const key = layout.eventKey(persistenceId, sequenceNr);
    yield { table, put: { ...key, ...encodeTombstone({ writeId, expiresAt, commitOf }) } };
  }
}

/** Removes expired tombstones, with the commit records that expired along, up to the first that has not. */
async function sweepTombstones(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  now: number,
  options: JournalCall,
): Promise<LowMark> {
  const { table, layout } = context;
  let swept = { ...mark, tombsFrom: mark.rowsFrom };
  const expired = async function* (): AsyncGenerator<BatchWriteEntry> {
    const done = { from: mark.tombsFrom, to: mark.rowsFrom - 1 };
    for await (const item of settledItems(context, persistenceId, done, 0, options)) {
      const sequenceNr = layout.sequenceNrOf(persistenceId, item);
      const tombstone = decodeTombstone(item, { persistenceId, sequenceNr });
      if (tombstone?.expiresAt !== undefined && tombstone.expiresAt > now) {
        swept = { ...mark, tombsFrom: sequenceNr, tombsDue: tombstone.expiresAt };
        return;
      }
      const { commitOf } = tombstone ?? {};
      if (commitOf !== undefined) yield { table, delete: layout.commitKey(persistenceId, commitOf) };
      yield { table, delete: layout.eventKey(persistenceId, sequenceNr) };
    }
  };
  await writeAll(context, expired(), options);
  return swept;
}

/** Puts and deletes one batch after the other; stops at the first that fails. */
export async function writeAll(
  context: JournalContext,
  entries: AsyncIterable<BatchWriteEntry>,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  const settings = Object.defineProperties(
    { keyNames: { [table]: layout.keyNames }, maxEntries: context.maxBatchWrite },
    Object.getOwnPropertyDescriptors(pageSettings(context, options)),
  );
  for await (const _written of batchWriteStream(port, entries, settings));
}

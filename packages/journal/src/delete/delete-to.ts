import { type BatchWriteEntry, batchWriteStream } from "@tablekeep/client";
import { type CallOptions, isDynamoError } from "@tablekeep/core";
import { markUpdate } from "../append/extra-actions.ts";
import type { JournalContext } from "../journal-context.ts";
import { readPosition } from "../position/read-position.ts";
import { readRows } from "../replay/read-rows.ts";
import { encodeTombstone } from "../rows/tombstone.ts";

/** How long a deleted number stays taken, in seconds: longer than any writer trusts its view. */
const tombstoneLifeSeconds = 24 * 3600;

/**
 * Deletes up to a number: first the low mark is raised, so that nobody reads what is being deleted, then the rows are
 * replaced by tombstones. Called again after a failure it goes on where the rows are still there.
 */
export async function deleteTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  options: CallOptions,
): Promise<void> {
  const { highest, low } = await readPosition(context, persistenceId, options);
  const to = Math.min(toSequenceNr, highest);
  if (to < 1) return;
  if (to + 1 > low) await raiseLowMark(context, persistenceId, to + 1, options);
  await dropRows(context, persistenceId, to, options);
}

async function raiseLowMark(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  lowest: number,
  options: CallOptions,
): Promise<void> {
  try {
    const update = markUpdate(table, layout.lowMark(persistenceId, lowest));
    // To raise it twice is to raise it once.
    await port.updateItem(update, { ...options, idempotent: true });
  } catch (error) {
    // A higher mark stands there: more is deleted already.
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
  }
}

/** Replaces what is left of the rows up to `to` by tombstones, and lets the commit records of whole batches expire. */
async function dropRows(
  context: JournalContext,
  persistenceId: string,
  to: number,
  options: CallOptions,
): Promise<void> {
  const { port, clock, random } = context;
  const { signal, deadlineMs } = options;
  const writes = tombstones(context, persistenceId, to, options);
  const settings = {
    keyNames: { [context.table]: context.layout.keyNames },
    clock,
    random,
    signal,
    deadlineMs,
  };
  for await (const _written of batchWriteStream(port, writes, settings)) signal?.throwIfAborted();
}

async function* tombstones(
  context: JournalContext,
  persistenceId: string,
  to: number,
  options: CallOptions,
): AsyncGenerator<BatchWriteEntry> {
  const { table, layout, clock } = context;
  const expiresAt = Math.floor(clock.now() / 1000) + tombstoneLifeSeconds;
  for await (const page of readRows(context, persistenceId, { from: 0, to }, options)) {
    for (const row of page) {
      if (row.kind === "tombstone") continue;
      const key = layout.eventKey(persistenceId, row.sequenceNr);
      yield { table, put: { ...key, ...encodeTombstone({ writeId: row.writeId, expiresAt }) } };
      if (row.staged && row.batch?.index === row.batch?.lastIndex) {
        const first = row.sequenceNr - (row.batch?.index ?? 0);
        const record = {
          wid: { S: row.writeId ?? "" },
          last: { N: String(row.sequenceNr) },
          ttl: { N: String(expiresAt) },
        };
        yield { table, put: { ...layout.commitKey(persistenceId, first), ...record } };
      }
    }
  }
}

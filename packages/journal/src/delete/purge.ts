import { type BatchWriteEntry, batchWriteStream } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { readPosition } from "../position/read-position.ts";
import { registryPlace } from "../registry/registry-put.ts";
import { readRows } from "../replay/read-rows.ts";
import { firstOfBatch } from "../rows/event-row.ts";

/**
 * Removes everything of an id: rows first, marks last, so that a purge that was cut short is seen as an id whose events
 * are gone, and can be done again.
 */
export async function purge(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout, clock, random } = context;
  const { signal, deadlineMs } = options;
  const { highest } = await readPosition(context, persistenceId, options);
  const settings = { keyNames: { [table]: layout.keyNames }, clock, random, signal, deadlineMs };
  for await (const _done of batchWriteStream(
    port,
    everything(context, persistenceId, highest, options),
    settings,
  )) {
    signal?.throwIfAborted();
  }
}

async function* everything(
  context: JournalContext,
  persistenceId: string,
  highest: number,
  options: CallOptions,
): AsyncGenerator<BatchWriteEntry> {
  const { table, layout, registryShards } = context;
  // One span further than anything should stand.
  const to = Math.min(layout.endOfSpan(layout.endOfSpan(highest) + 1), Number.MAX_SAFE_INTEGER);
  for await (const page of readRows(context, persistenceId, { from: 0, to }, options)) {
    for (const row of page) {
      yield { table, delete: layout.eventKey(persistenceId, row.sequenceNr) };
      if (row.kind === "event" && row.staged && row.batch?.index === 0) {
        yield { table, delete: layout.commitKey(persistenceId, firstOfBatch(row)) };
      }
    }
  }
  const { high, low } = layout.markKeys(persistenceId);
  const { shard, place } = registryPlace(registryShards, persistenceId, 0);
  const registered = layout.registryKey?.(shard, place);
  for (const key of [...low, registered, layout.writerKey(persistenceId), ...high]) {
    if (key !== undefined) yield { table, delete: key };
  }
}

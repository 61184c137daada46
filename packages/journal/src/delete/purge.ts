import type { BatchWriteEntry } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import { checkTime } from "../append/pause-before-retry.ts";
import { readTogether } from "../append/read-together.ts";
import { isShared, type JournalCall, type JournalContext } from "../journal-context.ts";
import { numberOf } from "../layouts/layout.ts";
import { type Position, readPosition } from "../position/read-position.ts";
import { readRegistryPlaces } from "../registry/registry-places.ts";
import { tombstoneNames } from "../rows/tombstone.ts";
import { committedFirst } from "./committed-first.ts";
import { markDeleted } from "./delete-to.ts";
import { dropDeleted, writeAll } from "./drop-deleted.ts";
import { settledItems } from "./settled-items.ts";

/**
 * Removes everything of an id. First all its events count as deleted; the mark that says so goes after all that it speaks
 * of. Cut short anywhere, the id is one whose events are deleted, or a new one, and the purge can be done again. It leaves
 * the registry last: a writer takes an id that has numbers for registered, and a row too many there does no harm.
 */
export async function purge(
  context: JournalContext,
  persistenceId: string,
  options: JournalCall,
): Promise<void> {
  const mark = await markDeleted(context, persistenceId, Number.MAX_SAFE_INTEGER, options);
  // In the order in which the original can read what is left at any moment.
  if (isShared(context)) await dropDeleted(context, persistenceId, mark, options);
  checkTime(options);
  const position = await readPosition(context, persistenceId, options);
  await removeRows(context, persistenceId, position, options);
  checkTime(options);
  await removeSmallItems(context, persistenceId, position.low, options);
  checkTime(options);
  await unregister(context, persistenceId, options);
}

/**
 * Removes the rows, one span further than anything should stand. If anything does there, it is left of a batch that was
 * longer, and whose stage is forgotten: then on and on, until a span is empty.
 */
async function removeRows(
  context: JournalContext,
  persistenceId: string,
  { highest, writer, lowMark }: Position,
  options: JournalCall,
): Promise<void> {
  const { layout } = context;
  let from = lowMark.tombsFrom;
  const staged = Math.max(writer.stage?.last ?? 0, writer.cleared?.last ?? 0);
  let expected = layout.endOfSpan(Math.max(highest, staged));
  for (;;) {
    const to = Math.min(layout.endOfSpan(expected + 1), Number.MAX_SAFE_INTEGER);
    let found = 0;
    const items = settledItems(context, persistenceId, { from, to }, highest, options);
    const rows = allRows(context, persistenceId, items, options, (sequenceNr) => {
      found = Math.max(found, sequenceNr);
    });
    await writeAll(context, rows, options);
    if (found <= expected || to === Number.MAX_SAFE_INTEGER) return;
    from = to + 1;
    expected = to;
  }
}

async function* allRows(
  context: JournalContext,
  persistenceId: string,
  items: AsyncIterable<Item>,
  options: CallOptions,
  found: (sequenceNr: number) => void,
): AsyncGenerator<BatchWriteEntry> {
  const { table, layout, port } = context;
  for await (const item of items) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    found(sequenceNr);
    const first = committedFirst(item, sequenceNr) ?? numberOf(item, tombstoneNames.commitOf);
    if (first !== undefined) {
      // Before the row that tells of it goes.
      await port.deleteItem({ TableName: table, Key: layout.commitKey(persistenceId, first) }, options);
    }
    yield { table, delete: layout.eventKey(persistenceId, sequenceNr) };
  }
}

/** Takes the id out of the registry, wherever it stands there. */
async function unregister(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  if (layout.registryKey === undefined) return;
  const { own } = await readRegistryPlaces(context, persistenceId, options);
  for (const Key of own) await port.deleteItem({ TableName: table, Key }, options);
}

/** The marks and the writer item; the low mark that holds the highest number on its own, after all others. */
async function removeSmallItems(
  context: JournalContext,
  persistenceId: string,
  lowest: number,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  const { high, low, unused = [] } = layout.markKeys(persistenceId);
  const last = layout.lowMark(persistenceId, lowest).key;
  const keys = [...high, ...low, ...unused, layout.writerKey(persistenceId)];
  const others = [...new Map(keys.map((key) => [textOf(key), key])).values()].filter(
    (key) => textOf(key) !== textOf(last),
  );
  // Most marks of an id are not there, and to look is cheaper than to delete. One that becomes visible just now must go too.
  const items = await readTogether(context, others, options);
  const entries = async function* (): AsyncGenerator<BatchWriteEntry> {
    for (const [at, key] of others.entries()) if (items[at] !== undefined) yield { table, delete: key };
  };
  await writeAll(context, entries(), options);
  await port.deleteItem({ TableName: table, Key: last }, options);
}

function textOf(key: Key): string {
  return JSON.stringify(key);
}

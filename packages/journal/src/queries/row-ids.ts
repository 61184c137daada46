import { batchGet, decodePageCursor, encodePageCursor, isClientError, scanPages } from "@tablekeep/client";
import type { CallOptions, Key, ScanInput } from "@tablekeep/core";
import type { PersistenceIdsOptions } from "../context/journal.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import { optionInvalid } from "../errors/journal-error.ts";
import { pageSettings } from "../protocol/read-rows.ts";

/** A step of reading ids: an id, or only a place to continue from. */
export interface IdStep {
  /** Undefined at the end of a request that may have found none. */
  readonly persistenceId?: string;
  /** Where to continue after this step; undefined if the source has no cursors. */
  readonly cursor?: string;
}

/** The row of an event, by its key. */
interface RowKey {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly key: Key;
}

/** Returns the input of a scan of all keys. */
export function keyScan({ table, layout }: Pick<JournalContext, "table" | "layout">): ScanInput {
  const names = Object.fromEntries(layout.keyNames.map((name, at) => [`#k${at}`, name]));
  return {
    TableName: table,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
    ConsistentRead: true,
  };
}

/**
 * Yields the ids of the rows in a table, each at one row only, so that a scan may stop and continue at any place: at event 1, or if
 * that is not stored, at the row without one before it.
 */
export async function* rowIds(
  context: JournalContext,
  { after, signal }: Pick<PersistenceIdsOptions, "after" | "signal">,
): AsyncGenerator<IdStep, void, undefined> {
  const { port, layout } = context;
  const input = keyScan(context);
  const ExclusiveStartKey = after === undefined ? undefined : startAfter(input, after);
  const call = requestOptions(context, { signal });
  const returned = new Set<string>();
  const haveFirst = new Set<string>();
  const pages = scanPages(port, { ...input, ExclusiveStartKey }, pageSettings(context, call));
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    const rows = Items.flatMap((key): RowKey[] => {
      const found = layout.describe(key);
      return found.kind === "event" && !returned.has(found.persistenceId) ? [{ ...found, key }] : [];
    });
    for (const { persistenceId, key } of await firstRows(context, rows, haveFirst, call)) {
      if (returned.has(persistenceId)) continue;
      returned.add(persistenceId);
      yield { persistenceId, cursor: encodePageCursor(input, key) };
    }
    if (LastEvaluatedKey !== undefined) yield { cursor: encodePageCursor(input, LastEvaluatedKey) };
  }
}

function startAfter(input: ScanInput, cursor: string): Key {
  try {
    return decodePageCursor(input, cursor);
  } catch (error) {
    if (!isClientError(error, "CLIENT_OPTION_INVALID")) throw error;
    throw optionInvalid("after", "must be a cursor returned by this journal");
  }
}

/**
 * Returns those of some rows that are the first of their ids, in the same order. `haveFirst` are ids whose event 1 is known to be stored;
 * others are added.
 */
async function firstRows(
  context: JournalContext,
  rows: readonly RowKey[],
  haveFirst: Set<string>,
  call: CallOptions,
): Promise<readonly RowKey[]> {
  const numbers = new Map<string, Set<number>>();
  for (const { persistenceId, sequenceNr } of rows)
    numbers.set(persistenceId, (numbers.get(persistenceId) ?? new Set()).add(sequenceNr));
  const isHere = (id: string, sequenceNr: number) => numbers.get(id)?.has(sequenceNr) ?? false;
  const unclear = [...numbers.keys()].filter((id) => !isHere(id, 1) && !haveFirst.has(id));
  const found = await areStored(
    context,
    unclear.map((id) => [id, 1]),
    call,
  );
  for (const [at, id] of unclear.entries()) if (found[at]) haveFirst.add(id);
  const withoutFirst = new Set(unclear.filter((_id, at) => !found[at]));
  const starts = rows.filter(
    ({ persistenceId: id, sequenceNr }) => withoutFirst.has(id) && !isHere(id, sequenceNr - 1),
  );
  const follow = await areStored(
    context,
    starts.map(({ persistenceId: id, sequenceNr }) => [id, Math.max(0, sequenceNr - 1)]),
    call,
  );
  // Only the original's own tests have an event 0.
  const first = new Set(starts.filter(({ sequenceNr }, at) => sequenceNr === 0 || !follow[at]));
  return rows.filter((row) => row.sequenceNr === 1 || first.has(row));
}

async function areStored(
  context: JournalContext,
  rows: readonly (readonly [id: string, sequenceNr: number])[],
  call: CallOptions,
): Promise<readonly boolean[]> {
  const { port, table, layout, maxBatchGet } = context;
  const keys = rows.map(([id, sequenceNr]) => ({ table, key: layout.eventKey(id, sequenceNr) }));
  const attributes = [...layout.keyNames];
  const settings = { consistent: true, attributes, maxKeys: maxBatchGet, ...pageSettings(context, call) };
  return (await batchGet(port, keys, settings)).map((item) => item !== undefined);
}

import { queryItems, queryPages, scanItems } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { IdSource, KnownId, PersistenceIdsOptions } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import { type IdStep, keyScan, rowIds } from "./row-ids.ts";

/** The ids that a journal has now. */
export async function* currentPersistenceIds(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  for await (const { persistenceId, cursor } of idSteps(context, options))
    if (persistenceId !== undefined) yield { persistenceId, ...(cursor !== undefined && { cursor }) };
}

/** The source of ids that finds all of them at the lowest cost. Only this program registers ids. */
export function sourceOfAll({ layout, hasAllRegistered }: JournalContext): IdSource {
  return hasAllRegistered && layout.registryQuery !== undefined ? "registry" : "rows";
}

/** The same in steps, for callers that stop after some requests. */
export function idSteps(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<IdStep, void, undefined> {
  switch (options.source ?? sourceOfAll(context)) {
    case "registry":
      return registeredIds(context, options);
    case "index":
      return indexedIds(context, options);
    case "rows":
      if (context.layout.packed !== undefined) throw unsupported("rows", context.layout.name);
      return rowIds(context, options);
    case "scan":
      return scannedIds(context, options);
  }
}

async function* registeredIds(
  { port, table, layout, registryShards, clock, random }: JournalContext,
  { after, signal }: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const start = after === undefined ? { shard: 0, place: undefined } : parseCursor(after);
  for (let shard = start.shard; shard < registryShards; shard++) {
    const query = layout.registryQuery?.(shard);
    if (query === undefined) throw unsupported("registry", layout.name);
    const place = shard === start.shard ? start.place : undefined;
    const ExclusiveStartKey = place === undefined ? undefined : layout.registryKey?.(shard, place);
    const input = { TableName: table, ...query, ConsistentRead: true, ExclusiveStartKey };
    for await (const item of queryItems(port, input, { signal, clock, random })) {
      const persistenceId = item["persistence_id"]?.S;
      if (persistenceId !== undefined)
        yield { persistenceId, cursor: `${shard}.${placeOf(item, layout.keyNames)}` };
    }
  }
}

/** The place of a registry row, by its sort key; the linear layout counts downward from its own numbers. */
function placeOf(item: Item, keyNames: readonly string[]): number {
  const number = Number(item[keyNames[1] ?? ""]?.N);
  return number < 0 ? -number - 2 ** 52 : number;
}

function parseCursor(cursor: string): { shard: number; place: number } {
  const [, shard, place] = /^(\d{1,6})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (shard === undefined || place === undefined) {
    throw new JournalError(
      "JOURNAL_OPTION_INVALID",
      "option after must be a cursor returned by this journal",
      {
        option: "after",
        reason: "must be a cursor returned by this journal",
      },
    );
  }
  return { shard: Number(shard), place: Number(place) };
}

/** The original's way: rows number 1, of which those of bucket 0 belong to the first event of an id. */
async function* indexedIds(
  context: JournalContext,
  { index = context.persistenceIdsIndex, signal }: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const { port, table, layout, clock, random } = context;
  if (layout.name !== "bucketed") throw unsupported("index", layout.name);
  const input = {
    TableName: table,
    IndexName: index,
    KeyConditionExpression: "#num = :one",
    ExpressionAttributeNames: { "#num": "num" },
    ExpressionAttributeValues: { ":one": { N: "1" } },
  };
  for await (const { Items = [] } of queryPages(port, input, { signal, clock, random })) {
    for (const item of Items) {
      const found = layout.describe(item);
      if (found.kind === "event" && found.sequenceNr === 1) yield { persistenceId: found.persistenceId };
    }
  }
}

async function* scannedIds(
  context: JournalContext,
  { signal }: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const { port, layout, clock, random } = context;
  const seen = new Set<string>();
  for await (const item of scanItems(port, keyScan(context), { signal, clock, random })) {
    const found = layout.describe(item);
    if (found.kind !== "event" || seen.has(found.persistenceId)) continue;
    seen.add(found.persistenceId);
    yield { persistenceId: found.persistenceId };
  }
}

function unsupported(source: IdSource, layout: string): JournalError {
  const reason = `the ${layout} layout has none: use another source`;
  return new JournalError("JOURNAL_OPTION_INVALID", `option source: ${source}: ${reason}`, {
    option: "source",
    reason,
  });
}

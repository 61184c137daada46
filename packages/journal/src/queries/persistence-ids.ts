import { queryItems, queryPages, scanItems } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { JournalError } from "../journal-error.ts";

/** Where the ids of a journal are looked up. */
export type IdSource =
  /** In the registry that this journal keeps: every id once, with a cursor. */
  | "registry"
  /** In the original's index `persistence-ids-idx`: ids whose first event is still there. */
  | "index"
  /** In the whole table: every id, at the price of reading everything and remembering the ids. */
  | "scan";

export interface PersistenceIdsOptions {
  /** @default "registry"; in the scattered layout "scan" */
  readonly source?: IdSource | undefined;
  /** Goes on after this place: the `cursor` of an id that was given. Only with the registry. @default from the beginning */
  readonly after?: string | undefined;
  /** The original's index. @default the journal's `persistenceIdsIndex` */
  readonly index?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An id of a journal. */
export interface KnownId {
  readonly persistenceId: string;
  /** Where to go on after this id; undefined where there is no such place. */
  readonly cursor?: string | undefined;
}

/** The ids that a journal has now. */
export function currentPersistenceIds(
  context: JournalContext,
  options: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const source = options.source ?? (context.layout.registryQuery === undefined ? "scan" : "registry");
  switch (source) {
    case "registry":
      return registeredIds(context, options);
    case "index":
      return indexedIds(context, options);
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
    throw new JournalError("JOURNAL_OPTION_INVALID", "option after: it is no cursor of this journal", {
      option: "after",
      reason: "it is no cursor of this journal",
    });
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
      const found = layout.ownerOf(item);
      if (found?.sequenceNr === 1) yield { persistenceId: found.persistenceId };
    }
  }
}

async function* scannedIds(
  { port, table, layout, clock, random }: JournalContext,
  { signal }: PersistenceIdsOptions,
): AsyncGenerator<KnownId, void, undefined> {
  const seen = new Set<string>();
  const names = Object.fromEntries(layout.keyNames.map((name, at) => [`#k${at}`, name]));
  const input = {
    TableName: table,
    ProjectionExpression: Object.keys(names).join(", "),
    ExpressionAttributeNames: names,
    ConsistentRead: true,
  };
  for await (const item of scanItems(port, input, { signal, clock, random })) {
    const persistenceId = layout.ownerOf(item)?.persistenceId;
    if (persistenceId === undefined || seen.has(persistenceId)) continue;
    seen.add(persistenceId);
    yield { persistenceId };
  }
}

function unsupported(source: IdSource, layout: string): JournalError {
  const reason = `the ${layout} layout has none: use another source`;
  return new JournalError("JOURNAL_OPTION_INVALID", `option source: ${source}: ${reason}`, {
    option: "source",
    reason,
  });
}

import { type BatchKey, batchGet, sendRepeatedly, transactGetGroups } from "@tablekeep/client";
import {
  type BatchGetItemOutput,
  type DynamoPort,
  type Item,
  isTablekeepError,
  TablekeepError,
  wrapPort,
} from "@tablekeep/core";
import { ShadowError } from "../model/shadow-error.ts";
import { type RowId, rowKey, rowText } from "../rows/row-keys.ts";
import { asTablekeepError } from "./check-operation.ts";
import type { StoreCall } from "./store-options.ts";

/** The result of reading one item: the item, undefined if there is none, or an error. */
export type Fetched = { readonly item: Item | undefined } | { readonly error: TablekeepError };

/** Returns the result for an item that was read. */
export type FetchedRows = (row: RowId) => Fetched;

/** Reads items, strongly consistent, each once. An item that cannot be read does not affect the others. */
export async function fetchRows(
  call: StoreCall,
  rows: readonly RowId[],
  batchSize: number = call.options.maxReadBatchSize,
): Promise<FetchedRows> {
  const fetched = new Map<string, Fetched>();
  const distinct = rows.length === 1 ? rows : [...new Map(rows.map((row) => [rowText(row), row])).values()];
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1) {
    const found = await fetchOne(call, only);
    return () => found;
  }
  const tasks = chunksOf(distinct, batchSize).map((chunk) => async () => {
    for (const [at, each] of (await fetchChunk(call, chunk)).entries())
      fetched.set(rowText(chunk[at] as RowId), each);
  });
  await inParallel(tasks, call.options.maxParallelism);
  return (row) => fetched.get(rowText(row)) ?? { item: undefined };
}

/** Reads groups of items, each group as of one moment. */
export async function fetchAtomic(
  call: StoreCall,
  groups: readonly (readonly RowId[])[],
): Promise<FetchedRows> {
  const fetched = new Map<string, Fetched>();
  const tasks = chunksOf(groups, 50).map((chunk) => async () => {
    const gets = chunk.map((rows) =>
      rows.map((row) => ({ TableName: call.options.table, Key: rowKey(row) })),
    );
    const reading = async () => transactGetGroups(call.port, gets, call.request());
    const each: (group: number, at: number) => Fetched = await reading().then(
      (items) => (group: number, at: number) => ({ item: items[group]?.[at] }),
      (failure: unknown) => {
        const error = asTablekeepError(failure);
        return () => ({ error });
      },
    );
    for (const [group, rows] of chunk.entries())
      for (const [at, row] of rows.entries()) fetched.set(rowText(row), each(group, at));
  });
  await inParallel(tasks, call.options.maxParallelism);
  return (row) => fetched.get(rowText(row)) ?? { item: undefined };
}

/** Reads one item in the cheapest way. */
async function fetchOne(call: StoreCall, row: RowId): Promise<Fetched> {
  const input = { TableName: call.options.table, Key: rowKey(row), ConsistentRead: true };
  const { port } = call;
  try {
    const { Item } = await sendRepeatedly(port, call.request(), (options) => port.getItem(input, options));
    return { item: Item };
  } catch (failure) {
    return { error: asTablekeepError(failure) };
  }
}

/** Reads up to 100 items. Items that were read before a failure are returned. */
async function fetchChunk(call: StoreCall, rows: readonly RowId[]): Promise<Fetched[]> {
  const { table, maxReadRetries } = call.options;
  const keys: BatchKey[] = rows.map((row) => ({ table, key: rowKey(row) }));
  const progress = { seen: new Map<string, Item>(), unread: new Set(keys.map(({ key }) => keyText(key))) };
  try {
    const port = watchedPort(call.port, maxReadRetries, progress);
    const items = await batchGet(port, keys, { consistent: true, ...call.request() });
    return items.map((item) => ({ item }));
  } catch (failure) {
    const error = reasonOf(asTablekeepError(failure));
    return keys.map(({ key }) => {
      const text = keyText(key);
      return progress.unread.has(text) ? { error } : { item: progress.seen.get(text) };
    });
  }
}

/** Why a batch is incomplete: the error of each item that was not read. */
function reasonOf(error: TablekeepError): TablekeepError {
  const cause = isTablekeepError(error, "CLIENT_BATCH_INCOMPLETE") ? error.cause : error;
  if (!isTablekeepError(cause)) return error;
  if (cause.code !== "SHADOW_READ_INCOMPLETE") return cause;
  const { attempts } = cause.details as { attempts: number };
  return new ShadowError("SHADOW_READ_INCOMPLETE", cause.message, { attempts });
}

interface Progress {
  readonly seen: Map<string, Item>;
  readonly unread: Set<string>;
}

/** A port that records what its batches return, and rejects items that are left unprocessed too often. */
function watchedPort(port: DynamoPort, retries: number, { seen, unread }: Progress): DynamoPort {
  let attempts = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    const output: object = await next(operation, input, options);
    const { Responses = {}, UnprocessedKeys = {} } = output as BatchGetItemOutput;
    for (const item of Object.values(Responses).flat()) seen.set(keyText(item), item);
    const left = Object.values(UnprocessedKeys).flatMap(({ Keys }) => Keys ?? []);
    const pending = new Set(left.map(keyText));
    for (const text of unread) if (!pending.has(text)) unread.delete(text);
    attempts++;
    if (pending.size > 0 && attempts > retries) throw leftUnprocessed(attempts);
    return output as never;
  });
}

function keyText(item: Item): string {
  return JSON.stringify([item["PK"]?.S, item["SK"]?.S]);
}

function leftUnprocessed(attempts: number): TablekeepError {
  // Not retryable within this call, which has used all its attempts.
  return new TablekeepError({
    code: "SHADOW_READ_INCOMPLETE",
    kind: "throttled",
    message: `DynamoDB left items unprocessed ${attempts} times (read again later, or raise maxReadRetries)`,
    details: { attempts },
  });
}

/** Runs tasks, at most `parallel` at a time; resolves when all have ended. Tasks do not fail. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], parallel: number): Promise<void> {
  const waiting = tasks.values();
  const worker = async () => {
    for (const task of waiting) await task();
  };
  await Promise.all(Array.from({ length: Math.min(parallel, tasks.length) }, worker));
}

/** Lists of at most `size` elements, in order. */
function chunksOf<Element>(elements: readonly Element[], size: number): Element[][] {
  const chunks: Element[][] = [];
  for (let at = 0; at < elements.length; at += size) chunks.push(elements.slice(at, at + size));
  return chunks;
}

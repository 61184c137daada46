import { type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkItemSize, itemWireSize } from "../base/check-item-size.ts";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import type { BatchWriteEntry } from "../base/client-error.ts";
import { itemId, type KeyNames, keyNamesByTable, keyOf } from "../base/key-names.ts";
import {
  type OperationOptions,
  type OperationRun,
  operationOptionChecks,
  portOptions,
  startOperation,
} from "../retry/operation.ts";
import { type BatchProgress, batchIncomplete, mergeProgress } from "./batch-progress.ts";
import { inOrder } from "./in-order.ts";
import { splitBatches } from "./split-batches.ts";
import { type KeyNamesOf, tableKeyNames, type WriteSlot, writeOneBatch } from "./write-one-batch.ts";

/** Options of {@link batchWrite}. */
export interface BatchWriteOptions extends OperationOptions {
  /** Maximum number of requests in flight. @default 1: in the order given */
  readonly parallel?: number;
  /** Maximum number of puts and deletes per request. @default 25, DynamoDB's maximum */
  readonly maxEntries?: number;
  /** The key attributes of each table. @default read with DescribeTable, once per table with puts */
  readonly keyNames?: Readonly<Record<string, KeyNames>>;
}

const checks: OptionChecks<BatchWriteOptions> = {
  ...operationOptionChecks,
  parallel: optionCheck.integer(1),
  maxEntries: optionCheck.integer(1, 25),
  keyNames: keyNamesByTable,
};

/** AWS: BatchWriteItem, up to 25 puts and deletes and 16 MB over the network; 256 B are left to what ports add. */
const limits = { entries: 25, wireBytes: 16 * 1024 * 1024 - 256, repeats: false };

/**
 * Puts and deletes any number of items of any tables, each on its own and without conditions, and resends unprocessed entries
 * until all are processed or the deadline has passed. Use it for writes that may be applied twice.
 *
 * Several entries on one item are spread over requests and applied in the order given: the last one wins. An item that is
 * too large is rejected before anything is sent. If the batch is incomplete, throws `CLIENT_BATCH_INCOMPLETE`, whose details
 * list the entries that are written, not written, and unknown.
 *
 * @example
 * await batchWrite(port, [{ table: "carts", put: { id: { S: "1" } } }, { table: "carts", delete: { id: { S: "2" } } }]);
 */
export async function batchWrite(
  port: DynamoPort,
  entries: readonly BatchWriteEntry[],
  options: BatchWriteOptions = {},
): Promise<void> {
  checkOptions(options, checks);
  for (const entry of entries) checkEntry(entry);
  const run = startOperation(options);
  const keyNamesOf = tableKeyNames(port, options.keyNames ?? {}, () => run.deadline.callOptions());
  for (const entry of entries) if (entry.put !== undefined) await keyNamesOf(entry.table);
  const parts: Written[] = [];
  let started = 0;
  const plan = { ...shapeOf(options), keyNamesOf, start: () => run };
  for await (const part of runBatches(port, fromArray(entries), plan)) {
    parts.push(part);
    started += part.done.length + part.undone.length + part.unknown.length;
  }
  if (parts.every((part) => part.failure === undefined)) return;
  parts.push({ done: [], undone: entries.slice(started), unknown: [] });
  throw batchIncomplete(mergeProgress(parts));
}

/**
 * {@link batchWrite} for a stream of entries: yields the entries of each request once they are written, in order, and holds
 * those of a few requests only. The deadline applies to each request with its retries. After a failure no more entries are
 * read; the error lists those that were read and not yielded yet. If only the stream itself fails, yields what was sent, and
 * then throws the stream's error.
 *
 * @example
 * for await (const written of batchWriteStream(port, entries)) console.log(written.length);
 */
export async function* batchWriteStream(
  port: DynamoPort,
  entries: Iterable<BatchWriteEntry> | AsyncIterable<BatchWriteEntry>,
  options: BatchWriteOptions = {},
): AsyncGenerator<readonly BatchWriteEntry[], void, undefined> {
  checkOptions(options, checks);
  const keyNamesOf = tableKeyNames(port, options.keyNames ?? {}, () => portOptions(options));
  const plan = { ...shapeOf(options), keyNamesOf, start: () => startOperation(options) };
  const rest: Written[] = [];
  const taken: BatchWriteEntry[] = [];
  try {
    for await (const part of runBatches(port, checked(entries, taken), plan)) {
      taken.splice(0, part.done.length + part.undone.length + part.unknown.length);
      if (part.failure !== undefined || rest.length > 0) rest.push(part);
      else yield part.done;
    }
  } catch (error) {
    // The stream failed. If a request did too, the error must list the unknown entries.
    if (rest.length === 0) throw error;
    rest.push({ done: [], undone: taken, unknown: [] });
    throw batchIncomplete(mergeProgress(rest), { error });
  }
  if (rest.length > 0) throw batchIncomplete(mergeProgress(rest));
}

type Written = BatchProgress<BatchWriteEntry>;

interface BatchPlan {
  readonly parallel: number;
  readonly maxEntries: number;
  readonly keyNamesOf: KeyNamesOf;
  /** Starts the time of a request and its resends. */
  readonly start: () => OperationRun;
}

function shapeOf({
  parallel = 1,
  maxEntries = limits.entries,
}: BatchWriteOptions): Pick<BatchPlan, "parallel" | "maxEntries"> {
  return { parallel, maxEntries };
}

/** Runs the batches of a stream. After a failure, those in flight are finished and nothing else is sent. */
async function* runBatches(
  port: DynamoPort,
  entries: AsyncIterable<BatchWriteEntry>,
  plan: BatchPlan,
): AsyncGenerator<Written> {
  let failed = false;
  const lastOn = new Map<string, Promise<unknown>>();
  const slots = toSlots(entries, plan.keyNamesOf, () => failed);

  const write = async (
    batch: readonly WriteSlot[],
    earlier: readonly Promise<unknown>[],
  ): Promise<Written> => {
    await Promise.allSettled(earlier);
    if (failed) return { done: [], undone: batch.map((slot) => slot.entry), unknown: [] };
    const progress = await writeOneBatch(port, batch, plan.start());
    if (progress.failure !== undefined) failed = true;
    return progress;
  };
  const each = { ...limits, entries: plan.maxEntries };
  yield* inOrder(splitBatches(slots, each) as AsyncIterable<WriteSlot[]>, plan.parallel, (batch) => {
    // Two writes to one item must be applied in order: the later one waits until the outcome of the earlier one is known.
    const earlier = batch.flatMap((slot) => lastOn.get(slot.identity) ?? []);
    const written = write(batch, earlier);
    for (const slot of batch) lastOn.set(slot.identity, written);
    return written.finally(() => {
      for (const { identity } of batch) if (lastOn.get(identity) === written) lastOn.delete(identity);
    });
  });
}

async function* toSlots(
  entries: AsyncIterable<BatchWriteEntry>,
  keyNamesOf: KeyNamesOf,
  stopped: () => boolean,
): AsyncGenerator<WriteSlot> {
  for await (const entry of entries) {
    const { table } = entry;
    const keyNames = entry.put === undefined ? undefined : await keyNamesOf(table);
    const key = entry.put === undefined ? entry.delete : keyOf(entry.put, keyNames ?? []);
    // {"PutRequest":{"Item":…}} is 24 bytes around the item, {"DeleteRequest":{"Key":…}} 26 around the key.
    const wireBytes = entry.put === undefined ? 26 + itemWireSize(key) : 24 + itemWireSize(entry.put);
    yield { entry, table, keyNames, identity: itemId(table, key), wireBytes };
    if (stopped()) return;
  }
}

function checkEntry(entry: BatchWriteEntry): void {
  if ((entry.put === undefined) === (entry.delete === undefined))
    throw optionInvalid("entries", "must each have either a put or a delete");
  if (entry.put !== undefined) checkItemSize(entry.put);
}

/** Yields the entries, each checked and recorded in `taken`. */
async function* checked(
  entries: Iterable<BatchWriteEntry> | AsyncIterable<BatchWriteEntry>,
  taken: BatchWriteEntry[],
): AsyncGenerator<BatchWriteEntry> {
  for await (const entry of entries) {
    taken.push(entry);
    checkEntry(entry);
    yield entry;
  }
}

async function* fromArray(entries: readonly BatchWriteEntry[]): AsyncGenerator<BatchWriteEntry> {
  yield* entries;
}

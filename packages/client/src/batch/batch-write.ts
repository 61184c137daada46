import { type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../base/check-options.ts";
import type { BatchWriteEntry } from "../base/client-error.ts";
import { checkItemSize, itemWireSize } from "../base/item-size.ts";
import { itemId, type KeyNames, keyNamesByTable, keyOf } from "../base/keys.ts";
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

/** What {@link batchWrite} takes beside its entries. */
export interface BatchWriteOptions extends OperationOptions {
  /** How many requests may be under way at once. @default 1: in the order given */
  readonly parallel?: number | undefined;
  /** Puts and deletes of one request. @default 25, the most that DynamoDB takes */
  readonly maxEntries?: number | undefined;
  /** The key attributes of each table. @default asked of DynamoDB (DescribeTable), once for each table with puts */
  readonly keyNames?: Readonly<Record<string, KeyNames>> | undefined;
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
 * Puts and deletes any number of items of any tables, each on its own and without conditions, and resends what
 * DynamoDB leaves unprocessed until all is done or the deadline has come. Use it for work that may be done twice.
 *
 * Several entries on one item are spread over requests and done in the order given: the last one stands. An item that
 * is too large is refused before anything is sent. If not all was done it throws `CLIENT_BATCH_INCOMPLETE`, whose
 * details list what is surely written, surely not, and unknown.
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
 * {@link batchWrite} for a stream of entries: gives the entries of each request once they are written, in order, and
 * holds no more than a few requests' worth. The deadline is that of each request with its resends. After a failure no
 * more entries are taken; the error tells of those that were taken and not given yet. If only the stream itself fails, what
 * was sent of it is given, and then its own error thrown.
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
    // The stream failed. If a request did too, what is in doubt must be told all the same.
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

/** Runs the batches of a stream. After a failure, those under way are finished and nothing else is sent. */
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
    // Of two writes to one item the later must land later: it waits until the fate of the earlier is known.
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
    throw optionInvalid("entries", "must each have a put or a delete, and not both");
  if (entry.put !== undefined) checkItemSize(entry.put);
}

/** The entries, each checked and noted in `taken`. */
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

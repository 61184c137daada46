import { type DynamoPort, type Item, linkSignals, type OptionChecks, optionCheck } from "@tablekeep/core";
import { itemWireSize } from "../base/check-item-size.ts";
import { checkOptions } from "../base/check-options.ts";
import type { BatchKey } from "../base/client-error.ts";
import { itemId } from "../base/key-names.ts";
import {
  type OperationOptions,
  type OperationRun,
  operationOptionChecks,
  startOperation,
} from "../retry/operation.ts";
import { getOneBatch, type ReadShape, type ReadSlot } from "./get-one-batch.ts";
import { inOrder } from "./in-order.ts";
import { type Slot, splitBatches } from "./split-batches.ts";

/** Options of {@link batchGet}. */
export interface BatchGetOptions extends OperationOptions {
  /** Read with strong consistency, at twice the capacity. @default false */
  readonly consistent?: boolean;
  /** Names of the top-level attributes to read; capacity is still charged for the full item. @default all */
  readonly attributes?: readonly string[];
  /** Maximum number of requests in flight. @default 4 */
  readonly parallel?: number;
  /** Maximum number of keys per request. @default 100, DynamoDB's maximum */
  readonly maxKeys?: number;
}

const checks: OptionChecks<BatchGetOptions> = {
  ...operationOptionChecks,
  consistent: optionCheck.boolean,
  attributes: (value) => (Array.isArray(value) ? undefined : "must be an array of attribute names"),
  parallel: optionCheck.integer(1),
  maxKeys: optionCheck.integer(1, 100),
};

/** One key and its item. */
export interface BatchGetResult {
  readonly key: BatchKey;
  /** Undefined where there is no item. */
  readonly item: Item | undefined;
}

/**
 * AWS: BatchGetItem, up to 100 keys. Its 16 MB are those of the response: what does not fit comes back as unprocessed. 100
 * keys never fill the 16 MB of a request, so a bound on those is only a formality.
 */
const limits = { entries: 100, wireBytes: 16 * 1024 * 1024, repeats: true };

/**
 * Reads any number of items of any tables by key, and requests unprocessed keys again until all are read or the deadline has
 * passed (then it throws `CLIENT_BATCH_INCOMPLETE`). Returns the items in the order of the keys, `undefined` where there is
 * none. A key may be given twice; it is read once per request.
 *
 * @example
 * const [cart] = await batchGet(port, [{ table: "carts", key: { id: { S: "1" } } }]);
 */
export async function batchGet(
  port: DynamoPort,
  keys: readonly BatchKey[],
  options: BatchGetOptions = {},
): Promise<(Item | undefined)[]> {
  checkOptions(options, checks);
  const run = startOperation(options);
  if (keys.length > 0 && keys.length <= (options.maxKeys ?? limits.entries))
    return getOneBatch(port, keys.map(toReadSlot), shapeOf(options), run);
  const items: (Item | undefined)[] = [];
  const rest = (each: OperationOptions) => startOperation(each, run.deadline.remainingMs());
  for await (const part of readBatches(port, keys, options, rest)) {
    for (const { item } of part) items.push(item);
  }
  return items;
}

/**
 * {@link batchGet} for a stream of keys: yields each key with its item, in order, and holds the items of at most `parallel`
 * requests. The deadline applies to each request with its retries.
 *
 * @example
 * for await (const { key, item } of batchGetStream(port, keys)) console.log(key, item);
 */
export async function* batchGetStream(
  port: DynamoPort,
  keys: Iterable<BatchKey> | AsyncIterable<BatchKey>,
  options: BatchGetOptions = {},
): AsyncGenerator<BatchGetResult, void, undefined> {
  checkOptions(options, checks);
  for await (const part of readBatches(port, keys, options, (each) => startOperation(each))) yield* part;
}

/** Reads batch after batch. A consumer that stops early ends the requests in flight. */
async function* readBatches(
  port: DynamoPort,
  keys: Iterable<BatchKey> | AsyncIterable<BatchKey>,
  options: BatchGetOptions,
  start: (options: OperationOptions) => OperationRun,
): AsyncGenerator<BatchGetResult[]> {
  const stopped = linkSignals(options.signal);
  const { signal } = stopped;
  const shape = shapeOf(options);
  const read = async (batch: readonly Slot<BatchKey>[]) => {
    const items = await getOneBatch(port, batch, shape, start({ ...options, signal }));
    return batch.map((slot, index) => ({ key: slot.entry, item: items[index] }));
  };
  const each = { ...limits, entries: options.maxKeys ?? limits.entries };
  try {
    yield* inOrder(splitBatches(toSlots(keys), each), options.parallel ?? 4, read, () => stopped.abort());
  } finally {
    stopped.release();
  }
}

async function* toSlots(keys: Iterable<BatchKey> | AsyncIterable<BatchKey>): AsyncGenerator<Slot<BatchKey>> {
  for await (const entry of keys) yield { ...toReadSlot(entry), wireBytes: itemWireSize(entry.key) };
}

function toReadSlot(entry: BatchKey): ReadSlot {
  const { table, key } = entry;
  return { entry, table, identity: itemId(table, key) };
}

function shapeOf({ consistent = false, attributes }: BatchGetOptions): ReadShape {
  return { consistent, attributes };
}

import { itemSize, readUnits, type TransactWriteItemsInput } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { applyChange, latestItem, latestItemAt } from "./apply-change.ts";
import type { Cancellation } from "./cancellation.ts";
import { checkCondition, checkConditionPaths, type ItemWrite } from "./item-write.ts";
import { isRepeated } from "./request-token.ts";

/** The parameters of a write transaction besides its writes. */
interface TransactionParameters {
  readonly ClientRequestToken?: string;
  readonly ReturnConsumedCapacity?: TransactWriteItemsInput["ReturnConsumedCapacity"];
}

/** Applies all writes or none. A repeated token must come with the same `request`. */
export function transactWrites(
  database: Database,
  writes: readonly (ItemWrite | undefined)[],
  cancellation: Cancellation,
  { ClientRequestToken: token, ReturnConsumedCapacity }: TransactionParameters,
  request: unknown,
): Promise<Answer> {
  for (const write of writes) if (write !== undefined) checkConditionPaths(write);
  checkDistinct(writes);
  checkTotalSize(writes);
  return database.writes.submit((transaction) => {
    const repeated = token !== undefined && isRepeated(database, transaction, token, request);
    const used = repeated
      ? readAll(transaction, writes)
      : writeAll(database, transaction, writes, cancellation);
    const capacity = finishAll([...used.values()], ReturnConsumedCapacity, true);
    return { ConsumedCapacity: capacity };
  });
}

function checkTotalSize(writes: readonly (ItemWrite | undefined)[]): void {
  const bytes = writes.reduce((total, write) => total + (write === undefined ? 0 : itemSize(write.key)), 0);
  checkWrittenBytes(bytes);
}

/** AWS: Transactions — a repeated request costs as much as reading its items. */
function readAll(
  transaction: WriteTransaction,
  writes: readonly (ItemWrite | undefined)[],
): Map<TableModel, Consumption> {
  const used = new Map<TableModel, Consumption>();
  for (const write of writes) {
    if (write === undefined) continue;
    const consumption = used.get(write.table) ?? new Consumption(write.table, "read");
    used.set(write.table, consumption);
    const stored = latestItem(transaction, write.table, write.key);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
  }
  return used;
}

/**
 * Evaluates all conditions and results before the first change, so that a transaction is applied entirely or not at
 * all.
 */
function writeAll(
  database: Database,
  transaction: WriteTransaction,
  writes: readonly (ItemWrite | undefined)[],
  cancellation: Cancellation,
): Map<TableModel, Consumption> {
  const changes = writes.map((write, at) =>
    cancellation.attempt(at, () => {
      if (write === undefined) return undefined;
      const key = itemKey(write.table, write.key);
      database.service.partitions?.admit("write", { table: write.table, at: key });
      const before = latestItemAt(transaction, key);
      checkCondition(write, before);
      return { write, before, after: write.next(before), at: key };
    }),
  );
  cancellation.throwIfAny();
  const used = new Map<TableModel, Consumption>();
  for (const [at, change] of changes.entries()) {
    if (change === undefined) continue;
    const { table } = change.write;
    const consumption = used.get(table) ?? new Consumption(table, "write", 2);
    used.set(table, consumption);
    const own = database.service.transactionForAction(transaction, change.at, at, changes.length);
    const usedBefore = consumption.partitionUnits;
    applyChange(database, own, table, change, consumption);
    const units = consumption.partitionUnits - usedBefore;
    database.service.partitions?.spend("write", { table, at: change.at }, units);
  }
  return used;
}

function checkDistinct(writes: readonly (ItemWrite | undefined)[]): void {
  const known = writes.filter((write) => write !== undefined);
  if (new Set(known.map(({ table, key }) => itemKey(table, key))).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
}

/** AWS: API_TransactWriteItems, API_TransactGetItems — the total size of the items of a transaction. */
const maxTransactionBytes = 4 * 1024 * 1024;

/** Throws if the items written by a transaction are too large in total. The message is that of DynamoDB Local. */
function checkWrittenBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
}

/**
 * Throws if the items read by a transaction are too large in total. The message is that of DynamoDB Local, which
 * counts what a projection keeps of an item; AWS documents the size of the items, so whole items count here.
 */
export function checkReadBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Payload in response is too large.${bytes}`);
}

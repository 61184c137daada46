import type { TransactWriteItemsInput } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { Consumption, reports } from "../capacity/consumption.ts";
import { readUnits } from "../capacity/units.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { itemSize } from "../values/item-size.ts";
import { applyChange, latestItem, latestItemAt } from "./apply-change.ts";
import type { Cancellation } from "./cancellation.ts";
import { checkCondition, type ItemWrite } from "./item-write.ts";
import { isRepeated } from "./request-token.ts";

/** What a write transaction is asked for beside its writes. */
interface TransactionParameters {
  readonly ClientRequestToken?: string | undefined;
  readonly ReturnConsumedCapacity?: TransactWriteItemsInput["ReturnConsumedCapacity"];
}

/** Does all writes or none. `request` is what a repeated token must come with again. */
export function transactWrites(
  database: Database,
  writes: readonly (ItemWrite | undefined)[],
  cancellation: Cancellation,
  { ClientRequestToken: token, ReturnConsumedCapacity }: TransactionParameters,
  request: unknown,
): Promise<Answer> {
  checkDistinct(writes);
  checkTotalSize(writes);
  return database.writes.submit((transaction) => {
    const repeated = token !== undefined && isRepeated(database, transaction, token, request);
    const used = repeated
      ? readAll(transaction, writes)
      : writeAll(database, transaction, writes, cancellation);
    const capacity = reports([...used.values()], ReturnConsumedCapacity, repeated ? "read" : "write");
    return { ConsumedCapacity: capacity };
  });
}

function checkTotalSize(writes: readonly (ItemWrite | undefined)[]): void {
  const bytes = writes.reduce((total, write) => total + (write === undefined ? 0 : itemSize(write.key)), 0);
  checkWrittenBytes(bytes);
}

/** AWS: Transactions — a repeated request is paid for as a read of its items. */
function readAll(
  transaction: WriteTransaction,
  writes: readonly (ItemWrite | undefined)[],
): Map<TableModel, Consumption> {
  const used = new Map<TableModel, Consumption>();
  for (const write of writes) {
    if (write === undefined) continue;
    const consumption = used.get(write.table) ?? new Consumption(write.table);
    used.set(write.table, consumption);
    const stored = latestItem(transaction, write.table, write.key);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
  }
  return used;
}

/** All conditions and results come before the first change: a transaction is done whole or not at all. */
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
    const consumption = used.get(table) ?? new Consumption(table, 2);
    used.set(table, consumption);
    const own = database.service.transactionForAction(transaction, change.at, at, changes.length);
    applyChange(database, own, table, change, consumption);
  }
  return used;
}

function checkDistinct(writes: readonly (ItemWrite | undefined)[]): void {
  const known = writes.filter((write) => write !== undefined);
  if (new Set(known.map(({ table, key }) => itemKey(table, key))).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
}

/** AWS: API_TransactWriteItems, API_TransactGetItems — the size of all items of a transaction together. */
const maxTransactionBytes = 4 * 1024 * 1024;

/** Throws if the items that a transaction writes are too large together. The wording is that of DynamoDB Local. */
export function checkWrittenBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
}

/**
 * Throws if the items that a transaction reads are too large together. The wording is that of DynamoDB Local, which counts
 * what a projection leaves of an item; AWS's documentation speaks of the size of the items, so whole items count here.
 */
export function checkReadBytes(bytes: number): void {
  if (bytes <= maxTransactionBytes) return;
  throw invalid(`Payload in response is too large.${bytes}`);
}

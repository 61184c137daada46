import type { WriteRequest } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { checkBatchedItemKeys } from "../catalog/check-keys.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import { CountChange } from "../catalog/counts.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { PartialBatch } from "../database/partial-batch.ts";
import type { StorageKey } from "../storage/storage.ts";
import { reportValuesFirst } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { getOwn, setOwn } from "../values/wire-value.ts";
import { applyOneChange, latestItemAt } from "../write/apply-change.ts";
import { deleteWrite, type ItemWrite, putWrite } from "../write/item-write.ts";
import { collectionMetrics } from "../write/write-one.ts";

/** AWS: API_BatchWriteItem — over all tables. */
const maxRequests = 25;

export const batchWriteItem: Operation<"BatchWriteItem"> = (database, input) => {
  const byTable = Object.entries(input.RequestItems ?? {});
  for (const [, requests] of byTable) for (const request of requests) checkKind(request);
  const writes = reportValuesFirst(
    () => byTable.flatMap(([, requests]) => requests.map(itemOf)),
    () =>
      byTable.flatMap(([TableName, requests]) =>
        requests.map((request) => batchedWrite(database, TableName, request)),
      ),
  );
  if (writes.length === 0) throw invalid("The requestItems parameter is required for BatchWriteItem");
  if (writes.length > maxRequests) throw invalid("Too many items requested for the BatchWriteItem call");
  const keys = distinctKeys(writes);
  const requests = byTable.flatMap(([, each]) => each);
  return database.writes.submit((transaction) => {
    const used = new Map<TableModel, { consumption: Consumption; counts: CountChange }>();
    const metrics: Record<string, Answer[]> = {};
    const batch = new PartialBatch(database.service.partitions, "write");
    const unprocessed: Record<string, WriteRequest[]> = {};
    for (const [index, write] of writes.entries()) {
      const { table } = write;
      const at = keys[index] as StorageKey;
      if (!batch.admits({ table, at })) {
        addTo(unprocessed, table.name, requests[index]);
        continue;
      }
      const own = used.get(table) ?? {
        consumption: new Consumption(table, "write"),
        counts: new CountChange(table.id),
      };
      used.set(table, own);
      const before = latestItemAt(transaction, at);
      const usedBefore = own.consumption.partitionUnits;
      const change = { before, after: write.next(before), at };
      applyOneChange(database, transaction, table, change, own.consumption, own.counts);
      batch.spend({ table, at }, own.consumption.partitionUnits - usedBefore);
      const metric = collectionMetrics(write, input.ReturnItemCollectionMetrics);
      const { name } = table;
      addTo(metrics, name, metric);
    }
    batch.throwIfNoneAdmitted();
    for (const { counts } of used.values()) counts.store(transaction);
    return {
      UnprocessedItems: unprocessed,
      ItemCollectionMetrics: Object.keys(metrics).length > 0 ? metrics : undefined,
      ConsumedCapacity: finishAll(
        Array.from(used.values(), ({ consumption }) => consumption),
        input.ReturnConsumedCapacity,
      ),
    };
  });
};

/** Adds to the list of a table, which may be named `__proto__`. */
function addTo<Value>(lists: Record<string, Value[]>, table: string, value: Value | undefined): void {
  if (value !== undefined) setOwn(lists, table, [...(getOwn(lists, table) ?? []), value]);
}

function itemOf({ PutRequest, DeleteRequest }: WriteRequest): unknown {
  return PutRequest?.Item ?? DeleteRequest?.Key;
}

function batchedWrite(database: Database, TableName: string, request: WriteRequest): ItemWrite {
  const { PutRequest, DeleteRequest } = request;
  if (PutRequest !== undefined) {
    return putWrite(database, { TableName, Item: PutRequest.Item }, checkBatchedItemKeys);
  }
  return deleteWrite(database, { TableName, Key: DeleteRequest?.Key });
}

/** DynamoDB has the same message for a request of two kinds and of none. */
function checkKind({ PutRequest, DeleteRequest }: WriteRequest): void {
  if ((PutRequest === undefined) !== (DeleteRequest === undefined)) return;
  throw invalid(
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
  );
}

/** Returns the storage keys of the items; throws if two are equal. */
function distinctKeys(writes: readonly ItemWrite[]): StorageKey[] {
  const keys = writes.map(({ table, key }) => itemKey(table, key));
  if (new Set(keys).size < keys.length) throw invalid("Provided list of item keys contains duplicates");
  return keys;
}

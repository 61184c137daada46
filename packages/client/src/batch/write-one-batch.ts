import {
  type BatchWriteItemInput,
  type CallOptions,
  type DynamoPort,
  isAmbiguous,
  type WriteRequest,
} from "@tablekeep/core";
import type { BatchWriteEntry } from "../base/client-error.ts";
import { itemId, type KeyNames, keyOf } from "../base/key-names.ts";
import type { OperationRun } from "../retry/operation.ts";
import { watchRetries } from "../retry/retry-policy.ts";
import { type BatchProgress, untilProcessed } from "./batch-progress.ts";
import type { Slot } from "./split-batches.ts";

/** A put or delete on its way. */
export interface WriteSlot extends Slot<BatchWriteEntry> {
  /** The names of its table's key; a delete shows them itself. */
  readonly keyNames?: KeyNames;
}

/** Sends one batch, and its unprocessed items again, until all are written or the deadline has passed. Does not throw for the latter. */
export async function writeOneBatch(
  port: DynamoPort,
  slots: readonly WriteSlot[],
  run: OperationRun,
): Promise<BatchProgress<BatchWriteEntry>> {
  // Once a request got no response, its entries may be stored, whatever later responses say about other copies.
  const doubtful = new Set<WriteSlot>();
  const { pending, failure } = await untilProcessed(port, slots, run, async (sent, options) => {
    const doubt = () => {
      for (const slot of sent) doubtful.add(slot);
    };
    // The port resends after a lost response, so its last response alone is not conclusive.
    const call = watchRetries(options, (_, reason) => {
      if (reason?.ambiguous ?? true) doubt();
    });
    try {
      const answer = await port.batchWriteItem(batchWriteParams(sent), call);
      return stillPending(sent, answer.UnprocessedItems ?? {});
    } catch (error) {
      if (isAmbiguous(error)) doubt();
      throw error;
    }
  });
  const left = new Set(pending);
  const entries = (wanted: (slot: WriteSlot) => boolean) => slots.filter(wanted).map((slot) => slot.entry);
  return {
    done: entries((slot) => !left.has(slot)),
    undone: entries((slot) => left.has(slot) && !doubtful.has(slot)),
    unknown: entries((slot) => left.has(slot) && doubtful.has(slot)),
    failure,
  };
}

/** The request for these entries. */
export function batchWriteParams(slots: readonly WriteSlot[]): BatchWriteItemInput {
  // A table may be called like a member that every object has.
  const byTable = new Map<string, WriteRequest[]>();
  for (const { entry, table } of slots) {
    const request: WriteRequest =
      entry.put === undefined
        ? { DeleteRequest: { Key: entry.delete } }
        : { PutRequest: { Item: entry.put } };
    const requests = byTable.get(table);
    if (requests === undefined) byTable.set(table, [request]);
    else requests.push(request);
  }
  return { RequestItems: Object.fromEntries(byTable) };
}

/** Which of `sent` came back unprocessed. If one came back that was not sent, all count: sending again is safe. */
export function stillPending(
  sent: readonly WriteSlot[],
  unprocessed: Readonly<Record<string, readonly WriteRequest[]>>,
): readonly WriteSlot[] {
  const identities = new Set(sent.map((slot) => slot.identity));
  const keyNames = new Map(sent.filter((slot) => slot.keyNames).map((slot) => [slot.table, slot.keyNames]));
  const left = new Set<string>();
  for (const [table, requests] of Object.entries(unprocessed)) {
    for (const { PutRequest, DeleteRequest } of requests) {
      const key = DeleteRequest?.Key ?? keyOf(PutRequest?.Item ?? {}, keyNames.get(table) ?? []);
      const identity = itemId(table, key);
      if (!identities.has(identity)) return sent;
      left.add(identity);
    }
  }
  return sent.filter((slot) => left.has(slot.identity));
}

/** Returns the key attributes of a table. */
export type KeyNamesOf = (table: string) => Promise<KeyNames>;

/** Returns the given key names; reads those of other tables, once each. */
export function tableKeyNames(
  port: DynamoPort,
  given: Readonly<Record<string, KeyNames>>,
  callOptions: () => CallOptions,
): KeyNamesOf {
  const known = new Map<string, Promise<KeyNames>>();
  for (const [table, names] of Object.entries(given)) known.set(table, Promise.resolve(names));
  return (table) => {
    const earlier = known.get(table);
    if (earlier !== undefined) return earlier;
    const asked = describedKeyNames(port, table, callOptions());
    known.set(table, asked);
    return asked;
  };
}

async function describedKeyNames(
  port: DynamoPort,
  TableName: string,
  options: CallOptions,
): Promise<KeyNames> {
  const { Table } = await port.describeTable({ TableName }, options);
  const named = (type: string) =>
    Table?.KeySchema?.find((element) => element.KeyType === type)?.AttributeName;
  const sortKey = named("RANGE");
  return sortKey === undefined ? [named("HASH") ?? ""] : [named("HASH") ?? "", sortKey];
}

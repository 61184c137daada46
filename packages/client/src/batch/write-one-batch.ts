import {
  type BatchWriteItemInput,
  type DynamoPort,
  isTablekeepError,
  type WriteRequest,
} from "@tablekeep/core";
import { itemId, type KeyNames, keyOf } from "../key-text.ts";
import { watchRetries } from "../meter/metered.ts";
import type { OperationRun } from "../operation-options.ts";
import type { BatchWriteEntry } from "./batch-entry.ts";
import type { BatchProgress } from "./batch-incomplete.ts";
import type { Slot } from "./split-batches.ts";
import { untilProcessed } from "./until-processed.ts";

/** A put or delete on its way. */
export interface WriteSlot extends Slot<BatchWriteEntry> {
  /** The names of its table's key; a delete shows them itself. */
  readonly keyNames?: KeyNames | undefined;
}

/** Sends one batch, and what is left of it again, until all is written or the time is up. Does not throw for that. */
export async function writeOneBatch(
  port: DynamoPort,
  slots: readonly WriteSlot[],
  run: OperationRun,
): Promise<BatchProgress<BatchWriteEntry>> {
  // Once a request with an entry got no answer, the entry may be stored, whatever later answers say of other copies.
  const doubtful = new Set<WriteSlot>();
  const { pending, failure } = await untilProcessed(port, slots, run, async (sent, options) => {
    const doubt = () => {
      for (const slot of sent) doubtful.add(slot);
    };
    // The port resends after a lost response; its last response alone does not tell.
    const call = watchRetries(options, (_, reason) => {
      if (reason?.ambiguous ?? true) doubt();
    });
    try {
      const answer = await port.batchWriteItem(batchWriteParams(sent), call);
      return stillPending(sent, answer.UnprocessedItems ?? {});
    } catch (error) {
      if (isTablekeepError(error) && error.ambiguous) doubt();
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

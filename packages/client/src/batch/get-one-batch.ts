import type { BatchGetItemInput, DynamoPort, Item, Key, KeysAndAttributes } from "@tablekeep/core";
import type { BatchKey } from "../base/client-error.ts";
import { itemId, keyOf } from "../base/key-names.ts";
import type { OperationRun } from "../retry/operation.ts";
import { batchIncomplete, untilProcessed } from "./batch-progress.ts";
import type { Slot } from "./split-batches.ts";

/** The projection and consistency of the reads. */
export interface ReadShape {
  readonly consistent: boolean;
  /** Names of the attributes to read; undefined for all. */
  readonly attributes?: readonly string[];
}

/** A key to read, and what identifies its item. */
export type ReadSlot = Pick<Slot<BatchKey>, "entry" | "table" | "identity">;

/** Reads one batch, and reads unprocessed keys again until none is left. The items are in order. */
export async function getOneBatch(
  port: DynamoPort,
  slots: readonly ReadSlot[],
  shape: ReadShape,
  run: OperationRun,
): Promise<(Item | undefined)[]> {
  const found = new Map<string, Item>();
  const keyNames = new Map<string, string[]>();
  // An item requested twice is read from DynamoDB once.
  const distinct = new Map<string, ReadSlot>();
  for (const slot of slots) {
    distinct.set(slot.identity, slot);
    if (!keyNames.has(slot.table)) keyNames.set(slot.table, Object.keys(slot.entry.key));
  }
  const { pending, failure } = await untilProcessed(port, [...distinct.values()], run, async (sent, call) => {
    const answer = await port.batchGetItem(batchGetParams(sent, shape), call);
    for (const [table, items] of Object.entries(answer.Responses ?? {})) {
      const names = keyNames.get(table);
      for (const item of items) found.set(itemId(table, item, names), item);
    }
    return stillUnread(sent, answer.UnprocessedKeys ?? {});
  });
  if (failure !== undefined) {
    const left = new Set(pending.map((slot) => slot.identity));
    const entries = (unread: boolean) =>
      slots.filter((slot) => left.has(slot.identity) === unread).map((slot) => slot.entry);
    throw batchIncomplete({ done: entries(false), undone: entries(true), unknown: [], failure });
  }
  return slots.map((slot) => onlyWanted(found.get(slot.identity), shape.attributes));
}

/** The request for these keys. Key attributes are always read: they match responses to keys. */
export function batchGetParams(slots: readonly ReadSlot[], shape: ReadShape): BatchGetItemInput {
  // A table may be called like a member that every object has.
  const byTable = new Map<string, KeysAndAttributes>();
  for (const { table, entry } of slots) {
    const asked = byTable.get(table);
    if (asked === undefined) {
      byTable.set(table, {
        Keys: [entry.key],
        ...(shape.consistent ? { ConsistentRead: true } : {}),
        ...projection(shape.attributes, entry.key),
      });
    } else asked.Keys?.push(entry.key);
  }
  return { RequestItems: Object.fromEntries(byTable) };
}

function projection(attributes: readonly string[] | undefined, key: Key): Partial<KeysAndAttributes> {
  if (attributes === undefined) return {};
  const names = [...new Set([...Object.keys(key), ...attributes])];
  return {
    ProjectionExpression: names.map((_, index) => `#a${index}`).join(", "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#a${index}`, name])),
  };
}

/** Which of `sent` came back unprocessed. If one came back that was not sent, all count: reading again is safe. */
export function stillUnread(
  sent: readonly ReadSlot[],
  unprocessed: Readonly<Record<string, KeysAndAttributes>>,
): readonly ReadSlot[] {
  const left = new Set<string>();
  for (const [table, { Keys }] of Object.entries(unprocessed)) {
    for (const key of Keys ?? []) left.add(itemId(table, key));
  }
  if (left.size === 0) return [];
  const identities = new Set(sent.map((slot) => slot.identity));
  for (const identity of left) if (!identities.has(identity)) return sent;
  return sent.filter((slot) => left.has(slot.identity));
}

function onlyWanted(item: Item | undefined, attributes: readonly string[] | undefined): Item | undefined {
  return item === undefined || attributes === undefined ? item : keyOf(item, attributes);
}

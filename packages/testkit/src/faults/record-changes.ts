import {
  type BatchWriteItemInput,
  type Item,
  isTablekeepError,
  type Key,
  type PutItemInput,
  type TransactWriteItemsInput,
  type UpdateItemInput,
} from "@tablekeep/core";
import type { ItemImage } from "./change-memory.ts";
import type { FaultWorld, FaultyRequest, Send } from "./faulty-request.ts";

/** Passes a write on, and keeps the items that it changes as they were before. Statements are not looked into. */
export async function recordChanges(request: FaultyRequest, send: Send, world: FaultWorld): Promise<object> {
  const images = await Promise.all(targetsOf(request).map((target) => imageOf(target, world)));
  const known = images.filter((image) => image !== undefined);
  try {
    const answer = await send(request);
    world.changes.remember(known);
    return answer;
  } catch (error) {
    if (isTablekeepError(error) && error.ambiguous) world.changes.remember(known);
    throw error;
  }
}

interface Target {
  readonly table: string | undefined;
  /** The key of the item, or the whole item. */
  readonly attributes: Item | undefined;
}

function targetsOf(request: FaultyRequest): Target[] {
  switch (request.operation) {
    case "PutItem": {
      const { TableName: table, Item: attributes } = request.input as PutItemInput;
      return [{ table, attributes }];
    }
    case "UpdateItem":
    case "DeleteItem": {
      const { TableName: table, Key: attributes } = request.input as UpdateItemInput;
      return [{ table, attributes }];
    }
    case "BatchWriteItem":
      return Object.entries((request.input as BatchWriteItemInput).RequestItems ?? {}).flatMap(
        ([table, entries]) =>
          entries.map((entry) => ({ table, attributes: entry.PutRequest?.Item ?? entry.DeleteRequest?.Key })),
      );
    case "TransactWriteItems":
      return ((request.input as TransactWriteItemsInput).TransactItems ?? []).flatMap(
        ({ Put, Update, Delete }) => {
          const keyed = Update ?? Delete;
          if (Put !== undefined) return [{ table: Put.TableName, attributes: Put.Item }];
          return keyed === undefined ? [] : [{ table: keyed.TableName, attributes: keyed.Key }];
        },
      );
    default:
      return [];
  }
}

async function imageOf({ table, attributes }: Target, world: FaultWorld): Promise<ItemImage | undefined> {
  const schema = table === undefined ? undefined : await world.tableKeys.of(table);
  if (table === undefined || attributes === undefined || schema === undefined) return undefined;
  const key: Key = {};
  for (const name of schema.key) {
    const value = attributes[name];
    if (value === undefined) return undefined;
    key[name] = value;
  }
  const read = world.direct("GetItem", { TableName: table, Key: key, ConsistentRead: true }, {});
  // An item that cannot be read has a key that the write will be rejected for as well.
  return read.then(
    ({ Item: before }) => ({ table, key, before }),
    () => undefined,
  );
}

import { createHash } from "node:crypto";
import { batchGet } from "@tablekeep/client";
import { type CallOptions, isDynamoError, type Key, type TransactWriteItem } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { pageSettings } from "./read-rows.ts";

/** The place of an id in the registry: spread over shards by its hash, so that no key gets hot. */
export interface RegistryPlace {
  readonly shard: number;
  readonly place: number;
}

/** The place of an id; `probe` counts up from 0 while another id has it. */
export function registryPlace(shards: number, persistenceId: string, probe: number): RegistryPlace {
  const hash = createHash("sha256").update(persistenceId).digest();
  // 52 bits: a number that DynamoDB and JavaScript both keep exactly, with space to count up.
  return {
    shard: hash.readUInt32BE(0) % shards,
    place: hash.readUIntBE(4, 6) * 16 + (hash.readUInt8(10) >> 4) + probe,
  };
}

/** The row that makes an id known; none if the layout keeps no registry. Refused only if another id has the place. */
export function registryPut(
  { table, layout, registryShards }: JournalContext,
  persistenceId: string,
  probe: number,
): TransactWriteItem["Put"] {
  const { shard, place } = registryPlace(registryShards, persistenceId, probe);
  const key = layout.registryKey?.(shard, place);
  if (key === undefined) return undefined;
  return {
    TableName: table,
    Item: { ...key, persistence_id: { S: persistenceId } },
    ConditionExpression: "attribute_not_exists(persistence_id) OR persistence_id = :id",
    ExpressionAttributeValues: { ":id": { S: persistenceId } },
  };
}

/** How many places of the registry an id may have been moved on by others that had them. */
const maxProbes = 8;

/** The place of an id in the registry, and all possible ones. */
export interface RegistryPlaces {
  /** Keys that hold this id; more than one is a fault. */
  readonly own: readonly Key[];
  /** The first key that is free, with its probe; undefined if none is. */
  readonly free: { readonly key: Key; readonly probe: number } | undefined;
}

/** Reads all places that an id may have. */
export async function readRegistryPlaces(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<RegistryPlaces> {
  const { port, table, layout, registryShards } = context;
  const keys = Array.from({ length: maxProbes }, (_unused, probe) => {
    const { shard, place } = registryPlace(registryShards, persistenceId, probe);
    return layout.registryKey?.(shard, place) ?? [];
  }).flat() as Key[];
  const items = await batchGet(
    port,
    keys.map((key) => ({ table, key })),
    { consistent: true, maxKeys: context.maxBatchGet, ...pageSettings(context, call) },
  );
  const own = keys.filter((_key, at) => items[at]?.["persistence_id"]?.S === persistenceId);
  const probe = items.findIndex((item) => item?.["persistence_id"] === undefined);
  const key = keys[probe];
  return { own, free: key === undefined ? undefined : { key, probe } };
}

/** Makes an id known where it is not. False if it was, or if the layout keeps no registry. */
export async function registerId(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<boolean> {
  for (;;) {
    if (context.layout.registryKey === undefined) return false;
    const { own, free } = await readRegistryPlaces(context, persistenceId, call);
    const put = free && registryPut(context, persistenceId, free.probe);
    if (own.length > 0 || put === undefined) return false;
    try {
      await context.port.putItem(put, call);
      return true;
    } catch (error) {
      // Another id was first at this place.
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    }
  }
}

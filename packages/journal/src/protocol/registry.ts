import { createHash } from "node:crypto";
import { batchGet } from "@tablekeep/client";
import { type CallOptions, isDynamoError, type Key, type TransactWriteItem } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { pageSettings } from "./read-rows.ts";

/** The place of an id in the registry. Ids are spread over shards by hash, so that no key becomes hot. */
export interface RegistrySlot {
  readonly shard: number;
  readonly place: number;
}

/** Returns the place of an id. `probe` counts up from 0 while another id has the place. */
export function registrySlot(shards: number, persistenceId: string, probe: number): RegistrySlot {
  const hash = createHash("sha256").update(persistenceId).digest();
  // 52 bits: DynamoDB and JavaScript both store it exactly, and it can still be incremented.
  return {
    shard: hash.readUInt32BE(0) % shards,
    place: hash.readUIntBE(4, 6) * 16 + (hash.readUInt8(10) >> 4) + probe,
  };
}

/**
 * Returns the put that registers an id, or undefined if the layout has no registry. It fails only if another id has the
 * place.
 */
export function registryPut(
  { table, layout, registryShards }: JournalContext,
  persistenceId: string,
  probe: number,
): TransactWriteItem["Put"] {
  const { shard, place } = registrySlot(registryShards, persistenceId, probe);
  const key = layout.registryKey?.(shard, place);
  if (key === undefined) return undefined;
  return {
    TableName: table,
    Item: { ...key, persistence_id: { S: persistenceId } },
    ConditionExpression: "attribute_not_exists(persistence_id) OR persistence_id = :id",
    ExpressionAttributeValues: { ":id": { S: persistenceId } },
  };
}

/** How many places an id may be moved on because other ids have them. */
const maxProbes = 8;

/** The place of an id in the registry, and all possible ones. */
export interface RegistrySlots {
  /** Keys that contain this id; more than one is damage. */
  readonly own: readonly Key[];
  /** The first unused key, with its probe; undefined if there is none. */
  readonly free: { readonly key: Key; readonly probe: number } | undefined;
}

/** Reads all places that an id may have. */
export async function readRegistrySlots(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<RegistrySlots> {
  const { port, table, layout, registryShards } = context;
  const keys = Array.from({ length: maxProbes }, (_unused, probe) => {
    const { shard, place } = registrySlot(registryShards, persistenceId, probe);
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

/** Registers an id. Returns false if it is registered already, or if the layout has no registry. */
export async function registerId(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<boolean> {
  for (;;) {
    if (context.layout.registryKey === undefined) return false;
    const { own, free } = await readRegistrySlots(context, persistenceId, call);
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

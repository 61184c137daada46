import { batchGet } from "@tablekeep/client";
import type { CallOptions, Key } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { pageSettings } from "../replay/read-rows.ts";
import { registryPlace } from "./registry-put.ts";

/** How many places of the registry an id may have been moved on by others that had them. */
const maxProbes = 8;

/** Where an id stands in the registry, and where it could. */
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

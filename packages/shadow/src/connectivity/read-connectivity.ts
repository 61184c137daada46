import { batchGet } from "@tablekeep/client";
import type { StoreCall } from "../store/store-options.ts";
import type { Connectivity } from "./connectivity.ts";
import { connectionKey, connectivityOf, leaseKey, ownerOf, readLease } from "./connectivity-items.ts";

/** Returns the connectivity of things by name; those that never connected are missing. */
export async function readConnectivity(
  call: StoreCall,
  things: readonly string[],
): Promise<ReadonlyMap<string, Connectivity>> {
  const { table, clock } = call.options;
  const distinct = [...new Set(things)];
  if (distinct.length === 0) return new Map();
  const read = (keys: readonly ReturnType<typeof leaseKey>[]) =>
    batchGet(
      call.port,
      keys.map((key) => ({ table, key })),
      { consistent: true, ...call.request() },
    );
  const items = await read(distinct.map(connectionKey));
  const owners = items.map((item) => item && ownerOf(item));
  const servers = [...new Set(owners.flatMap((owner) => owner?.server ?? []))];
  // Read after the items, so that a lease that has just ended is noticed.
  const found = servers.length === 0 ? [] : await read(servers.map(leaseKey));
  const leases = new Map(servers.map((server, at) => [server, found[at] && readLease(found[at])]));
  const now = clock.now();
  return new Map(
    distinct.flatMap((thing, at) => {
      const [item, owner] = [items[at], owners[at]];
      if (item === undefined) return [];
      return [[thing, connectivityOf(item, owner && leases.get(owner.server), now)] as const];
    }),
  );
}

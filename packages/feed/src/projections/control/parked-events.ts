import type { CallOptions } from "@tablekeep/core";
import {
  type FailedEvent,
  type ParkedItem,
  type ProjectionVersion,
  projectionKey,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";

/** An event that a projection has passed and not applied. */
export interface ParkedEvent extends FailedEvent {
  readonly slice: number;
  /** Whether it is applied as soon as the earlier parked events of its id are, or because a retry was requested. */
  readonly retry: boolean;
}

/** Returns parked events of a version, by slice and offset. */
export async function parkedEvents(
  store: ProjectionStore,
  version: ProjectionVersion,
  {
    persistenceId,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly persistenceId?: string; readonly limit?: number },
  call: CallOptions,
): Promise<ParkedEvent[]> {
  const found: ParkedEvent[] = [];
  if (limit < 1) return found;
  for await (const row of store.parked(version, undefined, call)) {
    if (persistenceId !== undefined && row.persistenceId !== persistenceId) continue;
    const { slice, offset, sequenceNr, error, at, retry } = row;
    found.push({ slice, offset, persistenceId: row.persistenceId, sequenceNr, error, at, retry });
    if (found.length >= limit) break;
  }
  return found;
}

/** Marks the first parked event of each id, and has the runners see it. Returns how many ids there are. */
export async function retryParked(
  store: ProjectionStore,
  version: ProjectionVersion,
  persistenceId: string | undefined,
  call: CallOptions,
): Promise<{ readonly ids: number; readonly slices: ReadonlySet<number> }> {
  const heads = new Map<string, ParkedItem>();
  for await (const row of store.parked(version, undefined, call))
    if ((persistenceId === undefined || row.persistenceId === persistenceId) && !heads.has(row.persistenceId))
      heads.set(row.persistenceId, row);
  for (const { slice, offset } of heads.values())
    await store.update(
      {
        key: projectionKey.parked(version, slice, offset),
        update: "SET #retry = :true",
        // It may have been applied or removed meanwhile.
        condition: "attribute_exists(#retry)",
        names: { "#retry": "retry" },
        values: { ":true": { BOOL: true } },
      },
      call,
    );
  return { ids: heads.size, slices: new Set([...heads.values()].map(({ slice }) => slice)) };
}

/** Removes parked events. What a runner applies at the same moment it applies or not: its transaction checks that the item is there. */
export async function dropParked(
  store: ProjectionStore,
  version: ProjectionVersion,
  isDropped: (row: ParkedItem) => boolean,
  call: CallOptions,
): Promise<{ readonly events: number; readonly slices: ReadonlySet<number> }> {
  const slices = new Set<number>();
  let events = 0;
  for await (const row of store.parked(version, undefined, call)) {
    if (!isDropped(row)) continue;
    await store.delete(projectionKey.parked(version, row.slice, row.offset), call);
    slices.add(row.slice);
    events++;
  }
  return { events, slices };
}

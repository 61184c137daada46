import { maxTransactActions } from "@tablekeep/client";
import type { CallOptions, TransactWriteItem } from "@tablekeep/core";
import {
  type FailedEvent,
  type ParkedItem,
  type ProjectionVersion,
  projectionKey,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";
import { changeSlices } from "./change-slices.ts";

/** An event that a projection has passed and not applied. */
export interface ParkedEvent extends FailedEvent {
  readonly slice: number;
  /** Whether it is applied as soon as the earlier parked events of its id are, or once its retry was requested. */
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

/** How many parked events are changed in one transaction, with the slice. */
const rowsAtOnce = maxTransactActions - 1;

/** Requests that the first parked event of each id is applied, and has the runners see it. Returns how many ids there are. */
export async function retryParked(
  store: ProjectionStore,
  version: ProjectionVersion,
  persistenceId: string | undefined,
  call: CallOptions,
): Promise<number> {
  const ids = new Set<string>();
  const isWanted = (row: ParkedItem) => persistenceId === undefined || row.persistenceId === persistenceId;
  const changes = async (slice: number): Promise<RowChanges> => {
    const heads = new Map<string, ParkedItem>();
    for await (const row of store.parked(version, slice, call))
      if (isWanted(row) && !heads.has(row.persistenceId)) heads.set(row.persistenceId, row);
    for (const id of heads.keys()) ids.add(id);
    const rows = [...heads.values()].filter(({ retry }) => !retry);
    return { isChanged: heads.size > 0, actions: rows.map((row) => markAction(store, version, row)) };
  };
  for (const slice of await slicesWith(store, version, isWanted, call))
    await changeRows(store, version, slice, changes, call);
  return ids.size;
}

/** Removes parked events. An event that a runner is applying at the same moment is either applied or removed, and counted only if removed. */
export async function dropParked(
  store: ProjectionStore,
  version: ProjectionVersion,
  isDropped: (row: ParkedItem) => boolean,
  call: CallOptions,
): Promise<number> {
  let events = 0;
  const changes = async (slice: number): Promise<RowChanges> => {
    const rows: ParkedItem[] = [];
    for await (const row of store.parked(version, slice, call)) if (isDropped(row)) rows.push(row);
    // The last ones first: a runner applies the first of an id that is left.
    const actions = rows.toReversed().map((row) => dropAction(store, version, row));
    return { isChanged: rows.length > 0, actions };
  };
  for (const slice of await slicesWith(store, version, isDropped, call))
    events += await changeRows(store, version, slice, changes, call);
  return events;
}

interface RowChanges {
  /** Whether the runners must read the parked events again. */
  readonly isChanged: boolean;
  readonly actions: readonly TransactWriteItem[];
}

/** Changes parked events of a slice together with its epoch, so that no runner goes on with what it has read before. Returns how many. */
async function changeRows(
  store: ProjectionStore,
  version: ProjectionVersion,
  slice: number,
  changes: (slice: number) => Promise<RowChanges>,
  call: CallOptions,
): Promise<number> {
  for (let done = 0; ; ) {
    let now = 0;
    let left = 0;
    const change = async () => {
      const { isChanged, actions } = await changes(slice);
      const also = actions.slice(0, rowsAtOnce);
      now = also.length;
      left = actions.length - also.length;
      return isChanged ? { keepFailed: true, ...(also.length > 0 && { also }) } : undefined;
    };
    const isChanged = await changeSlices(store, version, [slice], change, call);
    done += isChanged ? now : 0;
    if (!isChanged || left === 0) return done;
  }
}

async function slicesWith(
  store: ProjectionStore,
  version: ProjectionVersion,
  isWanted: (row: ParkedItem) => boolean,
  call: CallOptions,
): Promise<Set<number>> {
  const slices = new Set<number>();
  for await (const row of store.parked(version, undefined, call)) if (isWanted(row)) slices.add(row.slice);
  return slices;
}

function markAction(
  store: ProjectionStore,
  version: ProjectionVersion,
  { slice, offset }: ParkedItem,
): TransactWriteItem {
  return store.action({
    key: projectionKey.parked(version, slice, offset),
    update: "SET #retry = :true",
    // It may have been applied or removed meanwhile.
    condition: "attribute_exists(#retry)",
    names: { "#retry": "retry" },
    values: { ":true": { BOOL: true } },
  });
}

function dropAction(
  store: ProjectionStore,
  version: ProjectionVersion,
  { slice, offset }: ParkedItem,
): TransactWriteItem {
  return {
    Delete: {
      TableName: store.context.table,
      Key: projectionKey.parked(version, slice, offset),
      ConditionExpression: "attribute_exists(#retry)",
      ExpressionAttributeNames: { "#retry": "retry" },
    },
  };
}

import type { EntityCallOptions } from "../call-options.ts";
import type { HostContext } from "../cell/cell.ts";
import type { EntityRef } from "../definition/entity-definition.ts";
import { EntityError } from "../entity-error.ts";
import { findSnapshot } from "../recovery/find-snapshot.ts";

/** Deletes events up to a sequence number that a snapshot contains. Throws `ENTITY_DELETE_REFUSED` for others. */
export async function deleteEvents(
  context: HostContext,
  { definition, address, persistenceId }: EntityRef,
  toSequenceNr: number,
  { signal, deadlineMs }: EntityCallOptions,
): Promise<void> {
  const call = { signal, deadlineMs: deadlineMs ?? context.deadlineMs };
  const newest =
    context.snapshots && (await findSnapshot(context.snapshots, definition, persistenceId, call));
  const covered = newest?.sequenceNr ?? 0;
  if (!Number.isSafeInteger(toSequenceNr) || toSequenceNr < 1 || toSequenceNr > covered) {
    throw new EntityError(
      "ENTITY_DELETE_REFUSED",
      `${address.entity} ${address.id}: cannot delete events up to ${toSequenceNr}: snapshots contain only those up to ${covered}`,
      { ...address, toSequenceNr, covered },
    );
  }
  // A deletion takes as long as the history: without a deadline from the caller, the journal's applies to each request.
  await context.journal.deleteTo(persistenceId, toSequenceNr, { signal, ...(deadlineMs && { deadlineMs }) });
}

/**
 * Removes an entity: its snapshots, then its journal, then the replies of its commands. Interrupted between any two
 * requests, the entity is unchanged, cannot be recovered (`ENTITY_HISTORY_DELETED`), or is new; never an older one. Replies
 * are removed last: while events are left, a repeated command must not be carried out twice.
 */
export async function forgetEntity(
  { journal, snapshots, ledger, snapshotter, deadlineMs: defaultMs }: HostContext,
  { persistenceId }: EntityRef,
  { signal, deadlineMs = defaultMs }: EntityCallOptions,
): Promise<void> {
  const call = { signal, deadlineMs };
  await snapshotter.ended(persistenceId);
  await snapshots?.deleteMany(persistenceId, {}, call);
  // A purge takes as long as the history, so the journal's deadline applies to each request.
  await journal.purge(persistenceId, { signal });
  await ledger?.forget(persistenceId, call);
}

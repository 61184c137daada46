import type { EntityCallOptions } from "../call-options.ts";
import type { HostContext } from "../cell/cell.ts";
import type { EntityRef } from "../definition/entity-definition.ts";
import { EntityError } from "../entity-error.ts";
import { findSnapshot } from "../recovery/find-snapshot.ts";

/** Deletes events up to a sequence number that a snapshot contains. Throws `ENTITY_DELETE_REFUSED` for others. */
export async function deleteEvents(
  context: HostContext,
  entity: EntityRef,
  toSequenceNr: number,
  { signal, deadlineMs }: EntityCallOptions,
): Promise<void> {
  const call = { signal, deadlineMs: deadlineMs ?? context.deadlineMs };
  const checked = async () => {
    await checkCovered(context, entity, toSequenceNr, call);
    return toSequenceNr;
  };
  await checked();
  // Checked again within the deletion: the entity may be forgotten, and start again, between the two. A deletion takes as
  // long as the history: without a deadline from the caller, the journal's applies to each request.
  await context.journal.deleteTo(entity.persistenceId, checked, {
    signal,
    ...(deadlineMs && { deadlineMs }),
  });
}

async function checkCovered(
  { snapshots }: HostContext,
  entity: EntityRef,
  toSequenceNr: number,
  call: EntityCallOptions,
): Promise<void> {
  const newest = snapshots && (await findSnapshot(snapshots, entity, call));
  const covered = newest?.sequenceNr ?? 0;
  if (Number.isSafeInteger(toSequenceNr) && toSequenceNr >= 1 && toSequenceNr <= covered) return;
  const { address } = entity;
  throw new EntityError(
    "ENTITY_DELETE_REFUSED",
    `${address.entity} ${address.id}: cannot delete events up to ${toSequenceNr}: snapshots contain only those up to ${covered}`,
    { ...address, toSequenceNr, covered },
  );
}

/**
 * Removes an entity: its snapshots, then its events, then the replies of its commands, then its sequence numbers. Interrupted
 * between any two requests, the entity is unchanged, cannot be recovered (`ENTITY_HISTORY_DELETED`), or is new; never an
 * older one. The replies are removed while the entity cannot be recovered: a repeated command is not carried out twice on the
 * old events, and a new entity does not answer with old replies.
 */
export async function forgetEntity(
  { journal, snapshots, ledger, snapshotter, deadlineMs: defaultMs }: HostContext,
  { persistenceId }: EntityRef,
  { signal, deadlineMs }: EntityCallOptions,
): Promise<void> {
  const call = { signal, deadlineMs: deadlineMs ?? defaultMs };
  await snapshotter.ended(persistenceId);
  await snapshots?.deleteMany(persistenceId, {}, call);
  // A purge takes as long as the history: without a deadline from the caller, the journal's applies to each request.
  await journal.purge(persistenceId, {
    signal,
    ...(deadlineMs && { deadlineMs }),
    beforeReset: async () => ledger?.forget(persistenceId, call),
  });
}

import type { LooseEntity } from "../definition/entity-definition.ts";
import type { EntityCallOptions } from "./entity-host.ts";
import type { HostContext } from "./host-context.ts";

/**
 * Removes an entity: its snapshots, then its journal, then the replies of its commands. Cut short between any two requests,
 * the entity is as it was, cannot be recovered (`ENTITY_HISTORY_DELETED`), or is new; never an older one. Replies go
 * last: as long as events are left, a command that comes again must not be carried out twice.
 */
export async function forgetEntity(
  { journal, snapshots, ledger, snapshotter, deadlineMs: byDefault }: HostContext,
  definition: LooseEntity,
  id: string,
  { signal, deadlineMs = byDefault }: EntityCallOptions,
): Promise<void> {
  const persistenceId = definition.persistenceId(id);
  const call = { signal, deadlineMs };
  await snapshotter.ended(persistenceId);
  await snapshots?.deleteMany(persistenceId, {}, call);
  // A purge is as long as the history: without a deadline of its own, the journal's is that of each request.
  await journal.purge(persistenceId, { signal });
  await ledger?.forget(persistenceId, call);
}

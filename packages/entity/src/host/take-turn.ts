import { answerReads } from "./answer-reads.ts";
import { type Cell, putBack } from "./cell.ts";
import { finishGroup } from "./finish-group.ts";
import { formGroup } from "./form-group.ts";
import { notRecovered, outcomeUnknown } from "./group-errors.ts";
import { type LoadedEntity, loadEntity } from "./loaded-entity.ts";
import type { PendingAsk } from "./pending-ask.ts";
import { settleDoubts } from "./settle-doubts.ts";

/** One turn of an entity: recover it if need be, take what waits, decide, write, answer. Never throws. */
export async function takeTurn(cell: Cell): Promise<void> {
  cell.queue.dropAnswered();
  if (cell.queue.size === 0) return;
  let taken: readonly PendingAsk[] = [];
  try {
    const loaded = cell.loaded ?? (await load(cell));
    const group = await formGroup(cell, loaded);
    const asks = group.entries.map(({ ask }) => ask);
    taken = asks;
    // A caller who went while the group was formed was told that nothing is written, and others were decided on top of it.
    if (asks.some(({ answered }) => answered)) return putBack(cell, asks);
    if (asks.length === 0) return;
    if (group.events.length === 0) await answerReads(cell, loaded, group);
    else await finishGroup(cell, loaded, group);
  } catch (error) {
    // What was taken for this turn cannot be told apart any more; a recovery will see what is true.
    cell.loaded = undefined;
    failAll(cell, [...taken, ...cell.queue.removeAll()], error);
  }
}

async function load(cell: Cell): Promise<LoadedEntity> {
  const loaded = await loadEntity(cell.context, cell.entity);
  await settleDoubts(cell, loaded);
  cell.loaded = loaded;
  return loaded;
}

/** Nobody is left without an answer. */
function failAll({ entity }: Cell, asks: readonly PendingAsk[], error: unknown): void {
  for (const ask of asks) {
    const inDoubt = ask.writing || ask.doubts.length > 0;
    ask.fail(inDoubt ? outcomeUnknown(entity.place, error) : notRecovered(entity.place, error));
  }
}

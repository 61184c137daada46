import type { AskQueue } from "./ask-queue.ts";
import type { EntityRef, HostContext } from "./host-context.ts";
import type { LoadedEntity } from "./loaded-entity.ts";
import type { PendingAsk } from "./pending-ask.ts";

/** One entity in a host: the commands that wait for it and, once it is recovered, its state. */
export interface Cell {
  readonly context: HostContext;
  readonly entity: EntityRef;
  /** In the order in which they came; only the turns of this cell take from it. */
  readonly queue: AskQueue;
  loaded: LoadedEntity | undefined;
}

/** Puts commands back to the front, in their order, to be decided again. Those whose caller has gone are dropped. */
export function putBack({ queue }: Cell, asks: readonly PendingAsk[]): void {
  const waiting = asks.filter((ask) => !ask.answered);
  for (const ask of waiting) ask.writing = false;
  queue.putFirst(waiting);
}

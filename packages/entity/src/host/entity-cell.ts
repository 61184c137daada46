import { askQueue } from "./ask-queue.ts";
import type { Cell } from "./cell.ts";
import type { EntityRef, HostContext } from "./host-context.ts";
import type { PendingAsk } from "./pending-ask.ts";
import { takeTurn } from "./take-turn.ts";

/** One entity of a host, as the host sees it. */
export interface EntityCell {
  /** How many commands wait. */
  readonly waiting: number;
  /** Whether nothing waits and nothing is under way. */
  readonly idle: boolean;
  /** When it last had something to do, by the monotonic clock. */
  readonly usedAt: number;
  /** Takes a command, to be carried out after those that came before. */
  take(ask: PendingAsk): void;
  /** Runs `work` between two turns, with nothing of the entity in memory. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves once it is idle. */
  done(): Promise<void>;
}

/** Makes a cell. It recovers its entity with the first command. */
export function entityCell(context: HostContext, entity: EntityRef): EntityCell {
  const cell: Cell = { context, entity, queue: askQueue(), loaded: undefined };
  let running: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let alone = 0;
  let usedAt = context.clock.monotonic();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const run = async () => {
    try {
      // Each turn waits for its place anew, so that a hot entity does not keep others out.
      while (cell.queue.size > 0) await inTurn(() => context.working.run(() => takeTurn(cell)));
    } finally {
      usedAt = context.clock.monotonic();
      running = undefined;
    }
  };
  return {
    get waiting() {
      return cell.queue.size;
    },
    get idle() {
      return running === undefined && alone === 0;
    },
    get usedAt() {
      return usedAt;
    },
    take(ask) {
      cell.queue.add(ask);
      // Not at once: commands that are given in the same turn of the event loop are written together.
      running ??= Promise.resolve().then(run);
    },
    async alone(work) {
      alone++;
      try {
        return await inTurn(async () => {
          cell.loaded = undefined;
          return work();
        });
      } finally {
        alone--;
        usedAt = context.clock.monotonic();
      }
    },
    async done() {
      await running;
      if (alone > 0) await last;
    },
  };
}

import type { EntityRef } from "../definition/entity-definition.ts";
import { notRecovered, outcomeUnknown } from "./ask-errors.ts";
import { askQueue } from "./ask-queue.ts";
import { type Cell, type HostContext, putBack } from "./cell.ts";
import { answerReads, finishGroup } from "./finish-group.ts";
import { formGroup } from "./form-group.ts";
import { loadCell } from "./load-entity.ts";
import { mayBeCarriedOut, type PendingAsk } from "./pending-ask.ts";

/** One entity of a host, as the host uses it. */
export interface EntityCell {
  /** Number of waiting commands. */
  readonly waiting: number;
  /** Whether nothing waits and nothing is in flight. */
  readonly idle: boolean;
  /** When it last had work, by the monotonic clock. */
  readonly usedAt: number;
  /** Queues a command after those that arrived before it. */
  add(ask: PendingAsk): void;
  /** Runs `work` between two turns, with the entity out of memory. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves once the cell is idle. */
  done(): Promise<void>;
}

/** Creates a cell. It recovers its entity with the first command. */
export function entityCell(context: HostContext, entity: EntityRef): EntityCell {
  const cell: Cell = { context, entity, queue: askQueue(), loaded: undefined };
  let running: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let runningAlone = 0;
  let usedAt = context.clock.monotonic();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const run = async () => {
    try {
      // Each turn waits for a slot again, so that a busy entity does not keep others waiting.
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
      return running === undefined && runningAlone === 0;
    },
    get usedAt() {
      return usedAt;
    },
    add(ask) {
      cell.queue.add(ask);
      // Starts in a microtask: commands of the same tick of the event loop are written together.
      running ??= Promise.resolve().then(run);
    },
    async runAlone(work) {
      runningAlone++;
      try {
        return await inTurn(async () => {
          cell.loaded = undefined;
          return work();
        });
      } finally {
        runningAlone--;
        usedAt = context.clock.monotonic();
      }
    },
    async done() {
      await running;
      if (runningAlone > 0) await last;
    },
  };
}

/** Runs one turn: recovers the entity if necessary, decides what waits, writes and answers. Never throws. */
async function takeTurn(cell: Cell): Promise<void> {
  cell.queue.dropAnswered();
  if (cell.queue.size === 0) return;
  let decided: readonly PendingAsk[] = [];
  try {
    const loaded = cell.loaded ?? (await loadCell(cell));
    const group = await formGroup(cell, loaded);
    const asks = group.entries.map(({ ask }) => ask);
    decided = asks;
    // A caller that left meanwhile has the answer "nothing was written", and later commands were decided after its own.
    if (asks.some(({ answered }) => answered)) return putBack(cell, asks);
    if (asks.length === 0) return;
    if (group.events.length === 0) await answerReads(cell, loaded, group);
    else await finishGroup(cell, loaded, group);
  } catch (error) {
    // The state in memory can no longer be trusted; the next command recovers.
    cell.loaded = undefined;
    failAll(cell, [...decided, ...cell.queue.removeAll()], error);
  }
}

function failAll({ entity }: Cell, asks: readonly PendingAsk[], error: unknown): void {
  for (const ask of asks) {
    ask.fail(
      mayBeCarriedOut(ask) ? outcomeUnknown(entity.address, error) : notRecovered(entity.address, error),
    );
  }
}

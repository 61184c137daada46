import { isTablekeepError, type Logger } from "@tablekeep/core";

/** A cleaning task for one id. */
export interface Cleaning {
  readonly old: boolean;
  readonly garbage: boolean;
}

export interface BackgroundCleaning {
  /** Schedules the cleaning of an id. Several requests for one id become one. */
  demand(persistenceId: string, cleaning: Cleaning): void;
  /** Resolves once nothing waits and nothing is being cleaned. */
  idle(): Promise<void>;
  /** Drops what waits, and resolves once the cleaning in progress has ended. */
  close(): Promise<void>;
}

/** How many ids are cleaned at a time. */
const parallel = 4;
/** How many ids may wait. A request beyond that is dropped: the next save of the id repeats it. */
const maxWaiting = 10_000;

/** Cleans ids in the background, a few at a time. Failures are logged. */
export function backgroundCleaning(
  clean: (persistenceId: string, cleaning: Cleaning) => Promise<void>,
  logger: Logger,
): BackgroundCleaning {
  const waiting = new Map<string, Cleaning>();
  const workers = new Set<Promise<void>>();
  let closed = false;

  const work = async () => {
    for (let next = take(waiting); next !== undefined; next = take(waiting)) {
      const [persistenceId, cleaning] = next;
      try {
        await clean(persistenceId, cleaning);
      } catch (error) {
        const code = isTablekeepError(error) ? error.code : undefined;
        logger.warn("could not remove old snapshots; the next save will try again", {
          persistenceId,
          code,
        });
      }
    }
  };
  const idle = async () => {
    while (workers.size > 0) await Promise.all(workers);
  };
  return {
    demand(persistenceId, cleaning) {
      const before = waiting.get(persistenceId);
      if (closed || (before === undefined && waiting.size >= maxWaiting)) return;
      waiting.set(persistenceId, {
        old: cleaning.old || before?.old === true,
        garbage: cleaning.garbage || before?.garbage === true,
      });
      if (workers.size >= parallel) return;
      const worker: Promise<void> = work().finally(() => workers.delete(worker));
      workers.add(worker);
    },
    idle,
    async close() {
      closed = true;
      // The next save of these ids, by any process, cleans them.
      waiting.clear();
      await idle();
    },
  };
}

function take<Value>(map: Map<string, Value>): [string, Value] | undefined {
  for (const entry of map) {
    map.delete(entry[0]);
    return entry;
  }
  return undefined;
}

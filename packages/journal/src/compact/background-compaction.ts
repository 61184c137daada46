import { isTablekeepError } from "@tablekeep/core";
import {
  type BackgroundCompaction,
  type JournalContext,
  requestOptions,
} from "../context/journal-context.ts";
import { compactId } from "./compact-id.ts";

/** The maximum number of ids that wait to be compacted. Further ones are skipped: their next appends count again. */
const maxWaiting = 10_000;

/** The number of appends after which an id whose items could not be merged is tried again. */
const maxAppends = 100_000;

/** The part of an id to merge; `done` is called with the number of merged items. */
interface Task {
  readonly persistenceId: string;
  readonly from: number;
  readonly done: (merged: number) => void;
}

/**
 * Merges the items of `compactAfter` appends of a writer, one id at a time and without delaying callers: failures are logged.
 * Only items since the last merge are read, so the cost of an append does not grow with the history. Where nothing could be
 * merged, because items are large or change, the number of appends until the next attempt doubles.
 */
export function backgroundCompaction(context: JournalContext, compactAfter: number): BackgroundCompaction {
  const { logger } = context;
  const stop = new AbortController();
  const waiting: Task[] = [];
  let worker: Promise<void> | undefined;

  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const { persistenceId, from, done } = task;
      let merged = 0;
      try {
        const call = requestOptions(context, { signal: stop.signal });
        ({ merged } = await compactId(context, persistenceId, call, from));
      } catch (error) {
        const code = isTablekeepError(error) ? error.code : undefined;
        if (!stop.signal.aborted)
          logger.warn("could not merge items; later appends will try again", { persistenceId, code, error });
      }
      done(merged);
    }
  };
  const idle = async () => {
    while (worker !== undefined) await worker;
  };
  return {
    counter(persistenceId) {
      let appends = 0;
      let from = 0;
      let until = compactAfter;
      let isWaiting = false;
      return (outcomes) => {
        for (const outcome of outcomes) {
          if (outcome.kind !== "ok") continue;
          if (appends === 0) from = outcome.value.first;
          appends++;
        }
        if (appends < until || isWaiting || stop.signal.aborted || waiting.length >= maxWaiting) return;
        isWaiting = true;
        appends = 0;
        const done = (merged: number) => {
          isWaiting = false;
          until = merged > 0 ? compactAfter : Math.min(until * 2, maxAppends);
        };
        waiting.push({ persistenceId, from, done });
        worker ??= work().finally(() => {
          worker = undefined;
        });
      };
    },
    idle,
    async close() {
      stop.abort();
      waiting.length = 0;
      await idle();
    },
  };
}

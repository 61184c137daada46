import { knownOptions } from "../base/testkit-error.ts";
import type { Fault, FaultSchedule } from "./fault-schedule.ts";
import type { InjectedFault } from "./faulty-port.ts";

/** The result of one run for {@link shrinkSchedule}. */
export interface ShrinkRun {
  readonly failed: boolean;
  /** The log of the run's `FaultyPort`. */
  readonly log: readonly InjectedFault[];
}

export interface ShrinkOptions {
  /** The most runs to spend. @default 500 */
  readonly maxRuns?: number;
}

/**
 * Shrinks a failing schedule: removes whole faults, replaces each rate by the requests that it hit, and removes those that
 * the failure does not need. `run` replays a schedule from a fresh state. A schedule that does not fail is returned
 * unchanged.
 *
 * @example
 * const small = await shrinkSchedule(randomSchedule(5), async (schedule) => {
 *   const faulty = faultyPort(port, schedule);
 *   const [result] = await Promise.allSettled([faulty.putItem({ TableName: "t", Item: { pk: { S: "a" } } })]);
 *   return { failed: result.status === "rejected", log: faulty.log };
 * });
 */
export async function shrinkSchedule(
  schedule: FaultSchedule,
  run: (schedule: FaultSchedule) => Promise<ShrinkRun>,
  options: ShrinkOptions = {},
): Promise<FaultSchedule> {
  knownOptions(options, ["maxRuns"]);
  let left = options.maxRuns ?? 500;
  const attempt = async (faults: readonly Fault[]): Promise<ShrinkRun> => {
    if (left-- <= 0) return { failed: false, log: [] };
    return run({ seed: schedule.seed, faults });
  };
  const first = await attempt(schedule.faults);
  if (!first.failed) return schedule;
  const fewer = await withoutNeedless(schedule.faults, attempt);
  const hits = await attempt(fewer);
  const pinned = hits.log.flatMap((hit) => pin(fewer[hit.fault], hit.request));
  const failsPinned = hits.failed && (await attempt(pinned)).failed;
  return { seed: schedule.seed, faults: failsPinned ? await withoutNeedless(pinned, attempt) : fewer };
}

/** Removes halves, quarters and finally single faults, as long as the schedule still fails. */
async function withoutNeedless(
  faults: readonly Fault[],
  attempt: (faults: readonly Fault[]) => Promise<ShrinkRun>,
): Promise<readonly Fault[]> {
  let kept = faults;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const rest = kept.filter((_, index) => index < from || index >= from + size);
      if ((await attempt(rest)).failed) kept = rest;
      else from += size;
    }
  }
  return kept;
}

function pin(fault: Fault | undefined, request: number): Fault[] {
  if (fault === undefined) return [];
  const { nth: _nth, p: _p, times: _times, op: _op, table: _table, ...action } = fault;
  return [{ ...action, at: request } as Fault];
}

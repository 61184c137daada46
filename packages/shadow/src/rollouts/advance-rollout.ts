import { applyThing } from "./apply-thing.ts";
import { chooseThings } from "./choose-things.ts";
import { judgeWave } from "./judge-wave.ts";
import { restoreThing } from "./restore-thing.ts";
import { activePhases, type StoredRollout, type StoredThing } from "./rollout-items.ts";
import type { RolloutRun } from "./rollout-run.ts";
import { findRollout, Superseded, thingsOfWave } from "./rollout-store.ts";

/**
 * Does all current work of a rollout, unless another runner has it. Returns whether there will be more to do. Each step is stored before
 * the next one begins, so that any runner continues where this one ends.
 */
export async function advanceRollout(run: RolloutRun, name: string): Promise<boolean> {
  let rollout = await run.claim(name);
  if (rollout === undefined) {
    const found = await findRollout(run.call(), name);
    return found !== undefined && activePhases.includes(found.phase);
  }
  try {
    for (;;) {
      const next = await step(run, rollout);
      if (next === undefined) return true;
      if (!activePhases.includes(next.phase)) return false;
      rollout = next;
    }
  } catch (error) {
    if (error instanceof Superseded) return true;
    throw error;
  }
}

/** One step. Returns undefined if a wave has to be waited for. */
async function step(run: RolloutRun, rollout: StoredRollout): Promise<StoredRollout | undefined> {
  if (rollout.phase === "preparing") return chooseThings(run, rollout);
  if (rollout.phase === "rolling-back") return restoreAll(run, rollout);
  if (rollout.wave >= rollout.waves.length)
    return run.change(rollout, { Phase: { S: "succeeded" }, Runner: undefined });
  const things = await thingsOfWave(run.call(), rollout, rollout.wave);
  const unfinished = things.filter(({ status }) => status === "waiting" || status === "applying");
  if (unfinished.length > 0) {
    const held = await run.each(rollout, unfinished, (thing, current) => applyThing(run, current, thing));
    // Applied things are evaluated by their stored results.
    return run.change(held, {});
  }
  const { verdict, rollout: judged } = await judgeWave(run, rollout, things);
  if (verdict === "open") return undefined;
  if (verdict === "passed") {
    const wave = { N: String(rollout.wave + 1) };
    return run.change(judged, { Wave: wave, ResumedAt: undefined });
  }
  const why = { S: `wave ${rollout.wave + 1}: too few things report the desired values` };
  if (rollout.gate.onFailure === "roll-back")
    return run.change(judged, { Phase: { S: "rolling-back" }, Why: why });
  return run.change(judged, { Phase: { S: "paused" }, Why: why, Runner: undefined });
}

/** Whether a thing may have the values of the rollout. If so, its previous values are stored. */
function mayBeChanged({ status, before }: StoredThing): boolean {
  return before !== undefined && status !== "restored" && status !== "kept";
}

/** Restores the things of all waves that have begun. */
async function restoreAll(run: RolloutRun, rollout: StoredRollout): Promise<StoredRollout> {
  let held = rollout;
  const last = rollout.list === undefined ? -1 : Math.min(rollout.wave, rollout.waves.length - 1);
  for (let wave = last; wave >= 0; wave--) {
    const things = await thingsOfWave(run.call(), held, wave);
    const changed = things.filter(mayBeChanged);
    held = await run.each(held, changed, (thing, current) => restoreThing(run, current, thing));
  }
  return run.change(held, { Phase: { S: "rolled-back" }, Runner: undefined });
}

import type { StoredRollout, StoredThing } from "./rollout-items.ts";
import { hasPatch, isReported } from "./rollout-patch.ts";
import type { RolloutRun } from "./rollout-run.ts";
import { changeThing } from "./rollout-store.ts";
import { shareOf } from "./waves.ts";

/** The decision of the gate of a wave. */
export type Verdict = "passed" | "failed" | "open";

/** A late thing may still report; one that was deleted or changed by others cannot succeed any more. */
const lateReason = "not reported in time";

/** Evaluates what the things of a wave report, stores the results, and returns the decision of the gate. */
export async function judgeWave(
  run: RolloutRun,
  rollout: StoredRollout,
  things: readonly StoredThing[],
): Promise<{ readonly verdict: Verdict; readonly rollout: StoredRollout }> {
  const counts = { succeeded: 0, failed: 0 };
  const current = await run.each(rollout, things, async (thing, held) => {
    const judged = await judge(run, held, thing);
    if (judged.status === "succeeded") counts.succeeded++;
    if (judged.status === "failed") counts.failed++;
    const isNew = judged.status !== thing.status || judged.reason !== thing.reason;
    if (isNew) await changeThing(run.call(), held, thing, judged);
  });
  return { verdict: verdictOf(rollout, things.length, counts), rollout: current };
}

function verdictOf(
  { gate, wave, accepted }: StoredRollout,
  size: number,
  { succeeded, failed }: { readonly succeeded: number; readonly failed: number },
): Verdict {
  const needed = shareOf(size, gate.succeeded);
  if (accepted === wave || succeeded >= needed) return "passed";
  return failed > size - needed ? "failed" : "open";
}

async function judge(
  run: RolloutRun,
  { desired: patch, shadow: name, gate, resumedAt = 0 }: StoredRollout,
  thing: StoredThing,
): Promise<Pick<StoredThing, "status" | "reason">> {
  const { status, reason } = thing;
  const isLost = status === "failed" && reason !== lateReason;
  if (isLost || status === "succeeded") return { status, ...(reason !== undefined && { reason }) };
  const view = await run.read(thing.thing, name);
  if (typeof view === "string") return { status: "failed", reason: view };
  if (view === undefined) return { status: "failed", reason: "deleted" };
  if (!hasPatch(view.state.desired, patch)) return { status: "failed", reason: "changed by others" };
  if (isReported(view.state.reported, patch)) return { status: "succeeded" };
  const until = Math.max(thing.appliedAt ?? 0, resumedAt) + gate.withinMs;
  return until <= run.now ? { status: "failed", reason: lateReason } : { status: "applied" };
}

import type { VNode } from "preact";
import { counted } from "../parts/show-values.ts";
import type { Rollout, RolloutPhase, RolloutThing } from "./rollouts-api.ts";

const kinds: Readonly<Record<RolloutPhase, string>> = {
  preparing: "",
  running: "good",
  paused: "warn",
  cancelled: "bad",
  succeeded: "good",
  "rolling-back": "warn",
  "rolled-back": "bad",
};

export function PhaseBadge({ phase }: Pick<Rollout, "phase">): VNode {
  return <span class={`badge ${kinds[phase]}`}>{phase.replace("-", " ")}</span>;
}

/** Its progress: `wave 2 of 3`. */
export function waveText({ phase, wave, waves }: Pick<Rollout, "phase" | "wave" | "waves">): string {
  if (phase === "preparing" || wave === 0) return "no wave yet";
  return `wave ${wave} of ${waves.length}`;
}

/** The condition for the next wave, in words. */
export function gateText({ succeeded, withinMs, onFailure }: Rollout["gate"]): string {
  const share = `${(succeeded * 100).toLocaleString(undefined, { maximumFractionDigits: 3 })}%`;
  const otherwise = onFailure === "pause" ? "it is paused" : "it is rolled back";
  return `${share} of a wave within ${durationText(withinMs)}, otherwise ${otherwise}`;
}

function durationText(ms: number): string {
  if (ms % 3_600_000 === 0) return counted(ms / 3_600_000, "hour");
  if (ms % 60_000 === 0) return counted(ms / 60_000, "minute");
  return counted(ms / 1_000, "second");
}

const statusKinds: Readonly<Record<string, string>> = {
  succeeded: "good",
  failed: "bad",
  applying: "warn",
  applied: "warn",
};

export function StatusBadge({ status }: Pick<RolloutThing, "status">): VNode {
  return <span class={`badge ${statusKinds[status] ?? ""}`}>{status}</span>;
}

/** The number of things by wave and status, first wave first. */
export function countsByWave(
  things: readonly RolloutThing[],
): ReadonlyMap<number, ReadonlyMap<string, number>> {
  const waves = new Map<number, Map<string, number>>();
  for (const { wave, status } of things) {
    const counts = waves.get(wave) ?? new Map<string, number>();
    counts.set(status, (counts.get(status) ?? 0) + 1);
    waves.set(wave, counts);
  }
  return new Map([...waves].toSorted(([one], [other]) => one - other));
}

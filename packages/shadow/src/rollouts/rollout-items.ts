import type { Item, Key } from "@tablekeep/core";
import type { DocumentObject } from "../document/document-value.ts";
import { parseJson, printJson } from "../document/json.ts";
import { ShadowError } from "../model/shadow-error.ts";
import type { Rollout, RolloutGate, RolloutPhase, RolloutThing, ThingStatus } from "./rollout.ts";

/** The partition of all rollouts. */
export const rolloutPartition = "FL#rollouts";
/** Phases in which a runner has work to do. */
export const activePhases: readonly RolloutPhase[] = ["preparing", "running", "rolling-back"];

/** A stored rollout. */
export interface StoredRollout extends Omit<Rollout, "wave" | "waves"> {
  /** The current wave, from 0. */
  readonly wave: number;
  /** The sizes of waves as requested; as numbers once the things are chosen. */
  readonly waves: readonly (number | string)[];
  /** Incremented by each runner and each request, so that writes of earlier ones that are still in flight are rejected. */
  readonly epoch: number;
  /** The id of the list of chosen things. @default they are being chosen */
  readonly list?: string;
  /** The id of the list under construction; no other attempt uses it. */
  readonly preparing?: string;
  /** When the time of the wave was last restarted. @default never */
  readonly resumedAt?: number;
  /** The last wave that counts as successful, whatever is reported. @default none */
  readonly accepted?: number;
}

/** A stored thing of a rollout. */
export interface StoredThing extends Omit<RolloutThing, "wave"> {
  /** From 0. */
  readonly wave: number;
  /** Its previous desired values at the places of the patch. */
  readonly before?: DocumentObject;
  /** The version that is updated. */
  readonly from?: number;
  readonly appliedAt?: number;
}

export function rolloutKey(name: string): Key {
  return { PK: { S: rolloutPartition }, SK: { S: name } };
}

export function listPartition(name: string, list: string): string {
  return `FR#${name}#${list}`;
}

/** The prefix of the sort keys of a wave's things. */
export function wavePrefix(wave: number): string {
  return `${String(wave).padStart(4, "0")}#`;
}

export function thingKey(
  name: string,
  list: string,
  { wave, thing }: Pick<StoredThing, "wave" | "thing">,
): Key {
  return { PK: { S: listPartition(name, list) }, SK: { S: wavePrefix(wave) + thing } };
}

/** The attributes of a rollout besides its key. */
export function newRolloutItem(rollout: StoredRollout): Item {
  const { name, query, shadow, desired, gate, phase, waves, createdAt } = rollout;
  return {
    ...rolloutKey(name),
    Phase: { S: phase },
    Epoch: { N: "0" },
    Wave: { N: "0" },
    Waves: { S: JSON.stringify(waves) },
    Search: { S: query },
    ShadowName: { S: shadow },
    Desired: { S: printJson(desired) },
    Gate: { S: JSON.stringify(gate) },
    CreatedAt: { N: String(createdAt) },
  };
}

export function readRollout(item: Item): StoredRollout {
  const [list, preparing, reason] = [item["List"]?.S, item["Preparing"]?.S, item["Why"]?.S];
  const [resumedAt, accepted] = [numberIn(item, "ResumedAt"), numberIn(item, "Accepted")];
  return {
    name: item["SK"]?.S ?? "",
    query: item["Search"]?.S ?? "",
    shadow: item["ShadowName"]?.S ?? "",
    desired: parseJson(item["Desired"]?.S ?? "{}") as DocumentObject,
    gate: JSON.parse(item["Gate"]?.S ?? "{}") as Required<RolloutGate>,
    phase: (item["Phase"]?.S ?? "cancelled") as RolloutPhase,
    wave: numberIn(item, "Wave") ?? 0,
    waves: JSON.parse(item["Waves"]?.S ?? "[]") as (number | string)[],
    createdAt: numberIn(item, "CreatedAt") ?? 0,
    epoch: numberIn(item, "Epoch") ?? 0,
    ...(list !== undefined && { list }),
    ...(preparing !== undefined && { preparing }),
    ...(reason !== undefined && { reason }),
    ...(resumedAt !== undefined && { resumedAt }),
    ...(accepted !== undefined && { accepted }),
  };
}

/** A rollout in its public form. */
export function shownRollout(stored: StoredRollout): Rollout {
  const { name, query, shadow, desired, gate, phase, reason, wave, waves, list, createdAt } = stored;
  return {
    name,
    query,
    shadow,
    desired,
    gate,
    phase,
    ...(reason !== undefined && { reason }),
    wave: Math.min(wave + 1, Math.max(1, waves.length)),
    waves: list === undefined ? [] : (waves as readonly number[]),
    createdAt,
  };
}

export function newThingItem(name: string, list: string, thing: Pick<StoredThing, "wave" | "thing">): Item {
  return { ...thingKey(name, list, thing), State: { S: "waiting" } };
}

export function readThing(item: Item): StoredThing {
  const [, wave = "0", thing = ""] = /^(\d{4})#(.*)$/s.exec(item["SK"]?.S ?? "") ?? [];
  const [before, reason] = [item["Before"]?.S, item["Why"]?.S];
  const [from, appliedAt] = [numberIn(item, "FromVersion"), numberIn(item, "AppliedAt")];
  return {
    thing,
    wave: Number(wave),
    status: (item["State"]?.S ?? "waiting") as ThingStatus,
    ...(before !== undefined && { before: parseJson(before) as DocumentObject }),
    ...(from !== undefined && { from }),
    ...(appliedAt !== undefined && { appliedAt }),
    ...(reason !== undefined && { reason }),
  };
}

/** The attributes of a thing that change. */
export function thingAttributes(change: Omit<StoredThing, "thing" | "wave">): Item {
  const { status, reason, before, from, appliedAt } = change;
  return {
    State: { S: status },
    ...(reason !== undefined && { Why: { S: reason } }),
    ...(before !== undefined && { Before: { S: printJson(before) } }),
    ...(from !== undefined && { FromVersion: { N: String(from) } }),
    ...(appliedAt !== undefined && { AppliedAt: { N: String(appliedAt) } }),
  };
}

export function rolloutNotFound(rollout: string): ShadowError<"SHADOW_ROLLOUT_NOT_FOUND"> {
  return new ShadowError("SHADOW_ROLLOUT_NOT_FOUND", `no such rollout: ${JSON.stringify(rollout)}`, {
    rollout,
  });
}

function numberIn(item: Item, name: string): number | undefined {
  const text = item[name]?.N;
  return text === undefined ? undefined : Number(text);
}

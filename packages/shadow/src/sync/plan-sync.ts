import {
  type ConflictRule,
  isSameState,
  type MergeSide,
  mergeStates,
  type StatePatch,
  type SyncedState,
  statePatch,
} from "./three-way-merge.ts";

/** The changes that are copied: those of both sides, only those made here, or only those of the cloud. */
export type SyncDirection = "both" | "toCloud" | "fromCloud";

/** The current shadow of one side; undefined if there is none. */
export type CurrentSide = (MergeSide & { readonly version: number }) | undefined;

/** The result of the last sync of a shadow. */
export interface SyncBase {
  /** The state that both sides have, or are about to get. */
  readonly agreed: SyncedState;
  /** The versions of both sides; 0 if a side had no shadow, or its version is unknown. */
  readonly local: number;
  readonly cloud: number;
  /** The states before the sync, while it writes the sides; undefined for a side without the shadow. */
  readonly pending?: { readonly local?: SyncedState; readonly cloud?: SyncedState };
}

/** The next step of a sync. */
export type SyncPlan =
  /** Both sides are in sync; `agreed` is undefined if nothing has to be stored. */
  | { readonly kind: "done"; readonly agreed: SyncedState | undefined }
  | { readonly kind: "delete"; readonly side: "local" | "cloud" }
  | {
      readonly kind: "write";
      readonly agreed: SyncedState;
      readonly local?: StatePatch;
      readonly cloud?: StatePatch;
      readonly conflicts: number;
    };

/** The input of a plan. */
export interface PlanInput {
  readonly base: SyncBase | undefined;
  readonly local: CurrentSide;
  readonly cloud: CurrentSide;
  readonly direction: SyncDirection;
  readonly rule: ConflictRule;
}

/** Decides how to make the two sides of a shadow equal. */
export function planSync(input: PlanInput): SyncPlan {
  return input.direction === "both" ? planBoth(input) : planOneWay(input, input.direction);
}

/**
 * A side in the state before the last sync has not received that sync's result yet; a side that differs from both was changed by somebody else. So an
 * interrupted sync is continued, and its own writes do not count as changes of the side.
 */
function planBoth({ base, local, cloud, rule }: PlanInput): SyncPlan {
  if (local === undefined && cloud === undefined) return { kind: "done", agreed: undefined };
  if (base === undefined) return planMerge({ agreed: {} }, { local, cloud, rule });
  const { agreed, pending } = base;
  const before = pending ?? { local: agreed, cloud: agreed };
  const isGone = {
    local: local === undefined && before.local !== undefined,
    cloud: cloud === undefined && before.cloud !== undefined,
  };
  if (isGone.local && cloud !== undefined)
    return hasChanged(cloud, before.cloud, base, base.cloud)
      ? creation(cloud, "local")
      : { kind: "delete", side: "cloud" };
  if (isGone.cloud && local !== undefined)
    return hasChanged(local, before.local, base, base.local)
      ? creation(local, "cloud")
      : { kind: "delete", side: "local" };
  return planMerge({ agreed, ...before }, { local, cloud, rule });
}

/** Whether a side was changed by others since the last sync: then it is not deleted. */
function hasChanged(
  side: NonNullable<CurrentSide>,
  before: SyncedState | undefined,
  { agreed, pending }: SyncBase,
  version: number,
): boolean {
  // After a creation, the version is unknown until it is read.
  const isOther = version !== 0 && side.version !== version;
  if (pending === undefined) return isOther || !isSameState(side.state, agreed);
  return !isSameState(rebased(side, before, agreed).state, agreed);
}

/** The shadow of one side is created on the other again. */
function creation({ state }: NonNullable<CurrentSide>, on: "local" | "cloud"): SyncPlan {
  return { kind: "write", agreed: state, [on]: state, conflicts: 0 };
}

interface MergeBase {
  readonly agreed: SyncedState;
  readonly local?: SyncedState;
  readonly cloud?: SyncedState;
}

function planMerge(
  { agreed, ...before }: MergeBase,
  { local, cloud, rule }: Pick<PlanInput, "local" | "cloud" | "rule">,
): SyncPlan {
  const sides = { local: rebased(local, before.local, agreed), cloud: rebased(cloud, before.cloud, agreed) };
  const { state, conflicts } = mergeStates(agreed, sides.local, sides.cloud, rule);
  return planWrite(state, { local, cloud }, conflicts);
}

/** A side with the result of the last sync: its own changes since then stay. */
function rebased(side: CurrentSide, before: SyncedState | undefined, agreed: SyncedState): MergeSide {
  if (side === undefined) return { state: agreed };
  const { state } = mergeStates(before ?? {}, side, { state: agreed }, "local");
  return { state, ...(side.times && { times: side.times }) };
}

function planWrite(
  agreed: SyncedState,
  { local, cloud }: { readonly local: CurrentSide; readonly cloud: CurrentSide },
  conflicts: number,
): SyncPlan {
  const patches = { local: patchFor(local, agreed), cloud: patchFor(cloud, agreed) };
  if (patches.local === undefined && patches.cloud === undefined) return { kind: "done", agreed };
  return {
    kind: "write",
    agreed,
    conflicts,
    ...(patches.local && { local: patches.local }),
    ...(patches.cloud && { cloud: patches.cloud }),
  };
}

/** A missing shadow is created, even without values. */
function patchFor(side: CurrentSide, agreed: SyncedState): StatePatch | undefined {
  return side === undefined ? agreed : statePatch(side.state, agreed);
}

/** Copies only the changes that one side made since the last sync. */
function planOneWay({ base, local, cloud }: PlanInput, direction: "toCloud" | "fromCloud"): SyncPlan {
  const isToCloud = direction === "toCloud";
  const [source, target] = isToCloud ? [local, cloud] : [cloud, local];
  const side = isToCloud ? "cloud" : "local";
  if (source === undefined) {
    if (base === undefined || target === undefined) return { kind: "done", agreed: undefined };
    return { kind: "delete", side };
  }
  const agreed = source.state;
  const isSource = { kind: "write", agreed, conflicts: 0 } as const;
  if (target === undefined) {
    const isOld = base !== undefined && isSameState(base.agreed, agreed) && base.pending === undefined;
    return isOld ? { kind: "done", agreed } : { ...isSource, [side]: agreed };
  }
  const { state } = mergeStates(base?.agreed ?? {}, source, target, "local");
  const patch = statePatch(target.state, state);
  return patch === undefined ? { kind: "done", agreed } : { ...isSource, [side]: patch };
}

import { isSameValue } from "../document/document-value.ts";
import { isShadowError } from "../model/shadow-error.ts";
import type { StoredRollout, StoredThing } from "./rollout-items.ts";
import { hasPatch, restoringPatch, valuesAt } from "./rollout-patch.ts";
import { isLasting, type RolloutRun } from "./rollout-run.ts";
import { changeThing } from "./rollout-store.ts";

const maxAttempts = 10;

/**
 * Restores the desired values that a thing had. Values that others have changed since stay. A thing that was being updated is always
 * written, so that an update in flight finds another version.
 */
export async function restoreThing(
  run: RolloutRun,
  rollout: StoredRollout,
  thing: StoredThing,
): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const end = await restoreOnce(run, rollout, thing);
    if (end === undefined) continue;
    await changeThing(run.call(), rollout, thing, end);
    return;
  }
  await changeThing(run.call(), rollout, thing, {
    status: "kept",
    reason: "other writers changed it in every attempt",
  });
}

/** One attempt. Returns the final state of the thing, or undefined if another writer was first. */
async function restoreOnce(
  run: RolloutRun,
  { desired: patch, shadow: name, name: clientToken }: StoredRollout,
  { thing: id, status, before = {} }: StoredThing,
): Promise<Pick<StoredThing, "status" | "reason"> | undefined> {
  const view = await run.read(id, name);
  if (typeof view === "string") return { status: "kept", reason: view };
  if (view === undefined) return { status: "kept", reason: "deleted" };
  const isOurs = hasPatch(view.state.desired, patch);
  const isBefore = isSameValue(valuesAt(view.state.desired, patch), before);
  if (!isOurs && !isBefore) return { status: "kept", reason: "changed by others" };
  if (!isOurs && status !== "applying") return { status: "restored" };
  const desired = isBefore ? before : restoringPatch(patch, before, view.state.desired);
  const request = { id, name, desired, version: view.version, clientToken: clientToken.slice(0, 64) };
  const outcome = await run.manager.update(request, run.options);
  if (outcome.kind === "ok") return { status: "restored" };
  if (outcome.kind !== "rejected" || isShadowError(outcome.error, "SHADOW_NOT_FOUND")) return undefined;
  if (!isLasting(outcome.error)) throw outcome.error;
  return { status: "kept", reason: outcome.error.code };
}

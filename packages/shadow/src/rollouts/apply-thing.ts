import { isSameValue } from "../document/document-value.ts";
import { isShadowError } from "../model/shadow-error.ts";
import type { StoredRollout, StoredThing } from "./rollout-items.ts";
import { hasPatch, valuesAt } from "./rollout-patch.ts";
import { isLasting, type RolloutRun } from "./rollout-run.ts";
import { changeThing, findThing } from "./rollout-store.ts";

const maxAttempts = 10;

/**
 * Changes the desired state of one thing: stores its previous state and version (`applying`), updates that version, and stores the
 * success (`applied`). After a crash in between, the shadow shows what happened: it still has the stored version, or it has our
 * values. If neither, somebody else has written: if the values are still the previous ones they are changed, otherwise left unchanged.
 */
export async function applyThing(run: RolloutRun, rollout: StoredRollout, first: StoredThing): Promise<void> {
  let thing = first;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = await applyOnce(run, rollout, thing);
    if (next === undefined) return;
    thing = next;
    if (thing.status !== "waiting" && thing.status !== "applying") return;
  }
  await changeThing(run.call(), rollout, thing, {
    status: "failed",
    reason: "other writers changed it in every attempt",
  });
}

/** One attempt. Returns the current thing if another attempt is needed. */
async function applyOnce(
  run: RolloutRun,
  rollout: StoredRollout,
  thing: StoredThing,
): Promise<StoredThing | undefined> {
  const { desired: patch, shadow: name, name: clientToken } = rollout;
  const end = async (reason: string, read = thing) => {
    const isDone = await changeThing(run.call(), rollout, read, { status: "failed", reason });
    return isDone ? undefined : findThing(run.call(), rollout, thing);
  };
  const applied = async (from: StoredThing) => {
    const change = { status: "applied", appliedAt: run.now } as const;
    return (await changeThing(run.call(), rollout, from, change))
      ? undefined
      : findThing(run.call(), rollout, thing);
  };
  const view = await run.read(thing.thing, name);
  if (typeof view === "string") return end(view);
  if (view === undefined) return end("deleted");
  const current = valuesAt(view.state.desired, patch);
  const { before = {}, from } = thing;
  let held = thing;
  if (thing.status === "applying" && from !== view.version) {
    if (hasPatch(view.state.desired, patch)) return applied(thing);
    if (!isSameValue(current, before)) return end("changed by others");
  }
  if (thing.status === "waiting" || from !== view.version) {
    const change = { status: "applying", before: current, from: view.version } as const;
    if (!(await changeThing(run.call(), rollout, thing, change)))
      return findThing(run.call(), rollout, thing);
    held = { ...thing, ...change };
  }
  const request = {
    id: thing.thing,
    name,
    desired: patch,
    version: view.version,
    clientToken: clientToken.slice(0, 64),
  };
  const outcome = await run.manager.update(request, run.options);
  if (outcome.kind === "ok") return applied(held);
  if (outcome.kind !== "rejected" || isShadowError(outcome.error, "SHADOW_NOT_FOUND")) return held;
  if (!isLasting(outcome.error)) throw outcome.error;
  return end(outcome.error.code, held);
}

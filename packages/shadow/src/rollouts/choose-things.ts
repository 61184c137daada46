import { newWriteId } from "@tablekeep/client";
import { isShadowError } from "../model/shadow-error.ts";
import type { StoredRollout } from "./rollout-items.ts";
import type { RolloutRun } from "./rollout-run.ts";
import { removeList, storeThings } from "./rollout-store.ts";
import { inWaves, waveSizes } from "./waves.ts";

/** More things than a rollout has. */
const maxThings = 10_000;

/**
 * Chooses the things of a rollout, and stores them in a list that only this attempt uses. The list counts once the rollout names it, so that a
 * list left behind by a crash has no effect; the next attempt removes it.
 */
export async function chooseThings(run: RolloutRun, rollout: StoredRollout): Promise<StoredRollout> {
  const list = newWriteId();
  const begun = await run.change(rollout, { Preparing: { S: list } });
  if (rollout.preparing !== undefined) await removeList(run.call(), rollout.name, rollout.preparing);
  const found = await matchingThings(run, begun);
  if (typeof found === "string")
    return run.change(begun, { Phase: { S: "cancelled" }, Why: { S: found }, Runner: undefined });
  const sizes = waveSizes(begun.waves, found.length);
  await storeThings(run.call(), begun, list, inWaves(found, sizes));
  return run.change(begun, {
    Phase: { S: "running" },
    List: { S: list },
    Waves: { S: JSON.stringify(sizes) },
    Preparing: undefined,
  });
}

/** The names of the things, in order; or why there are none. */
async function matchingThings(run: RolloutRun, { query, shadow }: StoredRollout): Promise<string[] | string> {
  const things = new Set<string>();
  let token: string | undefined;
  do {
    try {
      const page = await run.manager.search({ query, limit: 1_000, token }, run.options);
      for (const { id, name } of page.shadows) if (name === shadow) things.add(id);
      token = page.token;
    } catch (error) {
      if (isShadowError(error, "SHADOW_GROUP_NOT_FOUND")) return error.message;
      throw error;
    }
    if (things.size > maxThings) return `the query matches more than ${maxThings} things`;
  } while (token !== undefined);
  return [...things].toSorted();
}

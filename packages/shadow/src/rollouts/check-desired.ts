import { toAttribute, valueInvalid } from "../document/document-attributes.ts";
import { listWithNull } from "../document/document-value.ts";
import { printJson } from "../document/json.ts";
import { checkDepth } from "../manager/manager-options.ts";
import type { ShadowManager } from "../manager/shadow-manager.ts";
import { mergePatch } from "../merge/merge-patch.ts";
import { isShadowError, ShadowError } from "../model/shadow-error.ts";
import type { StoreCall } from "../store/store-options.ts";
import type { StoredRollout } from "./rollout-items.ts";

/** The number of things that are tried before a rollout is created. */
const maxTried = 1_000;

/**
 * Throws for a desired state that no shadow can have: it is too deep or too large, DynamoDB does not store it, or devices cannot
 * report it.
 */
export function checkPatch(
  { desired, shadow: name }: Pick<StoredRollout, "desired" | "shadow">,
  { limits: { depth, stateBytes: maximum } }: Pick<ShadowManager, "limits">,
): void {
  checkDepth(desired, depth);
  toAttribute(desired);
  const list = listWithNull(desired);
  if (list !== undefined) throw valueInvalid(list, "is a list with null, which devices cannot report");
  const { state = {} } = mergePatch({}, desired, 0, { half: "desired", changes: [] });
  const actual = Buffer.byteLength(printJson(state));
  if (actual <= maximum) return;
  throw new ShadowError(
    "SHADOW_TOO_LARGE",
    `desired has ${actual} bytes; the limit of a shadow is ${maximum}: make it smaller, or raise stateBytes`,
    { id: "", name, actual, maximum },
  );
}

/**
 * Throws if none of the things that a rollout is for accepts its desired state, for example because of a schema. Most rollouts need one read besides the search. If no
 * thing decides it in half the time of the call, or among the first things, nothing is thrown: things that do not accept it fail one by one.
 */
export async function checkThings(
  call: StoreCall,
  manager: Pick<ShadowManager, "search" | "check">,
  { query, shadow, desired }: Pick<StoredRollout, "query" | "shadow" | "desired">,
): Promise<void> {
  const untilMs = call.leftMs() / 2;
  let problem: Error | undefined;
  let tried = 0;
  let token: string | undefined;
  do {
    const { signal, deadlineMs } = call.request();
    const page = await matching(manager, { query, limit: 100, token }, { signal, deadlineMs });
    for (const { id, name } of page.shadows) {
      if (name !== shadow) continue;
      if (tried++ === maxTried || call.leftMs() <= untilMs) return;
      const found = await manager.check({ id, name, desired }, { signal, deadlineMs: call.leftMs() });
      if (found === undefined) return;
      problem ??= found;
    }
    token = page.token;
  } while (token !== undefined && call.leftMs() > untilMs);
  if (problem !== undefined && token === undefined) throw problem;
}

/** One page of a search. A group that does not exist is reported by the rollout. */
async function matching(
  manager: Pick<ShadowManager, "search">,
  ...[request, options]: Parameters<ShadowManager["search"]>
): ReturnType<ShadowManager["search"]> {
  try {
    return await manager.search(request, options);
  } catch (error) {
    if (isShadowError(error, "SHADOW_GROUP_NOT_FOUND")) return { shadows: [] };
    throw error;
  }
}

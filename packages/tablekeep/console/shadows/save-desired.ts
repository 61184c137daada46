import { ApiError } from "../api/call-api.ts";
import { sameJson } from "../json/exact-json.ts";
import { mergePatch } from "../json/merge-patch.ts";
import { desire, fetchShadow, type ShadowName, type ShadowView } from "./shadow-api.ts";

type Document = Readonly<Record<string, unknown>>;

/** Devices that report often raise the version all the time: a save is retried this often with the next one. */
const attempts = 10;

/** Whether two versions of a shadow desire the same: reports alone do not make an edit stale. */
export function sameDesired(one: ShadowView, other: ShadowView): boolean {
  return sameJson(one.state.desired ?? {}, other.state.desired ?? {});
}

/**
 * Sends what was changed since `base`, on top of `version`. Returns the stored shadow or, if another user has changed
 * what is desired, the shadow that it has become.
 */
export async function saveDesired(
  shadow: ShadowName,
  base: ShadowView,
  document: Document,
  version: number,
): Promise<{ readonly saved: boolean; readonly view: ShadowView }> {
  const patch = mergePatch(base.state.desired ?? {}, document);
  if (Object.keys(patch).length === 0) return { saved: true, view: base };
  let expected = version;
  for (let attempt = 1; ; attempt++) {
    try {
      return { saved: true, view: await desire(shadow, patch, expected) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === attempts) throw error;
    }
    const view = await fetchShadow(shadow, AbortSignal.timeout(10_000));
    if (!sameDesired(view, base) && view.version !== expected) return { saved: false, view };
    expected = view.version;
  }
}

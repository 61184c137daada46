import { ApiError } from "../api/call-api.ts";
import { mergePatch, sameJson } from "../json/exact-json.ts";
import { fetchShadow, type HalfName, patchHalf, type ShadowName, type ShadowView } from "./shadow-api.ts";

type Document = Readonly<Record<string, unknown>>;

/** Devices that report often raise the version all the time: a save is retried this often with the next one. */
const attempts = 10;

/** Whether two versions of a shadow have the same half: changes to the other half do not make an edit stale. */
export function sameHalf(half: HalfName, one: ShadowView, other: ShadowView): boolean {
  return sameJson(one.state[half] ?? {}, other.state[half] ?? {});
}

/** The edit of a half. */
export interface HalfEdit {
  /** The shadow that the edit began with. */
  readonly base: ShadowView;
  readonly document: Document;
  /** The version that the edit replaces. */
  readonly version: number;
}

/**
 * Sends what was changed since `base`, on top of `version`. Returns the stored shadow or, if another user has changed
 * this half, the shadow that it has become.
 */
export async function saveHalf(
  shadow: ShadowName,
  half: HalfName,
  { base, document, version }: HalfEdit,
): Promise<{ readonly saved: boolean; readonly view: ShadowView }> {
  const patch = mergePatch(base.state[half] ?? {}, document);
  if (Object.keys(patch).length === 0) return { saved: true, view: base };
  let expected = version;
  for (let attempt = 1; ; attempt++) {
    try {
      return { saved: true, view: await patchHalf(shadow, half, patch, expected) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === attempts) throw error;
    }
    const view = await fetchShadow(shadow, AbortSignal.timeout(10_000));
    if (!sameHalf(half, view, base) && view.version !== expected) return { saved: false, view };
    expected = view.version;
  }
}

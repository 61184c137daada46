import type { Outcome } from "@tablekeep/core";
import type { ShadowId } from "../rows/row-keys.ts";
import type { Half, RowKind } from "../rows/row-kind.ts";
import type { VersionConflict } from "../shadow-error.ts";
import { expectedVersions } from "../store/check-operation.ts";
import type { Shadow } from "../store/shadows.ts";
import { versionConflict } from "../store/store-errors.ts";
import type { ShadowPolicy, UpdateRequest } from "./shadow-manager.ts";

/**
 * The conflict of a request whose version is not the shadow's. AWS has one version for both halves. Where there is no shadow,
 * every version but 0 is a conflict, as its old clients see it after a delete.
 */
export function checkExpected(
  shadow: ShadowId,
  stored: Shadow | undefined,
  { version, reported, desired }: UpdateRequest,
  policy: ShadowPolicy,
): Outcome<never> | undefined {
  if (version === undefined) return undefined;
  const isOne = stored?.model !== "separate" || policy === "aws";
  const named = (["reported", "desired"] as const).filter(
    (half) => ({ reported, desired })[half] !== undefined,
  );
  const expected = expectedVersions(shadow, isOne ? "combined" : "separate", named, version);
  const conflicts = [...expected].flatMap(([kind, each]): VersionConflict[] => {
    const current = currentOf(stored, kind);
    return each === undefined || each === (current ?? 0) ? [] : [{ kind, expected: each, current }];
  });
  return conflicts.length === 0 ? undefined : { kind: "conflict", error: versionConflict(shadow, conflicts) };
}

function currentOf(stored: Shadow | undefined, kind: RowKind): number | undefined {
  const of = (half: Half) => stored?.[half]?.version;
  if (kind !== "combined") return of(kind);
  return stored === undefined ? undefined : Math.max(of("reported") ?? 0, of("desired") ?? 0);
}

import type { Outcome } from "@tablekeep/core";
import { valueInvalid } from "../document/document-attributes.ts";
import { type DocumentObject, listWithNull } from "../document/document-value.ts";
import { acknowledge } from "../merge/acknowledge.ts";
import { mergeByTime } from "../merge/merge-by-time.ts";
import { mergePatch, type Section } from "../merge/merge-patch.ts";
import type { ValueChange } from "../merge/value-change.ts";
import type { Half, RowKind, VersionConflict } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import { expectedVersions, versionConflict } from "../store/check-operation.ts";
import type { Shadow } from "../store/shadows.ts";
import type { ShadowPolicy } from "./manager-options.ts";
import type { UpdateRequest } from "./shadow-manager.ts";

/** Both halves of a shadow. */
export interface Sections {
  readonly reported: Section;
  readonly desired: Section;
}

/** The result of applying a request to a shadow. */
export interface AppliedRequest extends Sections {
  readonly changes: readonly ValueChange[];
}

/** The rules for applying a request. */
export interface ApplyRule {
  readonly policy: ShadowPolicy;
  /** Whether `acknowledge` also applies to values without their own time. */
  readonly acknowledgePlain: boolean;
  /** The time of values that are set, in seconds since 1970. */
  readonly seconds: number;
  /** Whether that is the time of arrival, because the request has no time. */
  readonly isNow: boolean;
}

/** Merges a request into a shadow. Throws for a value that AWS's rules do not allow. */
export function applyRequest(before: Sections, request: UpdateRequest, rule: ApplyRule): AppliedRequest {
  const changes: ValueChange[] = [];
  const { policy, seconds, isNow } = rule;
  const apply = (half: Half): Section => {
    const patch: DocumentObject | null | undefined = request[half];
    if (patch === undefined) return before[half];
    // As a request of AWS's API: otherwise a value could be desired that no device can report.
    if (policy === "aws" && patch !== null) checkLists(patch, half);
    const log = { half, changes };
    return policy === "aws"
      ? mergePatch(before[half], patch, seconds, log)
      : mergeByTime(before[half], patch, seconds, log, isNow);
  };
  const reported = apply("reported");
  const desired = apply("desired");
  if (policy === "aws" || request.reported === undefined) return { reported, desired, changes };
  // Even if nothing changed: values may have become desired since the last report.
  const left = acknowledge(
    desired,
    reported.state,
    { plain: rule.acknowledgePlain },
    { half: "desired", changes },
  );
  return { reported, desired: left, changes };
}

function checkLists(patch: DocumentObject, half: Half): void {
  const path = listWithNull(patch, [half]);
  if (path !== undefined)
    throw valueInvalid(
      path,
      "is a list with null, which AWS IoT rejects: leave it out, or use another value",
    );
}

/**
 * The conflict of a request whose version is not the shadow's. AWS has one version for both halves. If there is no shadow,
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

import type { DocumentObject } from "../document/document-value.ts";
import { acknowledge } from "../merge/acknowledge.ts";
import { mergeByTime } from "../merge/merge-by-time.ts";
import { mergePatch, type Section } from "../merge/merge-patch.ts";
import type { ValueChange } from "../merge/value-change.ts";
import type { Half } from "../rows/row-kind.ts";
import type { ShadowPolicy, UpdateRequest } from "./shadow-manager.ts";

/** Both halves of a shadow. */
export interface Sections {
  readonly reported: Section;
  readonly desired: Section;
}

/** What a request makes of a shadow. */
export interface AppliedRequest extends Sections {
  readonly changes: readonly ValueChange[];
}

/** What a request goes by. */
export interface ApplyRule {
  readonly policy: ShadowPolicy;
  /** Whether `acknowledge` takes values without a time of their own, too. */
  readonly acknowledgePlain: boolean;
  /** The time of values that are set, in seconds since 1970. */
  readonly seconds: number;
  /** Whether that is the time at which the request came, as it tells none. */
  readonly isNow: boolean;
}

/** Merges a request into a shadow. */
export function applyRequest(before: Sections, request: UpdateRequest, rule: ApplyRule): AppliedRequest {
  const changes: ValueChange[] = [];
  const { policy, seconds, isNow } = rule;
  const apply = (half: Half): Section => {
    const patch: DocumentObject | null | undefined = request[half];
    if (patch === undefined) return before[half];
    const log = { half, changes };
    return policy === "aws"
      ? mergePatch(before[half], patch, seconds, log)
      : mergeByTime(before[half], patch, seconds, log, isNow);
  };
  const reported = apply("reported");
  const desired = apply("desired");
  if (policy === "aws" || request.reported === undefined) return { reported, desired, changes };
  // Also where nothing was changed: what is desired may have come since the last report.
  const left = acknowledge(
    desired,
    reported.state,
    { plain: rule.acknowledgePlain },
    { half: "desired", changes },
  );
  return { reported, desired: left, changes };
}

import { isClientError } from "@tablekeep/client";
import type { Outcome, TablekeepError } from "@tablekeep/core";
import { isShadowError, ShadowError, type VersionConflict } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";

/** The error for a shadow that is not there. */
export function shadowNotFound({ id, name }: ShadowId): ShadowError {
  return new ShadowError("SHADOW_NOT_FOUND", `there is no shadow "${name}" of ${id}`, { id, name });
}

/** The error for versions that are not as expected. */
export function versionConflict({ id, name }: ShadowId, conflicts: readonly VersionConflict[]): ShadowError {
  const text = conflicts
    .map(({ kind, expected, current }) => `${kind} is at ${current ?? "none"}, expected ${expected ?? "any"}`)
    .join("; ");
  return new ShadowError(
    "SHADOW_VERSION_CONFLICT",
    `shadow "${name}" of ${id}: ${text}: read it and try again`,
    { id, name, conflicts },
  );
}

/** The error for a shadow that exists in the other model. */
export function duplicateFound({ id, name }: ShadowId, standing: "combined" | "separate"): ShadowError {
  return new ShadowError(
    "SHADOW_DUPLICATE_MODEL",
    `shadow "${name}" of ${id} is already stored in the ${standing} model: use that model, or delete it first`,
    { id, name, standing },
  );
}

/** The error for a write that other writes kept interrupting. */
export function contention({ id, name }: ShadowId, attempts: number): ShadowError {
  return new ShadowError(
    "SHADOW_CONTENTION",
    `shadow "${name}" of ${id} was changed by other writes ${attempts} times: try again, or raise maxWriteRetries`,
    { id, name, attempts },
  );
}

/** The outcome of a write with the errors of this package. */
export function asShadowOutcome(
  { id, name }: ShadowId,
  outcome: Outcome<unknown> & { readonly kind: "rejected" | "unknown" },
): Outcome<never> {
  const { kind, error } = outcome;
  if (isShadowError(error, "SHADOW_ITEM_CORRUPT")) return { kind, error };
  return {
    kind,
    error: kind === "unknown" ? outcomeUnknown({ id, name }, error) : tooLarge({ id, name }, error),
  };
}

function outcomeUnknown({ id, name }: ShadowId, cause: TablekeepError): ShadowError {
  return new ShadowError(
    "SHADOW_OUTCOME_UNKNOWN",
    `shadow "${name}" of ${id} may or may not be written: read it and compare`,
    { id, name },
    { cause, ambiguous: true },
  );
}

function tooLarge({ id, name }: ShadowId, cause: TablekeepError): TablekeepError {
  if (!isClientError(cause, "CLIENT_LIMIT_EXCEEDED")) return cause;
  const { actual, maximum } = cause.details;
  return new ShadowError(
    "SHADOW_TOO_LARGE",
    `shadow "${name}" of ${id} has ${actual} bytes; an item holds ${maximum}`,
    { id, name, actual, maximum },
    { cause },
  );
}

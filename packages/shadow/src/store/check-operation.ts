import { isClientError } from "@tablekeep/client";
import {
  isTablekeepError,
  type OptionCheck,
  type OptionChecks,
  type Outcome,
  optionCheck,
  type TablekeepError,
} from "@tablekeep/core";
import {
  checkOptions,
  type Half,
  isShadowError,
  type RowKind,
  ShadowError,
  type ShadowModel,
  type VersionConflict,
} from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { ExpectedVersion, ShadowOperation } from "./shadows.ts";

/** AWS: a partition key has up to 2,048 bytes, a sort key 1,024; the longest prefixes are `DS#` and `DST#C#`. */
const maxIdBytes = 2048 - 3;
const maxNameBytes = 1024 - 6;

/** The shadow of an operation. */
export function shadowIdOf({ id, name = "" }: ShadowOperation): ShadowId {
  return { id, name };
}

/** The common checks of all operations. */
export const operationChecks: OptionChecks<ShadowOperation> = {
  id: optionCheck.string,
  name: optionCheck.string,
  model: optionCheck.oneOf("combined", "separate"),
};

/** The check of a half. */
export const half: OptionCheck = optionCheck.oneOf("reported", "desired");

/** Any value; versions are checked where their meaning is known. */
export const anything: OptionCheck = () => undefined;

/** Rejects an operation with unknown fields, or with a key too long for DynamoDB. */
export function checkOperation<Operation extends ShadowOperation>(
  operation: Operation,
  checks: OptionChecks<Operation>,
): void {
  try {
    checkOptions(operation, checks);
  } catch (error) {
    if (!isTablekeepError(error, "SHADOW_OPTION_INVALID")) throw error;
    throw operationInvalid(shadowIdOf(operation), error.message);
  }
  const { id, name } = shadowIdOf(operation);
  if (typeof id !== "string") throw operationInvalid({ id: String(id), name }, "id is missing");
  if (Buffer.byteLength(id) > maxIdBytes || Buffer.byteLength(name) > maxNameBytes)
    throw operationInvalid({ id, name }, `id or name is longer than ${maxIdBytes} or ${maxNameBytes} bytes`);
}

/** The items of an operation, each with its expected version. */
export function expectedVersions(
  shadow: ShadowId,
  model: ShadowModel,
  halves: readonly Half[],
  version: ExpectedVersion,
): ReadonlyMap<RowKind, number | undefined> {
  const of = (each: Half) => checkVersion(shadow, typeof version === "object" ? version[each] : version);
  if (version !== undefined && typeof version !== "number" && typeof version !== "object")
    throw operationInvalid(shadow, "version must be a number or an object");
  if (model === "combined") {
    const [one, other] = [of("reported"), of("desired")];
    if (one !== undefined && other !== undefined && one !== other)
      throw operationInvalid(
        shadow,
        "a combined shadow has one version, but two different ones are expected",
      );
    return new Map([["combined", one ?? other]]);
  }
  if (typeof version === "number" && version !== 0 && halves.length > 1)
    throw operationInvalid(shadow, "separate halves have separate versions: pass one for each");
  return new Map(halves.map((each) => [each, of(each)]));
}

function checkVersion(shadow: ShadowId, version: number | undefined): number | undefined {
  if (version === undefined || (Number.isSafeInteger(version) && version >= 0)) return version;
  throw operationInvalid(shadow, "version must be an integer of at least 0");
}

/** The error for an invalid operation. */
export function operationInvalid({ id, name }: ShadowId, reason: string): ShadowError {
  return new ShadowError("SHADOW_OPERATION_INVALID", `shadow "${name}" of ${id}: ${reason}`, {
    id,
    name,
    reason,
  });
}

/** Returns a Tablekeep error; throws anything else, which is a bug. */
export function asTablekeepError(error: unknown): TablekeepError {
  if (isTablekeepError(error)) return error;
  throw error;
}

/** The error for a shadow that does not exist. */
export function shadowNotFound({ id, name }: ShadowId): ShadowError {
  return new ShadowError(
    "SHADOW_NOT_FOUND",
    `there is no ${name === "" ? "shadow" : `shadow "${name}"`} of ${id}`,
    { id, name },
  );
}

/** The error for unexpected versions. */
export function versionConflict({ id, name }: ShadowId, conflicts: readonly VersionConflict[]): ShadowError {
  const text = conflicts
    .map(({ kind, expected, current }) => {
      const part = kind === "combined" ? "" : `${kind} `;
      return `${part}version is ${current ?? "none"}, expected ${expected ?? "any"}`;
    })
    .join("; ");
  return new ShadowError(
    "SHADOW_VERSION_CONFLICT",
    `${name === "" ? "shadow" : `shadow "${name}"`} of ${id}: ${text}: read it and try again`,
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

/** The error for a write that repeatedly lost to other writes. */
export function contention({ id, name }: ShadowId, attempts: number): ShadowError {
  return new ShadowError(
    "SHADOW_CONTENTION",
    `shadow "${name}" of ${id} was changed by other writes ${attempts === 1 ? "once" : `${attempts} times`}: try again, or raise maxWriteRetries`,
    { id, name, attempts },
  );
}

/** The error for a write that was meant to replace another state than the stored one. */
export function alreadyReplaced({ id, name }: ShadowId): ShadowError {
  return new ShadowError(
    "SHADOW_CONTENTION",
    `the stored shadow "${name}" of ${id} is no longer the one to replace: read it and try again`,
    { id, name, attempts: 1 },
  );
}

/** The outcome of a write, with the errors of this package. */
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
    `shadow "${name}" of ${id} has ${actual} bytes; an item holds at most ${maximum}`,
    { id, name, actual, maximum },
    { cause },
  );
}

import {
  isTablekeepError,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  type TablekeepError,
} from "@tablekeep/core";
import {
  checkOptions,
  type Half,
  type RowKind,
  ShadowError,
  type ShadowModel,
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

/** The checks that all operations share. */
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

/** The items that an operation is about, each with its expected version. */
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
  throw operationInvalid(shadow, "version must be an integer from 0");
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

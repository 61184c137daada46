import { isTablekeepError, type OptionCheck, type OptionChecks, optionCheck, type TablekeepError } from "@tablekeep/core";
import { checkOptions, type Half, type RowKind, type ShadowModel, ShadowError } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { ExpectedVersion, ShadowOperation } from "./shadows.ts";

/** AWS: a partition key has up to 2,048 bytes, a sort key 1,024; the longest prefixes are `DS#` and `DST#C#`. */
const maxIdBytes = 2048 - 3;
const maxNameBytes = 1024 - 6;

/** Whose shadow an operation is about. */
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

/** Any value; versions are checked where it is known what they are for. */
export const anything: OptionCheck = () => undefined;

/** Refuses an operation with fields that do not exist, or a key that DynamoDB does not take. */
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
    throw operationInvalid(shadow, "version is not a number");
  if (model === "combined") {
    const [one, other] = [of("reported"), of("desired")];
    if (one !== undefined && other !== undefined && one !== other)
      throw operationInvalid(
        shadow,
        "a combined shadow has one version, and two different ones are expected",
      );
    return new Map([["combined", one ?? other]]);
  }
  if (typeof version === "number" && version !== 0 && halves.length > 1)
    throw operationInvalid(
      shadow,
      "halves that are stored apart have versions of their own: give one for each",
    );
  return new Map(halves.map((each) => [each, of(each)]));
}

function checkVersion(shadow: ShadowId, version: number | undefined): number | undefined {
  if (version === undefined || (Number.isSafeInteger(version) && version >= 0)) return version;
  throw operationInvalid(shadow, "version is not a whole number from 0 up");
}

/** The error for an operation that makes no sense. */
export function operationInvalid({ id, name }: ShadowId, reason: string): ShadowError {
  return new ShadowError("SHADOW_OPERATION_INVALID", `shadow "${name}" of ${id}: ${reason}`, {
    id,
    name,
    reason,
  });
}

/** The error of this family; anything else is a mistake of ours, and is thrown on. */
export function asTablekeepError(error: unknown): TablekeepError {
  if (isTablekeepError(error)) return error;
  throw error;
}

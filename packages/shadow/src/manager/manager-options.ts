import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { type DocumentObject, type DocumentValue, isList, isObject } from "../document/document-value.ts";
import { printJson } from "../document/json.ts";
import { checkOptions, optionInvalid, ShadowError } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";

/**
 * The rules of a merge. `aws`: as AWS IoT; desired values stay, and the delta is computed. `acknowledge`: as godeviceshadow; a
 * desired value is removed when the device reports it, and the newer of two values wins by its time.
 */
export type ShadowPolicy = "aws" | "acknowledge";

/** The state of a shadow after a merge. */
export interface ShadowState {
  readonly desired?: DocumentObject;
  readonly reported?: DocumentObject;
}

/** A problem of a state. */
export interface StateProblem {
  /** Its place, as a JSON pointer: `/reported/on`. */
  readonly path: string;
  /** Continues the path: "must be boolean". */
  readonly reason: string;
  /** The schema and its version. */
  readonly schema: string;
}

/** Checks a state before it is written. If it returns a problem, the update is rejected. */
export type ShadowValidator = (shadow: ShadowId, state: ShadowState) => StateProblem | undefined;

/** Options of a manager. */
export interface ShadowManagerOptions {
  /** @default "aws" */
  readonly policy?: ShadowPolicy;
  /** How often an update without a version is retried when others write in between. @default 10 */
  readonly maxConflictRetries?: number;
  /** Whether `acknowledge` also applies to values without their own time; not in the original. @default true */
  readonly acknowledgePlain?: boolean;
  /** Checks the state of a shadow after the merge, for example with a JSON Schema. @default every state is accepted */
  readonly validate?: ShadowValidator;
  /** Limits that differ from the defaults. @default AWS IoT's under `aws`, DynamoDB's under `acknowledge` */
  readonly limits?: Partial<ShadowLimits>;
}

/** The options with their defaults. */
export interface ResolvedManagerOptions {
  readonly policy: ShadowPolicy;
  readonly maxConflictRetries: number;
  readonly acknowledgePlain: boolean;
  readonly validate: ShadowValidator | undefined;
  readonly limits: ShadowLimits;
}

const limitChecks: OptionChecks<ShadowLimits> = {
  stateBytes: optionCheck.integer(1),
  depth: optionCheck.integer(1),
  thingNameLength: optionCheck.integer(1),
  shadowNameLength: optionCheck.integer(1),
  clientTokenBytes: optionCheck.integer(1),
  requestBytes: optionCheck.integer(1),
};

const checks: OptionChecks<ShadowManagerOptions> = {
  policy: optionCheck.oneOf("aws", "acknowledge"),
  maxConflictRetries: optionCheck.integer(0),
  acknowledgePlain: optionCheck.boolean,
  validate: optionCheck.callback,
  limits: (value) => (typeof value === "object" && value !== null ? undefined : "must be an object"),
};

/** DynamoDB allows 32 levels; the item and its half are two of them. */
const deepest = 30;

/** Checks the options and fills in the defaults. */
export function resolveManagerOptions(options: ShadowManagerOptions): ResolvedManagerOptions {
  checkOptions(options, checks);
  const { policy = "aws", maxConflictRetries = 10, acknowledgePlain = true, validate, limits = {} } = options;
  checkOptions(limits, limitChecks);
  const base = policy === "aws" ? awsLimits : wideLimits;
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const resolved = { ...base, ...given };
  if (resolved.depth > deepest) throw optionInvalid("limits", `must not allow a depth above ${deepest}`);
  return { policy, maxConflictRetries, acknowledgePlain, validate, limits: resolved };
}

/** The maximum sizes of documents, names and tokens. */
export interface ShadowLimits {
  /** Bytes of the desired and the reported state together, after the merge, as compact JSON. */
  readonly stateBytes: number;
  /** Levels of nesting; the braces of a half are the first, empty objects and lists do not count. */
  readonly depth: number;
  /** Characters of a thing's name. */
  readonly thingNameLength: number;
  /** Characters of a shadow's name. */
  readonly shadowNameLength: number;
  /** Bytes of a client token. */
  readonly clientTokenBytes: number;
  /** Bytes of a request. */
  readonly requestBytes: number;
}

/** AWS IoT: service quotas for Device Shadow. 8 KB of state can be raised to 30 KB there. */
export const awsLimits: ShadowLimits = {
  stateBytes: 8192,
  depth: 6,
  thingNameLength: 128,
  shadowNameLength: 64,
  clientTokenBytes: 64,
  requestBytes: 131_072,
};

/** The limits of DynamoDB: an item of 400 KB with 32 levels, including the metadata. */
export const wideLimits: ShadowLimits = {
  ...awsLimits,
  stateBytes: 400_000,
  depth: 30,
  thingNameLength: 1024,
  shadowNameLength: 512,
  clientTokenBytes: 1024,
  requestBytes: 1_048_576,
};

/** Throws for a state that the validator rejects. */
export function checkState(
  { id, name }: ShadowId,
  { desired, reported }: ShadowState,
  validate: ShadowValidator | undefined,
): void {
  const state = { ...(desired && { desired }), ...(reported && { reported }) };
  const problem = validate?.({ id, name }, state);
  if (problem === undefined) return;
  const { path, reason, schema } = problem;
  throw new ShadowError(
    "SHADOW_SCHEMA_VIOLATION",
    `the state does not match schema ${schema}: ${path} ${reason}`,
    { id, name, path, reason, schema },
  );
}

/** Throws for a half that is nested too deeply. */
export function checkDepth(half: DocumentObject | null | undefined, maximum: number): void {
  if (half == null || !isDeeper(half, maximum)) return;
  throw new ShadowError(
    "SHADOW_TOO_DEEP",
    `JSON contains too many levels of nesting; maximum is ${maximum}`,
    { maximum },
  );
}

/** Stops at the limit, so that no document is too deep for it. */
function isDeeper(value: DocumentValue, levels: number): boolean {
  if (!isObject(value) && !isList(value)) return false;
  const parts = isList(value) ? value : Object.values(value);
  if (parts.length === 0) return false;
  return levels === 0 || parts.some((part) => isDeeper(part, levels - 1));
}

/** The bytes of a state as AWS counts them: desired and reported, without metadata. */
function stateSize(halves: readonly (DocumentValue | undefined)[]): number {
  return halves.reduce<number>(
    (bytes, half) => bytes + (half === undefined ? 0 : Buffer.byteLength(printJson(half))),
    0,
  );
}

/** Throws for a state that is too large after the merge. */
export function checkStateSize(
  { id, name }: ShadowId,
  halves: readonly (DocumentValue | undefined)[],
  maximum: number,
): void {
  const actual = stateSize(halves);
  if (actual <= maximum) return;
  throw new ShadowError(
    "SHADOW_TOO_LARGE",
    `shadow "${name}" of ${id} would have ${actual} bytes of state; the limit is ${maximum}: make it smaller, or raise stateBytes`,
    { id, name, actual, maximum },
  );
}

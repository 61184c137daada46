import { type DocumentObject, type DocumentValue, isList, isObject } from "../document/document-value.ts";
import { printJson } from "../document/print-json.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import { ShadowError } from "../shadow-error.ts";

/** How large documents, names and tokens may be. */
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

/** What DynamoDB itself allows: an item of 400 KB with 32 levels; the metadata beside the state takes its part. */
export const wideLimits: ShadowLimits = {
  ...awsLimits,
  stateBytes: 400_000,
  depth: 30,
  thingNameLength: 1024,
  shadowNameLength: 512,
  clientTokenBytes: 1024,
  requestBytes: 1_048_576,
};

/** Throws for a half that is nested too deeply. */
export function checkDepth(half: DocumentObject | null | undefined, maximum: number): void {
  if (half == null || !isDeeper(half, maximum)) return;
  throw new ShadowError(
    "SHADOW_TOO_DEEP",
    `JSON contains too many levels of nesting; maximum is ${maximum}`,
    { maximum },
  );
}

/** Looks no deeper than it must, so that no document is too deep for it. */
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
    `shadow "${name}" of ${id} would have ${actual} bytes of state, the limit is ${maximum} (make it smaller, or raise stateBytes)`,
    { id, name, actual, maximum },
  );
}

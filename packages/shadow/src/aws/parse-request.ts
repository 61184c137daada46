import {
  type DocumentObject,
  type DocumentValue,
  isObject,
  listWithNull,
  valueAt,
} from "../document/document-value.ts";
import { parseJson } from "../document/json.ts";
import { checkDepth, type ShadowLimits } from "../manager/manager-options.ts";
import { ShadowError } from "../model/shadow-error.ts";
import { requestInvalid } from "./aws-names.ts";

/** The document of an update request. */
export interface UpdateDocument {
  /** Null clears both halves; null for a half removes it. */
  readonly state: null | {
    readonly desired?: DocumentObject | null;
    readonly reported?: DocumentObject | null;
  };
  readonly version?: number;
  readonly clientToken?: string;
}

/** The bytes of a request as received, or a string. */
export type Payload = Uint8Array | string;

/** Parses an update request. Rejects the same requests as AWS IoT, with the same messages. */
export function parseUpdate(payload: Payload, limits: ShadowLimits): UpdateDocument {
  const root = parseJson(textOf(payload, limits));
  if (!isObject(root)) throw requestInvalid("Invalid JSON");
  const clientToken = tokenOf(root, limits);
  const version = versionOf(root);
  return {
    state: stateOf(root, limits),
    ...(version !== undefined && { version }),
    ...(clientToken !== undefined && { clientToken }),
  };
}

/** The client token of a get or delete request, whose body is empty or contains little else. */
export function parseToken(payload: Payload, limits: ShadowLimits): string | undefined {
  const text = textOf(payload, limits);
  if (text.trim() === "") return undefined;
  const root = parseJson(text);
  if (!isObject(root)) throw requestInvalid("Invalid JSON");
  return tokenOf(root, limits);
}

/**
 * Returns the client token of any request, for its rejection. Undefined if it has no readable token.
 *
 * @example
 * tokenFor('{"state":1,"clientToken":"t1"}', awsLimits); // "t1"
 */
export function tokenFor(payload: Payload, limits: ShadowLimits): string | undefined {
  try {
    return parseToken(payload, limits);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(payload: Payload, limits: ShadowLimits): string {
  const bytes = typeof payload === "string" ? Buffer.byteLength(payload) : payload.byteLength;
  if (bytes > limits.requestBytes) {
    const details = { id: "", name: "", actual: bytes, maximum: limits.requestBytes };
    throw new ShadowError("SHADOW_TOO_LARGE", "The payload exceeds the maximum size allowed", details);
  }
  if (typeof payload === "string") return payload;
  try {
    return utf8.decode(payload);
  } catch (cause) {
    const message = "Unsupported documented encoding; supported encoding is UTF-8";
    throw new ShadowError("SHADOW_ENCODING_INVALID", message, {}, { cause });
  }
}

function stateOf(root: DocumentObject, limits: ShadowLimits): UpdateDocument["state"] {
  const state = valueAt(root, "state");
  if (state === undefined) throw requestInvalid("Missing required node: state");
  if (state === null) return null;
  if (!isObject(state)) throw requestInvalid("State node must be an object");
  for (const key of Object.keys(state)) {
    if (key !== "desired" && key !== "reported")
      throw requestInvalid(`State contains an invalid node: '${key}'`);
  }
  const halves = (["desired", "reported"] as const).flatMap((half) => {
    const value = valueAt(state, half);
    if (value === undefined) return [];
    if (value !== null && !isObject(value))
      throw requestInvalid(`${half === "desired" ? "Desired" : "Reported"} node must be an object`);
    checkDepth(value, limits.depth);
    checkLists(value, half);
    return [[half, value] as const];
  });
  return Object.fromEntries(halves);
}

function checkLists(value: DocumentValue, half: string): void {
  const path = listWithNull(value, [half]);
  if (path === undefined) return;
  const key = path.findLast((part) => typeof part === "string");
  throw requestInvalid(`State contains an invalid node: '${key}'`);
}

function versionOf(root: DocumentObject): number | undefined {
  const version = valueAt(root, "version");
  if (version === undefined) return undefined;
  if (typeof version === "number" && Number.isSafeInteger(version) && version >= 0) return version;
  throw requestInvalid("Invalid version");
}

function tokenOf(root: DocumentObject, limits: ShadowLimits): string | undefined {
  const token = valueAt(root, "clientToken");
  if (token === undefined) return undefined;
  if (typeof token === "string" && Buffer.byteLength(token) <= limits.clientTokenBytes) return token;
  throw requestInvalid("Invalid clientToken");
}

import { isObject } from "../json/exact-json.ts";
import { shortJson } from "../json/short-json.ts";

/** The format of a payload or a state: bytes are base64, `unknown` is data that no codec of the server can read. */
export type PayloadForm = "json" | "bytes" | "unknown";

/** An event as the server shows it. */
export interface ShownEvent {
  readonly id: string;
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly payload: unknown;
  readonly payloadForm: PayloadForm;
  /** Why the payload is no longer available; the payload is then null. */
  readonly gone?: "forgotten" | "expired";
  readonly serializerId: number;
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds since 1970; 0 if unknown. */
  readonly timestamp: number;
  readonly tags: readonly string[];
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly metadata?: unknown;
}

/** The type of an event: its manifest or, without one, the member `type` or `kind` of its payload. "" if it has none. */
export function eventType({ manifest, payload }: Pick<ShownEvent, "manifest" | "payload">): string {
  if (manifest !== "") return manifest;
  if (!isObject(payload)) return "";
  return [payload["type"], payload["kind"]].find((each) => typeof each === "string") ?? "";
}

const maxCharacters = 160;

/** A payload in one short line. */
export function payloadPreview(payload: unknown, form: PayloadForm): string {
  if (form === "bytes") return `${base64Bytes(String(payload))} bytes`;
  if (form === "unknown") return "bytes of an unknown serializer";
  return shortJson(payload, maxCharacters);
}

function base64Bytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

import { shortJson } from "../json/short-json.ts";
import type { PayloadForm } from "./shown-event.ts";

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

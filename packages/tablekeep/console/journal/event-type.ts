import { isObject } from "../json/exact-json.ts";
import type { ShownEvent } from "./shown-event.ts";

/** The type of an event: its manifest or, without one, the member `type` or `kind` of its payload. "" if it has none. */
export function eventType({ manifest, payload }: Pick<ShownEvent, "manifest" | "payload">): string {
  if (manifest !== "") return manifest;
  if (!isObject(payload)) return "";
  return [payload["type"], payload["kind"]].find((each) => typeof each === "string") ?? "";
}

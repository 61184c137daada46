import type { NewEvent } from "@tablekeep/journal";
import type { Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { currentVersion, manifestOf } from "./event-version.ts";

/** An event as the journal takes it. */
export function writeEvent(definition: LooseEntity, event: Typed, timestamp: number): NewEvent {
  return {
    payload: event,
    manifest: manifestOf(event.type, currentVersion(definition, event.type)),
    tags: definition.tags(event),
    timestamp,
  };
}

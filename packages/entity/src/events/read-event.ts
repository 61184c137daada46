import type { JournalEvent } from "@tablekeep/journal";
import type { Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { isTyped } from "../definition/is-typed.ts";
import { validate } from "../definition/validate.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import { versionIn } from "./event-version.ts";

/** A stored event as today's definition knows it: upcast, and validated where there is a schema. */
export function readEvent(definition: LooseEntity, place: EntityPlace, stored: JournalEvent): Typed {
  const { payload, manifest, sequenceNr } = stored;
  const unreadable = (event: string, reason: string, cause?: unknown) =>
    new EntityError(
      "ENTITY_EVENT_UNREADABLE",
      `${place.entity} ${place.id}: event ${sequenceNr} (${event}) ${reason}`,
      { ...place, sequenceNr, event, reason },
      { cause },
    );
  if (!isTyped(payload)) throw unreadable(manifest, "is no object with a type");
  const { type } = payload;
  const steps = Object.hasOwn(definition.upcasters, type) ? (definition.upcasters[type]?.steps ?? []) : [];
  const version = versionIn(manifest, type);
  if (version > steps.length + 1)
    throw unreadable(type, `has version ${version}, and the definition knows ${steps.length + 1} at most`);
  let event: unknown = payload;
  try {
    for (const step of steps.slice(version - 1)) event = step(event as never);
  } catch (error) {
    throw unreadable(type, "could not be upcast", error);
  }
  if (definition.events !== undefined) {
    const validated = validate(definition.events, event);
    if ("issues" in validated)
      throw unreadable(type, `is not what its schema asks for: ${validated.issues.join("; ")}`);
    event = validated.value;
  }
  if (!isTyped(event)) throw unreadable(type, "was upcast to something without a type");
  return event;
}

import { validate } from "@tablekeep/core";
import type { JournalEvent, NewEvent } from "@tablekeep/journal";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import { isTyped, type Typed } from "./decision.ts";
import type { LooseEntity } from "./entity-definition.ts";

/** Returns a stored event as the current definition defines it: upcast, and validated if there is a schema. */
export function readEvent(
  definition: LooseEntity,
  address: EntityAddress,
  stored: Pick<JournalEvent, "payload" | "manifest" | "sequenceNr">,
): Typed {
  const { payload, manifest, sequenceNr } = stored;
  const unreadable = (event: string, reason: string, cause?: unknown) =>
    new EntityError(
      "ENTITY_EVENT_UNREADABLE",
      `${address.entity} ${address.id}: event ${sequenceNr} (${event}) ${reason}`,
      { ...address, sequenceNr, event, reason },
      { cause },
    );
  if (!isTyped(payload)) throw unreadable(manifest, "is not an object with a type");
  const { type } = payload;
  const steps = Object.hasOwn(definition.upcasters, type) ? (definition.upcasters[type]?.steps ?? []) : [];
  const version = versionIn(manifest, type);
  if (version > steps.length + 1)
    throw unreadable(
      type,
      `has version ${version}, but the definition supports only up to ${steps.length + 1}`,
    );
  let event: unknown = payload;
  try {
    for (const step of steps.slice(version - 1)) event = step(event as never);
  } catch (error) {
    throw unreadable(type, "could not be upcast", error);
  }
  if (definition.events !== undefined) {
    const validated = validate(definition.events, event);
    if ("issues" in validated)
      throw unreadable(type, `does not match its schema: ${validated.issues.join("; ")}`);
    event = validated.value;
  }
  if (!isTyped(event)) throw unreadable(type, "has no type after upcasting");
  return event;
}

/** What the events of a command are stored with. */
export type EventOrigin = Pick<NewEvent, "correlationId" | "causationId" | "metadata">;

/** Returns a new event in the form that the journal stores. */
export function writeEvent(
  definition: LooseEntity,
  event: Typed,
  timestamp: number,
  { correlationId, causationId, metadata }: EventOrigin = {},
): NewEvent {
  return {
    ...(correlationId !== undefined && { correlationId }),
    ...(causationId !== undefined && { causationId }),
    ...(metadata !== undefined && { metadata }),
    payload: event,
    manifest: manifestOf(event.type, currentVersion(definition, event.type)),
    tags: definition.tags(event),
    timestamp,
  };
}

/** Returns the version of new events of a type: one more than the number of upcast steps. */
function currentVersion({ upcasters }: LooseEntity, type: string): number {
  return (Object.hasOwn(upcasters, type) ? (upcasters[type]?.steps.length ?? 0) : 0) + 1;
}

/** Returns the manifest of an event: its type, followed by "@version" from version 2 on. */
function manifestOf(type: string, version: number): string {
  return version === 1 ? type : `${type}@${version}`;
}

/** Returns the version in a manifest; 1 if it has none. */
function versionIn(manifest: string, type: string): number {
  if (!manifest.startsWith(`${type}@`)) return 1;
  const version = Number(manifest.slice(type.length + 1));
  return Number.isSafeInteger(version) && version > 0 ? version : 1;
}

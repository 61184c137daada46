import { createCodecs, type JournalEvent } from "@tablekeep/journal";
import type { Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { readEvent } from "../events/read-event.ts";
import { writeEvent } from "../events/write-event.ts";
import { deepFreeze } from "./deep-freeze.ts";

const codecs = createCodecs();

/** A value as it comes back from a table. Throws if it cannot be stored without loss. */
export function storedCopy(value: unknown): unknown {
  return deepFreeze(codecs.decode(codecs.encode(value)));
}

/** An event as it comes back from a journal: encoded, decoded, upcast and validated. */
export function storedEvent(definition: LooseEntity, id: string, event: Typed, sequenceNr: number): Typed {
  const { manifest = "" } = writeEvent(definition, event, 0);
  const stored: JournalEvent = {
    persistenceId: definition.persistenceId(id),
    sequenceNr,
    payload: storedCopy(event),
    serializerId: 0,
    serializerManifest: "",
    manifest,
    writerUuid: "",
    timestamp: 0,
    tags: [],
  };
  return deepFreeze(readEvent(definition, { entity: definition.type, id }, stored));
}

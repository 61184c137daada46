import { createCodecs } from "@tablekeep/journal";
import type { Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { readEvent, writeEvent } from "../definition/event-payload.ts";

const codecs = createCodecs();

/** Returns a value as a table returns it. Throws if it cannot be stored without loss. */
export function storedCopy(value: unknown): unknown {
  return deepFreeze(codecs.decode(codecs.encode(value)));
}

/** Returns an event as a journal returns it: encoded, decoded, upcast and validated. */
export function storedEvent(definition: LooseEntity, id: string, event: Typed, sequenceNr: number): Typed {
  const { manifest = "" } = writeEvent(definition, event, 0);
  const stored = { sequenceNr, payload: storedCopy(event), manifest };
  return deepFreeze(readEvent(definition, { entity: definition.type, id }, stored));
}

/** Freezes a value at every level, so that a function that changes it throws. Bytes cannot be frozen. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

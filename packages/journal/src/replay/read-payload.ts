import { validate } from "@tablekeep/core";
import { type EncodedPayload, forgottenPayload } from "../codecs/codec.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";

type Place = Pick<EventRow, "persistenceId" | "sequenceNr">;

/** Decodes a payload, and validates it if the journal has a schema of events. Returns a promise only if a codec does. */
export function readPayload(context: JournalContext, place: Place, encoded: EncodedPayload): unknown {
  const { persistenceId, sequenceNr } = place;
  const payload = context.codecs.decode(encoded, { part: "event", persistenceId, sequenceNr });
  if (context.events === undefined) return payload;
  return payload instanceof Promise
    ? payload.then((decoded: unknown) => validated(context.events, place, decoded))
    : validated(context.events, place, payload);
}

function validated(
  schema: JournalContext["events"],
  { persistenceId, sequenceNr }: Place,
  payload: unknown,
): unknown {
  if (schema === undefined || payload === forgottenPayload) return payload;
  const result = validate(schema, payload);
  if (!("issues" in result)) return result.value;
  const reason = result.issues.join("; ");
  throw new JournalError(
    "JOURNAL_EVENT_UNEXPECTED",
    `${persistenceId}: event ${sequenceNr} does not match the schema of events: ${reason} (extend the schema, or read without it)`,
    { persistenceId, sequenceNr, reason },
  );
}
